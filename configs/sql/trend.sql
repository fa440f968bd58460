-- Each disk's rate over its runs, and the run since which it differs most from before: the split with the largest t statistic
-- (Hinkley, "Inference about the change-point in a sequence of random variables", 1970), if that is above 4.
WITH runs AS (
  SELECT host, hub, disk, model, pattern, op, started, run, rate_bps AS rate,
    row_number() OVER same AS n, sum(rate_bps) OVER same AS total, sum(rate_bps * rate_bps) OVER same AS squares
  FROM disk
  WHERE rate_bps IS NOT NULL
  WINDOW same AS (PARTITION BY host, hub, disk, model, pattern, op ORDER BY started, run ROWS UNBOUNDED PRECEDING)
), ends AS (
  SELECT host, hub, disk, model, pattern, op, max(n) AS n_all, max(total) AS total_all, max(squares) AS squares_all
  FROM runs GROUP BY host, hub, disk, model, pattern, op
), splits AS (
  SELECT r.host, r.hub, r.disk, r.model, r.pattern, r.op, n_all, r.n, r.started,
    r.total / r.n AS before, (total_all - r.total) / (n_all - r.n) AS later,
    sqrt(greatest(squares_all - r.total * r.total / r.n - (total_all - r.total) * (total_all - r.total) / (n_all - r.n), 0)
      / (n_all - 2) * (1.0 / r.n + 1.0 / (n_all - r.n))) AS error
  FROM runs r JOIN ends e ON r.host = e.host AND r.hub = e.hub AND r.disk = e.disk AND r.model = e.model
    AND r.pattern = e.pattern AND r.op = e.op
  WHERE r.n >= 3 AND r.n <= n_all - 3
), ranked AS (
  SELECT splits.*, row_number() OVER (PARTITION BY host, hub, disk, model, pattern, op ORDER BY abs(later - before) / error DESC, n) AS place
  FROM splits WHERE error > 0
)
SELECT host, hub, disk, model, pattern, op, n_all AS runs, n AS after_run, round(before / 1e6, 1) AS before_mb_per_s,
  round(later / 1e6, 1) AS later_mb_per_s, round(100 * (later / before - 1), 1) AS change_percent
FROM ranked WHERE place = 1 AND abs(later - before) > 4 * error
ORDER BY host, hub, disk, pattern, op
