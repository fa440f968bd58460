#!/usr/bin/env python3
"""Sets hubbench beside Python's json module: a million file events through `hubbench analyze`, and through json.loads.

    testdata/bench/analyze.py bin/hubbench [PAIRS]

Both read the same lines, in turns, so that what drifts meets both. Printed are the ratios of wall time and of processor
time, and the most memory that hubbench took.
"""

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

FILES = 1_000_000
DECODE = "import json, sys\nfor line in open(sys.argv[1]): json.loads(line)"


def write_events(path):
    """Writes two phases of three disks, whose files differ by 3%."""
    rng = random.Random(1)
    speeds = {"A": 1.4e6, "B": 1.54e6, "C": 0.84e6}  # ns a file
    with open(path, "w") as out:
        for phase, op in (("WWW", "write"), ("RRR", "read")):
            at = dict.fromkeys(speeds, 1200)
            for seq in range(FILES // 6):
                for disk, mean in speeds.items():
                    start, at[disk] = at[disk], at[disk] + int(mean * rng.gauss(1, 0.03))
                    event = {"type": "file", "phase": phase, "disk": disk, "op": op, "seq": seq,
                             "bytes": 1_000_000, "start_ns": start, "end_ns": at[disk]}
                    out.write(json.dumps(event, separators=(",", ":")) + "\n")
        out.write('{"type":"end","status":"complete"}\n')


def used(command):
    """Returns the wall time and the processor time of a command, in seconds, and its memory in bytes."""
    began = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"{command[0]} failed: {status}")
    unit = 1 if sys.platform == "darwin" else 1024
    return time.monotonic() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit


def main():
    hubbench, pairs = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 7
    with tempfile.TemporaryDirectory() as folder:
        events = os.path.join(folder, "events.jsonl")
        write_events(events)
        walls, cpus, memory = [], [], 0
        for pair in range(pairs):
            turns = [[hubbench, "analyze", events, "--json"], [sys.executable, "-c", DECODE, events]]
            got = [used(turns[k]) for k in ((0, 1) if pair % 2 else (1, 0))]
            ours, theirs = got if pair % 2 else got[::-1]
            walls.append(ours[0] / theirs[0])
            cpus.append(ours[1] / theirs[1])
            memory = max(memory, ours[2])
    print(f"wall time {statistics.median(walls):.3f}, processor time {statistics.median(cpus):.3f} of Python's "
          f"(medians of {pairs} pairs); memory {memory / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
