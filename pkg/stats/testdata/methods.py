"""Makes methods.json: what the methods of this package give for a few series, written a second time from what their
comments say, on NumPy and SciPy and without the short cuts that the Go code takes.

Run once, with Python 3.11, numpy 2.4.6 and scipy 1.17.1:

    python methods.py > methods.json
"""
import json
import math

import numpy as np
from scipy import fft, stats


def half_of_short(x, tail):
    n, d = len(x), x - x.mean()
    r = (d[1:] @ d[:-1]) / (d @ d)
    r = r + (1 + 4 * r) / n
    r = r + math.sqrt(max(0, (1 - r * r) / n))
    r = min(0.97, max(0, r))
    worth = n * (1 - r) / (1 + r)
    return stats.t.ppf(1 - tail, max(2, worth - 1)) * math.sqrt(x.var(ddof=1) / worth)


def memory(x):
    n, d = len(x), x - x.mean()
    acf = np.array([d[lag:] @ d[: n - lag] for lag in range(n)]) / (d @ d) + 1 / n
    sum, lag = 1.0, 1
    while lag + 1 < n // 2 and acf[lag] + acf[lag + 1] > math.sqrt(2 / n):
        sum += 2 * (acf[lag] + acf[lag + 1])
        lag += 2
    return min(sum, n / 2)


def long_run_variance(x, w):
    def squares(x, w):
        return np.diff(x) ** 2 / (1 / w[1:] + 1 / w[:-1])

    largest = squares(x, w).mean()
    while len(x) >= 20:
        k = len(x) // 2 * 2
        weight = w[:k].reshape(-1, 2).sum(1)
        x, w = (x * w)[:k].reshape(-1, 2).sum(1) / weight, weight
        largest = max(largest, np.median(squares(x, w)) / stats.chi2.ppf(0.5, 1))
    return largest


def waves(x, known):
    count = max(0, min(40, len(x) - 1, known - 1))
    return fft.dct(x - x.mean(), type=2, norm="ortho")[1 : count + 1]


def mean_of(x, known):
    """Mean, standard error and degrees of freedom; the likely memory and the longest plausible one."""
    v = waves(x, known)
    j = math.pi * np.arange(1, len(v) + 1)
    memories = 0.005 * 1.2 ** np.arange(60)
    memories = memories[memories < 1]
    shape = 1 / (1 + (j * memories[:, None]) ** 2)
    like = -np.log(shape).sum(1) / 2 - len(v) / 2 * np.log((v**2 / shape).sum(1))
    likely, longest = memories[like.argmax()], memories[like >= like.max() - 1].max()
    m = min(longest, 0.15)
    of_mean = 1 - m * (1 - math.exp(-1 / m))
    se = math.sqrt((v[:5] ** 2).sum() / (1 / (1 + (j[:5] * m) ** 2)).sum() * of_mean / len(x))
    return x.mean(), se, 5, likely, longest


def difference(a, b):
    va, vb = a[1] ** 2, b[1] ** 2
    return b[0] - a[0], math.sqrt(va + vb), (va + vb) ** 2 / (va**2 / a[2] + vb**2 / b[2])


def estimate(mean, se, free, *_):
    """Standard error, p against 0, chance above half the mean, lower bound at 1 %, 95 % interval."""
    t = stats.t(free)
    return {
        "mean": mean, "se": se, "p": 2 * t.sf(abs(mean) / se), "above": t.sf(mean / 2 / se),
        "least": mean - se * t.ppf(0.99), "interval": [mean + se * t.ppf(0.025), mean + se * t.ppf(0.975)],
    }


def noise(x):
    """Nugget, sill and memory by least squares on the variogram."""
    lags, lag = [], 1
    while len(x) >= 2 * lag:
        lags.append(lag)
        lag = max(lag + 1, lag * 3 // 2)
    value = np.array([((x[lag:] - x[:-lag]) ** 2).mean() / 2 for lag in lags])
    weight = len(x) / np.array(lags)
    best = (math.inf,)
    for k in range(24):
        tau = 0.5 * len(x) ** (k / 23)
        shape = 1 - np.exp(-np.array(lags) / tau)
        root = np.sqrt(weight) / value
        columns = [c for c in ([np.ones_like(shape), shape], [np.ones_like(shape)], [shape])]
        nugget, sill = np.linalg.lstsq((np.array(columns[0]) * root).T, value * root, rcond=None)[0]
        if sill < 0:
            nugget, sill = np.linalg.lstsq((np.array(columns[1]) * root).T, value * root, rcond=None)[0][0], 0.0
        if nugget < 0:
            nugget, sill = 0.0, np.linalg.lstsq((np.array(columns[2]) * root).T, value * root, rcond=None)[0][0]
        cost = ((((nugget + sill * shape) / value - 1) ** 2) * weight / 4).sum()
        if cost < best[0]:
            best = cost, nugget, sill, tau
    return best[1:]


def spread(size, time):
    """Comparable items, and the standard error of the rate."""
    size, time = np.array(size), np.array(time)
    some = size >= size.max() / 50
    s, t = size[some], time[some]
    fixed = max(0, np.polyfit(1 / s, t / s, 1)[0]) if len(s) >= 8 else 0
    moving = np.maximum(t - fixed, 0.1 * t)
    slow = moving / s * s.sum() / moving.sum()
    return {
        "items": len(s), "se": math.sqrt(((slow - 1) ** 2).sum() / (len(s) - 1) * (size**2).sum()) / time.sum(),
        "free": len(s) - 1,
    }


def trend(rates):
    """Mean, change along the line over five windows, and how much more it may be."""
    line = stats.linregress(np.arange(len(rates)), rates)
    return rates.mean(), 4 * abs(line.slope), 4 * line.stderr * stats.t.ppf(0.998, len(rates) - 2)


def steady(rates):
    """From which window on, -1 if they are not."""
    if len(rates) < 5:
        return -1
    mean, change, _ = trend(rates[-5:])
    if not (mean > 0 and np.ptp(rates[-5:]) <= 0.2 * mean and change <= 0.1 * mean):
        return -1
    for n in range(5, min(len(rates), 40) + 1):
        mean, change, doubt = trend(rates[-n:])
        if abs(rates[-5:].mean() - mean) > 0.1 * mean:
            return -1
        if change + doubt <= 0.1 * mean:
            return len(rates) - n
    return -1


def steady_since(rates):
    since = steady(rates)
    for n in range(len(rates) - 1, 4, -1) if since >= 0 else []:
        earlier = steady(rates[:n])
        since_then = rates[min(since, earlier):]
        if earlier < 0 or abs(rates[-5:].mean() - since_then.mean()) > 0.1 * since_then.mean():
            break
        since = min(since, earlier)
    return since


def recalling(rng, n, rho):
    x = [rng.normal()]
    for _ in range(n - 1):
        x.append(rho * x[-1] + math.sqrt(1 - rho * rho) * rng.normal())
    return np.array(x)


rng = np.random.default_rng(1990)
series = [
    {"name": "twelve", "x": 3 + recalling(rng, 12, 0), "known": 12},
    {"name": "alternating", "x": 2 + 0.1 * rng.normal(size=20) + np.tile([0.5, -0.5], 10), "known": 20},
    {"name": "forty that recall", "x": 5 + recalling(rng, 40, 0.6), "known": 40},
    {"name": "skewed", "x": np.exp(recalling(rng, 75, 0.3)), "known": 75},
    {"name": "half known", "x": 10 + recalling(rng, 90, 0.8), "known": 45},
    {"name": "long", "x": 2 + recalling(rng, 300, 0.95), "known": 300},
    {"name": "stalls", "x": 4 - 2 * (np.arange(160) % 8 == 7) + 0.1 * rng.normal(size=160), "known": 160},
]
cases = []
for i, s in enumerate(series):
    x, known = s["x"], s["known"]
    other = series[(i + 1) % len(series)]
    w = 0.5 + rng.random(len(x))
    e = mean_of(x, known)
    cases.append({
        "name": s["name"], "x": x.tolist(), "w": w.tolist(), "known": known,
        "half": half_of_short(x, 0.025), "memory": memory(x), "longRun": long_run_variance(x, w),
        "waves": waves(x, known).tolist(), "likely": e[3], "longest": e[4], "error": estimate(*e),
        "difference": estimate(*difference(e, mean_of(other["x"], other["known"]))),
        "noise": noise(x),
    })
items = []
for n, cost in [(4, 0), (7, 0.5), (8, 0.5), (30, 0.05)]:
    size = rng.uniform(0.01, 3, n)
    size[0] = 3.0
    time = cost + size / 2 * np.exp(0.2 * rng.normal(size=n))
    items.append({"size": size.tolist(), "time": time.tolist(), **spread(size, time)})
windows = []
for n, noise, fall in [(5, 0.001, 0), (9, 0.005, 0), (25, 0.03, 0), (39, 0.055, 0), (41, 0.06, 0), (60, 0.06, 0), (60, 0.02, 0.004), (30, 0.01, 0.012),
                       (30, 0.004, 0.02), (20, 0.002, 0.0245), (20, 0.002, 0.0255), (50, 0.03, -0.003), (60, 0.045, 0.001), (12, 0.02, 0)]:
    for floor in [0, 0.5]:
        rates = np.maximum(floor, 1.3 * np.exp(-fall * np.arange(n))) * (1 + noise * rng.normal(size=n))
        rates[: n // 4] *= 1.3 if floor else 1
        windows.append({"rates": rates.tolist(), "steady": steady(rates), "since": steady_since(rates)})
print(json.dumps({"series": cases, "items": items, "windows": windows, "ramps": [memory(np.arange(n, dtype=float)) for n in range(3, 64, 10)]}, separators=(",", ":")).replace('},{', '},\n{'))
