-- The tables of a catalogue for DuckDB: set the variable catalogue to its folder or bucket first. A run that stands in two files,
-- as while a compaction runs or when it was added anew, is taken from its own. A condition on month reads no other months.
CREATE OR REPLACE VIEW disk AS
  SELECT * EXCLUDE (place, first_place) FROM (
    SELECT *, min(place) OVER (PARTITION BY month, run, host) AS first_place FROM (
      SELECT * EXCLUDE (filename), CASE WHEN parse_filename(filename) LIKE 'compact-%' THEN 'b' ELSE 'a' END || filename AS place
      FROM read_parquet(getvariable('catalogue') || '/disk/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true, filename = true)
    )
  ) WHERE place = first_place;
CREATE OR REPLACE VIEW phase AS
  SELECT * EXCLUDE (place, first_place) FROM (
    SELECT *, min(place) OVER (PARTITION BY month, run, host) AS first_place FROM (
      SELECT * EXCLUDE (filename), CASE WHEN parse_filename(filename) LIKE 'compact-%' THEN 'b' ELSE 'a' END || filename AS place
      FROM read_parquet(getvariable('catalogue') || '/phase/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true, filename = true)
    )
  ) WHERE place = first_place;
-- One row for each disk and what it does in a run: the mean over repeats, without incomplete phases, and kept is what it has of its rate alone.
-- A table, so that all queries together read the files once: read this file again after another collect.
CREATE OR REPLACE TEMP TABLE rates AS
  SELECT month, run, min(started) AS started, host, at_hub AS hub, disk, which AS model, firmware, pattern, op, work, max(working) AS working,
    avg(rate_bps) AS rate, avg(CASE WHEN reference = 'alone' THEN retention END) AS kept
  FROM (
    SELECT month, run, started, coalesce(host, '') AS host, disk, coalesce(model, disk) AS which, coalesce(firmware, '') AS firmware,
      concat(coalesce(hub, ''), CASE WHEN simulated THEN ' (simulated)' ELSE '' END) AS at_hub, pattern, op, coalesce(work, '') AS work,
      working, rate_bps, retention, reference
    FROM disk
    WHERE rate_bps IS NOT NULL AND NOT list_contains(warnings, 'partial')
  ) AS complete
  GROUP BY month, run, host, at_hub, disk, which, firmware, pattern, op, work;
