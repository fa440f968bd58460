-- The tables of a catalogue for ClickHouse: run it beside the folder catalogue, or put s3(...) in place of file(...).
CREATE VIEW disk AS SELECT * FROM file('catalogue/disk/*/*/*.parquet', 'Parquet');
CREATE VIEW phase AS SELECT * FROM file('catalogue/phase/*/*/*.parquet', 'Parquet');
-- One row for each disk and what it does in a run: the mean over repeats, without incomplete phases; kept: of its rate alone.
CREATE VIEW rates AS
  SELECT run, min(started) AS started, host, at_hub AS hub, disk, which AS model, firmware, pattern, op, work, max(working) AS working,
    avg(rate_bps) AS rate, avg(CASE WHEN reference = 'alone' THEN retention END) AS kept
  FROM (
    SELECT run, started, host, concat(hub, CASE WHEN simulated THEN ' (simulated)' ELSE '' END) AS at_hub, disk,
      CASE WHEN model = '' THEN disk ELSE model END AS which, firmware, pattern, op, work, working, rate_bps, retention, reference
    FROM disk
    WHERE rate_bps IS NOT NULL AND concat(' ', warnings, ' ') NOT LIKE '% partial %'
  ) AS complete
  GROUP BY run, host, at_hub, disk, which, firmware, pattern, op, work;
