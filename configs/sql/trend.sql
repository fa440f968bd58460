-- Each disk's rate over its runs, and the run since which it differs most from before: the split with the largest t statistic
-- (Hinkley, "Inference about the change-point in a sequence of random variables", 1970), if that is above 4.
WITH totals AS (
  SELECT host, hub, disk, model, pattern, op, work, count(*) AS n_all, sum(rate) AS total_all, sum(rate * rate) AS squares_all
  FROM rates GROUP BY host, hub, disk, model, pattern, op, work
), series AS (
  SELECT totals.*, row_number() OVER (ORDER BY host, hub, disk, model, pattern, op, work) AS number FROM totals
), runs AS (
  SELECT number, started, run, rate, n_all, total_all, squares_all FROM rates JOIN series USING (host, hub, disk, model, pattern, op, work)
), sums AS (
  SELECT runs.*, (row_number() OVER same) - 1 AS n, (sum(rate) OVER same) - rate AS total
  FROM runs WINDOW same AS (PARTITION BY number ORDER BY started, run ROWS UNBOUNDED PRECEDING)
), splits AS (
  SELECT number, started, run, n, total / n AS before, (total_all - total) / (n_all - n) AS later,
    sqrt(greatest(squares_all - total * total / n - (total_all - total) * (total_all - total) / (n_all - n), 0)
      / (n_all - 2) * (1.0 / n + 1.0 / (n_all - n))) AS error
  FROM sums WHERE n >= 3 AND n <= n_all - 3
), ranked AS (
  SELECT splits.*, row_number() OVER (PARTITION BY number ORDER BY abs(later - before) / error DESC, n) AS place
  FROM splits WHERE error > 0 AND abs(later - before) > 4 * error
)
SELECT host, hub, disk, model, pattern, op, n_all AS runs, n AS after_run, round(before / 1e6, 1) AS before_mb_per_s,
  round(later / 1e6, 1) AS later_mb_per_s, round(100 * (later / before - 1), 1) AS change_percent,
  CAST(CAST(started AS date) AS String) AS since, run AS since_run, work
FROM ranked JOIN series USING (number) WHERE place = 1
ORDER BY host, hub, disk, pattern, op, work
