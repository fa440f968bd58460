-- What disks keep of their own rate beside others, by hub: the mean over the runs and its 95 % interval, by the runs' own spread.
WITH kept AS (
  SELECT hub, model, op, pattern, count(*) AS runs, avg(retention) AS kept, stddev_samp(retention) AS spread
  FROM disk
  WHERE retention IS NOT NULL
  GROUP BY hub, model, op, pattern
)
SELECT hub, model, op, pattern, runs, round(kept, 3) AS kept,
  round(kept - 1.96 * spread / sqrt(runs), 3) AS low, round(kept + 1.96 * spread / sqrt(runs), 3) AS high
FROM kept WHERE runs > 1
ORDER BY hub, model, op, pattern
