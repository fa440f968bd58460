-- The disk with the lowest mean rate on each hub, by what the disks of a phase do.
WITH rates AS (
  SELECT hub, pattern, model, op, count(*) AS runs, avg(rate_bps) AS rate
  FROM disk
  WHERE working > 1 AND rate_bps IS NOT NULL
  GROUP BY hub, pattern, model, op
), ranked AS (
  SELECT rates.*, row_number() OVER (PARTITION BY hub, pattern ORDER BY rate, model) AS place FROM rates
)
SELECT hub, pattern, model, op, runs, round(rate / 1e6, 1) AS mb_per_s
FROM ranked WHERE place = 1
ORDER BY hub, pattern
