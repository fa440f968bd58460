-- The tables of a catalogue for Spark: spark-sql -d catalogue=s3a://bucket/catalogue -i configs/sql/spark.sql -f QUERY.sql
-- Without the first line a host named 0012 would be the number 12.
SET spark.sql.sources.partitionColumnTypeInference.enabled = false;
CREATE TEMPORARY VIEW disk USING parquet OPTIONS (path '${catalogue}/disk', mergeSchema true);
CREATE TEMPORARY VIEW phase USING parquet OPTIONS (path '${catalogue}/phase', mergeSchema true);
-- One row for each disk and what it does in a run: the mean over repeats, without incomplete phases; kept: of its rate alone.
CREATE TEMPORARY VIEW rates AS
  SELECT run, min(started) AS started, host, at_hub AS hub, disk, which AS model, firmware, pattern, op, work, max(working) AS working,
    avg(rate_bps) AS rate, avg(CASE WHEN reference = 'alone' THEN retention END) AS kept
  FROM (
    SELECT run, started, host, concat(hub, CASE WHEN simulated THEN ' (simulated)' ELSE '' END) AS at_hub, disk,
      CASE WHEN model = '' THEN disk ELSE model END AS which, firmware, pattern, op, work, working, rate_bps, retention, reference
    FROM disk
    WHERE rate_bps IS NOT NULL AND concat(' ', warnings, ' ') NOT LIKE '% partial %'
  ) AS complete
  GROUP BY run, host, at_hub, disk, which, firmware, pattern, op, work;
