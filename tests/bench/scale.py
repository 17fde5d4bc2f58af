#!/usr/bin/python3
"""What a network of so many hosts costs: time to build, link traversals a second, memory.

  scale.py BUILD/dccvp [--hosts 320,1024,8192,65536] [--threads 1,2] [--algorithm dcqcn]

Fat trees of one link rate, everybody at line rate: a permutation of all hosts, and an incast of up to
1000 of them. Prints a table in Markdown. Processor time, not the clock's, so that a machine that
others use too gives figures as well; with several threads it is the clock's.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

TREES = {
    320: "pods: 5, racks_per_pod: 4, aggs_per_pod: 4, hosts_per_rack: 16, cores: 16",
    1024: "k: 16",
    8192: "k: 32",
    65536: "k: 64",
}
# So long that a permutation makes some two million link traversals.
MICROSECONDS = {"permutation": {320: 150, 1024: 50, 8192: 8, 65536: 2},
                "incast": {320: 1000, 1024: 1000, 8192: 1000, 65536: 300}}


def config(hosts, pattern, algorithm):
    traffic = {"permutation": f"{{kind: permutation, hosts: 0..{hosts - 1}, bytes: 1GB}}",
               "incast": f"{{kind: incast, senders: 1..{min(hosts, 1001) - 1}, receiver: 0, bytes: 1GB}}"}
    return f"""\
duration: {MICROSECONDS[pattern][hosts]}us
topology: {{kind: fat_tree, {TREES[hosts]}, fabric_link: {{rate: 100Gbps}}}}
nic: {{congestion_control: {{algorithm: {algorithm}}}}}
host: {{driver: none}}
traffic: [{traffic[pattern]}]
output: {{plots: false, series: {{interval: 1ms, flows: none, queues: none, classes: false}}}}
"""


def measure(dccvp, hosts, pattern, threads, algorithm):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "scale.yaml").write_text(config(hosts, pattern, algorithm))
        begin = time.monotonic()
        child = subprocess.Popen([dccvp, "run", "scale.yaml", "--out", "out", "--quiet", "--no-plots",
                                  "--threads", str(threads)], cwd=folder)
        _, status, usage = os.wait4(child.pid, 0)
        elapsed = time.monotonic() - begin
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            sys.exit(f"{hosts} hosts, {pattern}: exit status {child.returncode}")
        run = json.loads((folder / "out" / "metrics.json").read_text())
    busy = usage.ru_utime + usage.ru_stime
    share = min(1.0, busy / elapsed) if threads == 1 else 1.0  # of a processor that it had
    return {"around": (elapsed - run["wall_s"]) * share,
            "speed": run["link_traversals"] / (run["wall_s"] * share) / 1e6,
            "mb": usage.ru_maxrss / 1024}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("dccvp", type=pathlib.Path)
    parser.add_argument("--hosts", default="320,1024,8192,65536")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--algorithm", default="dcqcn")
    arguments = parser.parse_args()
    print("| hosts | traffic | threads | built and taken apart | M link traversals/s | memory | a host |")
    print("|---|---|---|---|---|---|---|")
    for hosts in map(int, arguments.hosts.split(",")):
        for pattern in MICROSECONDS:
            for threads in map(int, arguments.threads.split(",")):
                m = measure(arguments.dccvp.resolve(), hosts, pattern, threads, arguments.algorithm)
                print(f"| {hosts} | {pattern} | {threads} | {m['around']:.1f} s | {m['speed']:.2f} | "
                      f"{m['mb']:.0f} MB | {m['mb'] * 1024 / hosts:.0f} KB |", flush=True)


if __name__ == "__main__":
    main()
