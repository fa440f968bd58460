-- The rate of each model under each firmware against the one before it, by the first day on which it was seen: the change in
-- percent, and its 95% interval after Welch, "The generalization of Student's problem" (1947), for three runs of each or more, with
-- Student's t by Cornish and Fisher's expansion. Firmware whose rates vary by no more than rounding has no interval and is left out.
WITH runs AS (
  SELECT model, firmware, hub, pattern, op, work, run, min(started) AS began, avg(rate) AS of_run
  FROM rates
  WHERE firmware <> ''
  GROUP BY model, firmware, hub, pattern, op, work, run
), versions AS (
  SELECT model, firmware, hub, pattern, op, work, min(began) AS since, count(*) AS n, avg(of_run) AS mean,
    var_samp(of_run) / count(*) AS error
  FROM runs
  GROUP BY model, firmware, hub, pattern, op, work
), pairs AS (
  SELECT versions.*,
    lag(firmware) OVER (PARTITION BY model, hub, pattern, op, work ORDER BY since) AS old_firmware,
    lag(n) OVER (PARTITION BY model, hub, pattern, op, work ORDER BY since) AS old_n,
    lag(mean) OVER (PARTITION BY model, hub, pattern, op, work ORDER BY since) AS old_mean,
    lag(error) OVER (PARTITION BY model, hub, pattern, op, work ORDER BY since) AS old_error
  FROM versions
), freedom AS (
  SELECT pairs.*, (error + old_error) * (error + old_error) / (error * error / (n - 1) + old_error * old_error / (old_n - 1)) AS free
  FROM pairs WHERE n > 2 AND old_n > 2 AND error + old_error > 1e-12 * mean * mean
), bounds AS (
  SELECT freedom.*, sqrt(error + old_error) * (1.96 + 2.3723 / free + 2.8225 / (free * free) + 2.556 / (free * free * free) + 1.59 / (free * free * free * free)) AS half
  FROM freedom
)
SELECT model, hub, pattern, op, old_firmware, firmware, n AS runs,
  round(100 * (mean / old_mean - 1), 2) AS change_percent,
  round(100 * (mean - old_mean - half) / old_mean, 2) AS low,
  round(100 * (mean - old_mean + half) / old_mean, 2) AS high, work
FROM bounds
ORDER BY model, hub, pattern, op, firmware, work
