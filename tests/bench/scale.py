#!/usr/bin/python3
"""What a network of so many hosts costs: time to build, link traversals a second, memory.

  scale.py BUILD/dccvp [--hosts 320,1024,8192,65536] [--patterns permutation,fbhadoop,incast]
           [--threads 1,2] [--algorithm dcqcn] [--page docs/scale.md]

Fat trees of one link rate: a permutation of all hosts and an incast of up to 1000 of them at line rate,
flows of FBHadoop's sizes at half load. Prints a table in Markdown; with --page it is the page. Processor
time, not the clock's, so that a machine that others use too gives figures as well; several threads go by
the clock, and are left out while others use the machine.
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
                "fbhadoop": {320: 300, 1024: 100, 8192: 16, 65536: 4},
                "incast": {320: 1000, 1024: 1000, 8192: 1000, 65536: 300}}
MOST_FLOWS = 4_000_000  # of a run
HEAD = """\
# What a large network costs

Made by `tests/bench/scale.py build/dccvp --page docs/scale.md` (`make scale`) on a machine with
{processors} processors{note}. Fat trees, 100 Gb/s everywhere, {algorithm}, an ACK a packet; some
microseconds of a *permutation* of all hosts at line rate, of flows of Hadoop sizes at half load
(*fbhadoop*), and of an *incast* of up to 1000 hosts. *Built and taken apart* is all of a run but its
simulation: reading, topology, routes, devices, results. A link traversal is a packet over a link.
"""


def config(hosts, pattern, algorithm):
    duration = MICROSECONDS[pattern][hosts]
    flows = min(1000, MOST_FLOWS // hosts)
    traffic = {"permutation": f"{{kind: permutation, hosts: 0..{hosts - 1}, bytes: 1GB}}",
               "fbhadoop": f"{{kind: poisson, load: 0.5, sizes: fbhadoop, flows_per_host: {flows}, "
                           f"stop: {duration}us}}",
               "incast": f"{{kind: incast, senders: 1..{min(hosts, 1001) - 1}, receiver: 0, bytes: 1GB}}"}
    return f"""\
duration: {duration}us
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


def row(hosts, pattern, threads, m):
    return (f"| {hosts} | {pattern} | {threads} | {m['around']:.1f} s | {m['speed']:.2f} | {m['mb']:.0f} MB | "
            f"{m['mb'] * 1024 / hosts:.0f} KB |")


def known(choices):
    """A type for arguments: words of a list, with commas between."""
    def words(text):
        found = text.split(",")
        for word in found:
            if word not in choices:
                raise argparse.ArgumentTypeError(f"'{word}' is none of {', '.join(choices)}")
        return found
    return words


def is_busy():
    """Do others want the processors, too? Then a clock says nothing about several threads."""
    return os.getloadavg()[0] > os.cpu_count() + 1


def page(lines, left_out, algorithm):
    note = ""
    if left_out:
        note = (" that others used, too: figures are of\nprocessor time, without the caches to itself, and rows of "
                "several threads, for which only the clock\ntells, are left out")
    return HEAD.format(processors=os.cpu_count(), note=note, algorithm=algorithm) + "\n" + "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("dccvp", type=pathlib.Path)
    parser.add_argument("--hosts", default=list(map(str, TREES)), type=known(list(map(str, TREES))))
    parser.add_argument("--patterns", default=list(MICROSECONDS), type=known(list(MICROSECONDS)))
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--algorithm", default="dcqcn")
    parser.add_argument("--page", type=pathlib.Path)
    arguments = parser.parse_args()
    lines = ["| hosts | traffic | threads | built and taken apart | M link traversals/s | memory | a host |",
             "|---|---|---|---|---|---|---|"]
    print("\n".join(lines))
    left_out = False
    for hosts in map(int, arguments.hosts):
        for pattern in arguments.patterns:
            for threads in map(int, arguments.threads.split(",")):
                if threads > 1 and is_busy():
                    left_out = True
                else:
                    m = measure(arguments.dccvp.resolve(), hosts, pattern, threads, arguments.algorithm)
                    lines.append(row(hosts, pattern, threads, m))
                    print(lines[-1], flush=True)
                if arguments.page is not None:  # as far as it has come
                    arguments.page.write_text(page(lines, left_out, arguments.algorithm))


if __name__ == "__main__":
    main()
