-- Each disk's rate over its runs, and the run since which it differs most from before: the split with the largest t statistic
-- (Hinkley, "Inference about the change-point in a sequence of random variables", 1970), if that is above 4.
WITH runs AS (
  SELECT host, hub, disk, model, pattern, op, work, started, run, rate,
    row_number() OVER same AS n, sum(rate) OVER same AS total,
    count(*) OVER every AS n_all, sum(rate) OVER every AS total_all, sum(rate * rate) OVER every AS squares_all,
    lead(started) OVER (PARTITION BY host, hub, disk, model, pattern, op, work ORDER BY started, run) AS next_started,
    lead(run) OVER (PARTITION BY host, hub, disk, model, pattern, op, work ORDER BY started, run) AS next_run
  FROM rates
  WINDOW same AS (PARTITION BY host, hub, disk, model, pattern, op, work ORDER BY started, run ROWS UNBOUNDED PRECEDING),
    every AS (PARTITION BY host, hub, disk, model, pattern, op, work ORDER BY started, run ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
), splits AS (
  SELECT runs.*, total / n AS before, (total_all - total) / (n_all - n) AS later,
    sqrt(greatest(squares_all - total * total / n - (total_all - total) * (total_all - total) / (n_all - n), 0)
      / (n_all - 2) * (1.0 / n + 1.0 / (n_all - n))) AS error
  FROM runs
  WHERE n >= 3 AND n <= n_all - 3
), ranked AS (
  SELECT splits.*, row_number() OVER (PARTITION BY host, hub, disk, model, pattern, op, work ORDER BY abs(later - before) / error DESC, n) AS place
  FROM splits WHERE error > 0 AND abs(later - before) > 4 * error
)
SELECT host, hub, disk, model, pattern, op, n_all AS runs, n AS after_run, round(before / 1e6, 1) AS before_mb_per_s,
  round(later / 1e6, 1) AS later_mb_per_s, round(100 * (later / before - 1), 1) AS change_percent,
  CAST(CAST(next_started AS date) AS String) AS since, next_run AS since_run, work
FROM ranked WHERE place = 1
ORDER BY host, hub, disk, pattern, op, work
