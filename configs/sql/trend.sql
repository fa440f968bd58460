-- Each disk's rate over its runs, and the run since which it differs most from before: the split with the largest t statistic
-- (Hinkley, "Inference about the change-point in a sequence of random variables", 1970), if that is above 4.
WITH runs AS (
  SELECT host, hub, disk, model, pattern, op, work, started, run, rate,
    row_number() OVER same AS n, sum(rate) OVER same AS total, sum(rate * rate) OVER same AS squares,
    lead(started) OVER (PARTITION BY host, hub, disk, model, pattern, op, work ORDER BY started, run) AS next_started,
    lead(run) OVER (PARTITION BY host, hub, disk, model, pattern, op, work ORDER BY started, run) AS next_run
  FROM rates
  WINDOW same AS (PARTITION BY host, hub, disk, model, pattern, op, work ORDER BY started, run ROWS UNBOUNDED PRECEDING)
), ends AS (
  SELECT host, hub, disk, model, pattern, op, work, max(n) AS n_all, max(total) AS total_all, max(squares) AS squares_all
  FROM runs GROUP BY host, hub, disk, model, pattern, op, work
), splits AS (
  SELECT r.host, r.hub, r.disk, r.model, r.pattern, r.op, r.work, n_all, r.n, r.next_started, r.next_run,
    r.total / r.n AS before, (total_all - r.total) / (n_all - r.n) AS later,
    sqrt(greatest(squares_all - r.total * r.total / r.n - (total_all - r.total) * (total_all - r.total) / (n_all - r.n), 0)
      / (n_all - 2) * (1.0 / r.n + 1.0 / (n_all - r.n))) AS error
  FROM runs r JOIN ends e ON r.host = e.host AND r.hub = e.hub AND r.disk = e.disk AND r.model = e.model
    AND r.pattern = e.pattern AND r.op = e.op AND r.work = e.work
  WHERE r.n >= 3 AND r.n <= n_all - 3
), ranked AS (
  SELECT splits.*, row_number() OVER (PARTITION BY host, hub, disk, model, pattern, op, work ORDER BY abs(later - before) / error DESC, n) AS place
  FROM splits WHERE error > 0
)
SELECT host, hub, disk, model, pattern, op, n_all AS runs, n AS after_run, round(before / 1e6, 1) AS before_mb_per_s,
  round(later / 1e6, 1) AS later_mb_per_s, round(100 * (later / before - 1), 1) AS change_percent,
  CAST(CAST(next_started AS date) AS String) AS since, next_run AS since_run, work
FROM ranked WHERE place = 1 AND abs(later - before) > 4 * error
ORDER BY host, hub, disk, pattern, op, work
