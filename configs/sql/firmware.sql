-- The rate of each model under each firmware against the one before it, by the first day on which it was seen: the change in
-- percent, and its 95 % interval after Welch, "The generalization of Student's problem" (1947), for many runs of each.
WITH versions AS (
  SELECT model, firmware, hub, pattern, op, min(started) AS since, count(*) AS runs, avg(rate_bps) AS rate, var_samp(rate_bps) AS spread
  FROM disk
  WHERE firmware <> '' AND rate_bps IS NOT NULL
  GROUP BY model, firmware, hub, pattern, op
), pairs AS (
  SELECT versions.*,
    lag(firmware) OVER (PARTITION BY model, hub, pattern, op ORDER BY since) AS old_firmware,
    lag(runs) OVER (PARTITION BY model, hub, pattern, op ORDER BY since) AS old_runs,
    lag(rate) OVER (PARTITION BY model, hub, pattern, op ORDER BY since) AS old_rate,
    lag(spread) OVER (PARTITION BY model, hub, pattern, op ORDER BY since) AS old_spread
  FROM versions
)
SELECT model, hub, pattern, op, old_firmware, firmware, runs,
  round(100 * (rate / old_rate - 1), 2) AS change_percent,
  round(100 * (rate - old_rate - 1.96 * sqrt(spread / runs + old_spread / old_runs)) / old_rate, 2) AS low,
  round(100 * (rate - old_rate + 1.96 * sqrt(spread / runs + old_spread / old_runs)) / old_rate, 2) AS high
FROM pairs WHERE old_runs > 1 AND runs > 1
ORDER BY model, hub, pattern, op, firmware
