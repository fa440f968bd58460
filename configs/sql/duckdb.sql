-- The tables of a catalogue for DuckDB: set the variable catalogue to its folder or bucket first.
CREATE OR REPLACE VIEW disk AS
  SELECT * FROM read_parquet(getvariable('catalogue') || '/disk/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true);
CREATE OR REPLACE VIEW phase AS
  SELECT * FROM read_parquet(getvariable('catalogue') || '/phase/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true);
-- One row for each disk and what it does in a run: the mean over repeats, without incomplete phases; kept: of its rate alone.
-- A table, so that all queries together read the files once: read this file again after another collect.
CREATE OR REPLACE TEMP TABLE rates AS
  SELECT run, min(started) AS started, host, at_hub AS hub, disk, which AS model, firmware, pattern, op, work, max(working) AS working,
    avg(rate_bps) AS rate, avg(CASE WHEN reference = 'alone' THEN retention END) AS kept
  FROM (
    SELECT run, started, host, concat(hub, CASE WHEN simulated THEN ' (simulated)' ELSE '' END) AS at_hub, disk,
      CASE WHEN model = '' THEN disk ELSE model END AS which, firmware, pattern, op, work, working, rate_bps, retention, reference
    FROM disk
    WHERE rate_bps IS NOT NULL AND concat(' ', warnings, ' ') NOT LIKE '% partial %'
  ) AS complete
  GROUP BY run, host, at_hub, disk, which, firmware, pattern, op, work;
