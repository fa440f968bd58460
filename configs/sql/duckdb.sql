-- The tables of a catalogue for DuckDB: set the variable catalogue to its folder or bucket first.
CREATE OR REPLACE VIEW disk AS
  SELECT * FROM read_parquet(getvariable('catalogue') || '/disk/*/*/*.parquet', hive_partitioning = true, union_by_name = true);
CREATE OR REPLACE VIEW phase AS
  SELECT * FROM read_parquet(getvariable('catalogue') || '/phase/*/*/*.parquet', hive_partitioning = true, union_by_name = true);
