-- The tables of a catalogue for Spark: spark-sql -d catalogue=s3a://bucket/catalogue -i configs/sql/spark.sql -f QUERY.sql
CREATE TEMPORARY VIEW disk USING parquet OPTIONS (path '${catalogue}/disk', mergeSchema true);
CREATE TEMPORARY VIEW phase USING parquet OPTIONS (path '${catalogue}/phase', mergeSchema true);
