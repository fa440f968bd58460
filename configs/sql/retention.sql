-- What disks keep of their rate alone beside others, by hub: the mean over the runs and its 95% interval, by the runs' own spread and
-- Student's t (Cornish and Fisher's expansion, within 0.8% from two degrees of freedom on).
WITH of_runs AS (
  SELECT hub, model, op, pattern, work, run, avg(kept) AS of_run
  FROM rates
  WHERE kept IS NOT NULL
  GROUP BY hub, model, op, pattern, work, run
), means AS (
  SELECT hub, model, op, pattern, work, count(*) AS runs, CAST(count(*) - 1 AS double) AS free, avg(of_run) AS mean,
    stddev_samp(of_run) / sqrt(count(*)) AS error
  FROM of_runs
  GROUP BY hub, model, op, pattern, work
), bounds AS (
  SELECT means.*, error * (1.96 + 2.3723 / free + 2.8225 / (free * free) + 2.556 / (free * free * free) + 1.59 / (free * free * free * free)) AS half
  FROM means WHERE runs > 2
)
SELECT hub, model, op, pattern, runs, round(mean, 3) AS kept, round(mean - half, 3) AS low, round(mean + half, 3) AS high, work
FROM bounds
ORDER BY hub, model, op, pattern, work
