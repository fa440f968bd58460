-- The tables of a catalogue for Spark: spark-sql -d catalogue=s3a://bucket/catalogue -i configs/sql/spark.sql -f QUERY.sql
-- A run that stands in two files, as while a compaction runs or when it was added anew, is taken from its own. A condition on month
-- reads no other months.
SET spark.sql.sources.partitionColumnTypeInference.enabled = false;
SET spark.sql.parquet.mergeSchema = true;
CREATE TEMPORARY VIEW disk AS
  SELECT * EXCEPT (place, first_place) FROM (
    SELECT *, min(place) OVER (PARTITION BY month, run, host) AS first_place FROM (
      SELECT *, concat(CASE WHEN _metadata.file_name LIKE 'compact-%' THEN 'b' ELSE 'a' END, _metadata.file_name) AS place
      FROM parquet.`${catalogue}/disk`
    )
  ) WHERE place = first_place;
CREATE TEMPORARY VIEW phase AS
  SELECT * EXCEPT (place, first_place) FROM (
    SELECT *, min(place) OVER (PARTITION BY month, run, host) AS first_place FROM (
      SELECT *, concat(CASE WHEN _metadata.file_name LIKE 'compact-%' THEN 'b' ELSE 'a' END, _metadata.file_name) AS place
      FROM parquet.`${catalogue}/phase`
    )
  ) WHERE place = first_place;
-- One row for each disk and what it does in a run: the mean over repeats, without incomplete phases, and kept is what it has of its rate alone.
CREATE TEMPORARY VIEW rates AS
  SELECT month, run, min(started) AS started, host, at_hub AS hub, disk, which AS model, firmware, pattern, op, work, max(working) AS working,
    avg(rate_bps) AS rate, avg(CASE WHEN reference = 'alone' THEN retention END) AS kept
  FROM (
    SELECT month, run, started, coalesce(host, '') AS host, disk, coalesce(model, disk) AS which, coalesce(firmware, '') AS firmware,
      concat(coalesce(hub, ''), CASE WHEN simulated THEN ' (simulated)' ELSE '' END) AS at_hub, pattern, op, coalesce(work, '') AS work,
      working, rate_bps, retention, reference
    FROM disk
    WHERE rate_bps IS NOT NULL AND NOT array_contains(warnings, 'partial')
  ) AS complete
  GROUP BY month, run, host, at_hub, disk, which, firmware, pattern, op, work;
