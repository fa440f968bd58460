-- The tables of a catalogue for ClickHouse: run it beside the folder catalogue, or put s3(...) in place of file(...).
-- A run that stands in two files, as while a compaction runs or when it was added anew, is taken from its own. A condition on month
-- reads no other months.
CREATE VIEW disk AS
  SELECT * EXCEPT (place, first_place) FROM (
    SELECT *, min(place) OVER (PARTITION BY month, run, host) AS first_place FROM (
      SELECT *, concat(CASE WHEN _file LIKE 'compact-%' THEN 'b' ELSE 'a' END, _file) AS place
      FROM file('catalogue/disk/*/*.parquet', 'Parquet')
    )
  ) WHERE place = first_place;
CREATE VIEW phase AS
  SELECT * EXCEPT (place, first_place) FROM (
    SELECT *, min(place) OVER (PARTITION BY month, run, host) AS first_place FROM (
      SELECT *, concat(CASE WHEN _file LIKE 'compact-%' THEN 'b' ELSE 'a' END, _file) AS place
      FROM file('catalogue/phase/*/*.parquet', 'Parquet')
    )
  ) WHERE place = first_place;
-- One row for each disk and what it does in a run: the mean over repeats, without incomplete phases, and kept is what it has of its rate alone.
CREATE VIEW rates AS
  SELECT month, run, min(started) AS started, host, at_hub AS hub, disk, which AS model, firmware, pattern, op, work, max(working) AS working,
    avg(rate_bps) AS rate, avg(CASE WHEN reference = 'alone' THEN retention END) AS kept
  FROM (
    SELECT month, run, started, coalesce(host, '') AS host, disk, coalesce(model, disk) AS which, coalesce(firmware, '') AS firmware,
      concat(coalesce(hub, ''), CASE WHEN simulated THEN ' (simulated)' ELSE '' END) AS at_hub, pattern, op, coalesce(work, '') AS work,
      working, rate_bps, retention, reference
    FROM disk
    WHERE rate_bps IS NOT NULL AND NOT has(warnings, 'partial')
  ) AS complete
  GROUP BY month, run, host, at_hub, disk, which, firmware, pattern, op, work;
