-- How far the rate of disks fell by itself, by model and by the highest temperature of the whole phase in steps of 5 degrees.
SELECT model, throttle_cause, 5 * floor(temperature_max_c / 5) AS from_c, count(*) AS falls,
  round(avg(throttle_at_bytes) / 1e9, 1) AS after_gb, round(100 * avg(1 - throttle_to_bps / throttle_from_bps), 1) AS fell_percent
FROM disk
WHERE throttle_at_bytes IS NOT NULL AND NOT simulated
GROUP BY model, throttle_cause, 5 * floor(temperature_max_c / 5)
ORDER BY model, throttle_cause, from_c
