-- The disk with the lowest mean rate on each hub, by what the disks of a phase do and with which work; ties go to the first by name.
WITH runs AS (
  SELECT hub, pattern, work, model, op, run, avg(rate) AS of_run
  FROM rates
  WHERE working > 1
  GROUP BY hub, pattern, work, model, op, run
), models AS (
  SELECT hub, pattern, work, model, op, count(*) AS runs, avg(of_run) AS mean FROM runs GROUP BY hub, pattern, work, model, op
), ranked AS (
  SELECT models.*, row_number() OVER (PARTITION BY hub, pattern, work ORDER BY round(mean / 1e6, 1), model) AS place FROM models
)
SELECT hub, pattern, model, op, runs, round(mean / 1e6, 1) AS mb_per_s, work
FROM ranked WHERE place = 1
ORDER BY hub, pattern, work
