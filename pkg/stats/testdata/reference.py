"""Makes reference.json: what independent implementations say of a few samples.

Run once, with Python 3.11, numpy 2.4.6 and scipy 1.17.1:

    python reference.py > reference.json

The Go tests hold pkg/stats to these figures to 1e-9.
"""
import json

import numpy as np
from scipy import stats

rng = np.random.default_rng(1989)


def autocorrelated(n, rho):
    x = [rng.normal()]
    for _ in range(n - 1):
        x.append(rho * x[-1] + rng.normal())
    return np.array(x)


samples = {
    "two": np.array([3.0, 1.0]),
    "seven": np.array([2.5, 2.4, 2.6, 2.5, 0.7, 2.45, 2.55]),
    "ties": rng.integers(0, 9, 60).astype(float),
    "normal": rng.normal(1.5e9, 0.05 * 1.5e9, 100),
    "two groups": np.concatenate([rng.normal(2.3e9, 1e8, 72), rng.normal(0.65e9, 5e7, 228)]),
    "skewed": rng.lognormal(0, 1, 333),
    "autocorrelated": autocorrelated(400, 0.7),
    "strongly autocorrelated": autocorrelated(150, 0.95) + 100,
}
cases = []
for name, y in samples.items():
    n = len(y)
    x = rng.integers(1, max(3, n // 2), n).astype(float)
    x[0], x[-1] = 0, 1e3  # never all equal
    line = stats.linregress(x, y)
    sen = stats.theilslopes(y, x)
    case = {
        "name": name, "x": x.tolist(), "y": y.tolist(),
        "mean": float(np.mean(y)), "median": float(np.median(y)), "trimmed20": float(stats.trim_mean(y, 0.2)),
        "sd": float(np.std(y, ddof=1)), "cv": float(stats.variation(y, ddof=1)),
        "p05": float(np.quantile(y, 0.05)), "p95": float(np.quantile(y, 0.95)),
        "ols": [float(line.intercept), float(line.slope)],
        "theilsen": [float(sen.intercept), float(sen.slope)],
        "ranks": stats.rankdata(y).tolist(), "spearman": float(stats.spearmanr(x, y).statistic),
        "jain": float(np.sum(y)) ** 2 / (n * float(np.sum(y * y))),
    }
    cases.append(case)
print(json.dumps(cases, indent=None, separators=(",", ":")).replace('},{', '},\n{'))
