#!/usr/bin/python3
"""Measures the cost of networks by number of hosts: build time, link traversals per second, memory.

  scale.py BUILD/dccvp [--hosts 320,1024,8192,65536] [--patterns permutation,fbhadoop,incast]
           [--threads 1,2] [--rounds 3] [--algorithm dcqcn] [--page docs/scale.md]
  scale.py BUILD/dccvp --whole dcqcn,dcc [--hosts 8192,65536] [--threads 1] [--page docs/scale.md]
  scale.py BUILD/dccvp --idle dcqcn,dcc [--page docs/scale.md]
  scale.py BUILD/dccvp --schemes [--page docs/scale.md]
  scale.py BUILD/dccvp --flows 1000000,10000000 [--before OLD/dccvp] [--page docs/scale.md]

The networks are fat trees of one link rate. The traffic is a permutation of all hosts, an incast of up to 1000 hosts
at line rate, or flows of FBHadoop's sizes at half load. The tool prints a table in Markdown; with --page the table is
written to the page. Times of one thread are processor times, which other users of the machine disturb little. Times
of several threads are wall-clock times, and are not measured while others use the machine. Rounds with different
numbers of threads alternate, and the fastest round counts.

With --whole each listed algorithm runs until its last flow has completed. Each host sends sixteen flows of FBHadoop's
sizes at half load. The network without any traffic is run for comparison.

With --idle a network of a million hosts with a single flow is built, run and destroyed, for each listed algorithm.

With --flows the given number of flows of one or two packets is run among 320 hosts. --before runs the same with
another build, for the numbers of flows that this build supports. With --schemes every scheme of
configs/reproduce/survey_table carries its flows of FBHadoop's sizes over the survey's tree of 320 hosts.

On the page the result of each option replaces its previous result.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

import yaml

CONFIGS = pathlib.Path(__file__).resolve().parents[2] / "configs"
TREES = {
    320: "pods: 5, racks_per_pod: 4, aggs_per_pod: 4, hosts_per_rack: 16, cores: 16",
    1024: "k: 16",
    8192: "k: 32",
    65536: "k: 64",
}
# Simulated time of a run in microseconds: long enough that first-touch page faults and the first actions of the hosts
# are a small part of the run.
MICROSECONDS = {"permutation": {320: 600, 1024: 200, 8192: 32, 65536: 8},
                "fbhadoop": {320: 1200, 1024: 400, 8192: 64, 65536: 24},
                "incast": {320: 1000, 1024: 1000, 8192: 1000, 65536: 300}}
# metrics: shares of the time that threads spend waiting, alone and on platform events
SHARES = ("waiting_share", "alone_share", "platform_share")
MOST_FLOWS = 50_000_000  # greatest number of flows in a run
WHOLE_FLOWS = 16  # flows per host with --whole
WHOLE_BEGIN = "## To the end of the last flow"
WHOLE_HEAD = """\
{begin}

`… --whole {algorithms}`, {processors} processors, processor time: the same fat trees; {flows} flows of Hadoop sizes a
host at half load, packets of 4096 bytes and an ACK a message of 64 KiB, on one thread, until every byte is
acknowledged. *Idle* is the same network without traffic.

| hosts | flows | algorithm | set up and torn down | simulated | link traversals | M a second \
| memory | a host, idle | a flow |
|---|---|---|---|---|---|---|---|---|---|
"""
SCHEMES_BEGIN = "## Scheme by scheme"
SCHEMES_COLUMN, SCHEMES_FLOWS = "FBHadoop", 50
SCHEMES_HEAD = """\
{begin}

`… --schemes --rounds {runs}`, {processors} processors at a load of {load:.0f}: FBHadoop of
`dccvp reproduce survey_table` with {flows} flows a host, one thread, processor time of the whole run. *Part* is of the
speed of {first} in a run just before.

|scheme|M link traversals/s|part|
|---|---|---|
"""
IDLE_BEGIN = "## A million hosts, idle"
IDLE_TREE = ("pods: 64, racks_per_pod: 64, aggs_per_pod: 16, hosts_per_rack: 256, cores: 64", 64 * 64 * 256)
IDLE_HEAD = """\
{begin}

`… --idle {algorithms}`, {processors} processors at a load of {load:.0f}: {hosts} hosts, one flow of 1 KB. Seconds are
processor time, and in brackets the clock, of the whole run: built, brought up, results written, torn down.

| algorithm | whole run | simulated | memory | a host |
|---|---|---|---|---|
"""
MANY_BEGIN = "## Many flows"
MANY_HOSTS = 320
MANY_HEAD = """\
{begin}

`… --flows {flows}`, {processors} processors, processor time: the fat tree of {hosts} hosts, dcqcn, on one thread:
flows of 1 to 8000 bytes at 15 % of the hosts' links, to the end of the last. *A flow* is the memory above the
network without traffic, by the number of flows; most of it is the line that the results keep of each.

| flows | set up and torn down | simulated | link traversals | M a second | memory | a flow |
|---|---|---|---|---|---|---|
"""
HEAD = """\
# Measured figures

After this page you know what a network of your size costs in time and memory. Scripts write this page.

`tests/bench/scale.py build/dccvp --page docs/scale.md` (`make scale`), {processors} processors{note}: fat trees,
100 Gb/s everywhere, {algorithm}, an ACK a packet; some microseconds of a *permutation* of all hosts at line rate, of
flows of Hadoop sizes at half load (*fbhadoop*), and of an *incast* of up to 1000 hosts. *Set up and torn down* is all
of a run but its simulation. A link traversal is one packet over one link. With two threads, one waits for the other
(*waiting*), or runs everything, because the run tries that or found it faster (*alone*), or both wait for the run's own
events, such as starts of flows (*platform*).
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


def idle_config(shape, algorithm):
    """Configuration of a network of this shape with one short flow, so that practically all hosts are idle."""
    return f"""\
duration: 10us
topology: {{kind: fat_tree, {shape}, fabric_link: {{rate: 100Gbps}}}}
nic: {{mtu: 4096B, ack: per_message, congestion_control: {{algorithm: {algorithm}}}}}
host: {{driver: none}}
traffic: [{{kind: flow, from: 0, to: 1, bytes: 1KB}}]
output: {{plots: false, series: {{interval: 100ms, flows: none, queues: none, classes: false}}}}
"""


def whole_config(hosts, algorithm, flows):
    """Configuration of a run that ends with its last flow: `flows` flows per host, or with 0 a single flow, so that
    the network is practically idle."""
    traffic = (f"{{kind: poisson, load: 0.5, sizes: fbhadoop, flows_per_host: {flows}}}" if flows else
               "{kind: flow, from: 0, to: 1, bytes: 1KB}")
    return f"""\
duration: 1s
topology: {{kind: fat_tree, {TREES[hosts]}, fabric_link: {{rate: 100Gbps}}}}
nic: {{mtu: 4096B, ack: per_message, congestion_control: {{algorithm: {algorithm}}}}}
host: {{driver: none}}
traffic: [{traffic}]
output: {{plots: false, series: {{interval: 100ms, flows: none, queues: none, classes: false}}}}
"""


def many_config(flows):
    """Configuration with `flows` flows of one or two packets each; 0 stands for a single flow, so that the network
    is practically idle."""
    traffic = (f"{{kind: poisson, load: 0.15, sizes: small.cdf, flows_per_host: {flows // MANY_HOSTS}}}" if flows
               else "{kind: flow, from: 0, to: 1, bytes: 1KB}")
    return f"""\
duration: 10s
topology: {{kind: fat_tree, {TREES[MANY_HOSTS]}, fabric_link: {{rate: 100Gbps}}}}
nic: {{mtu: 4096B, ack: per_message, congestion_control: {{algorithm: dcqcn}}}}
host: {{driver: none}}
traffic: [{traffic}]
output: {{plots: false, series: {{interval: 100ms, flows: none, queues: none, classes: false}}}}
"""


def measure(dccvp, hosts, threads, text):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "small.cdf").write_text("1 0\n8000 100\n")
        (folder / "scale.yaml").write_text(text)
        begin = time.monotonic()
        child = subprocess.Popen([dccvp, "run", "scale.yaml", "--out", "out", "--quiet", "--no-plots",
                                  "--threads", str(threads)], cwd=folder)
        _, status, usage = os.wait4(child.pid, 0)
        elapsed = time.monotonic() - begin
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            sys.exit(f"{hosts} hosts: exit status {child.returncode} of\n{text}")
        run = json.loads((folder / "out" / "metrics.json").read_text())
        with open(folder / "out" / "flows.csv", encoding="utf-8") as flows:
            place = next(flows).rstrip("\n").split(",").index("completed")
            unfinished = sum(line.rstrip("\n").split(",")[place] != "true" for line in flows)
    busy = usage.ru_utime + usage.ru_stime
    # share of one processor that the operating system gave to the run
    share = min(1.0, busy / elapsed) if threads == 1 else 1.0
    return {**{share: run["speed"].get(share, 0.0) for share in SHARES},
            "around": (elapsed - run["wall_s"]) * share,
            "simulated": run["wall_s"] * share,
            "traversals": run["link_traversals"],
            "unfinished": unfinished,
            "sim_ms": run["sim_time_s"] * 1e3,
            "speed": run["link_traversals"] / (run["wall_s"] * share) / 1e6,
            "mb": usage.ru_maxrss / 1024}


def row(hosts, pattern, fastest):
    """One row of the table: the speed for each number of threads, and all other figures from the run with the
    fewest threads."""
    m = fastest[min(fastest)]
    speeds = ", ".join(f"{fastest[t]['speed']:.2f}" for t in sorted(fastest))
    most = fastest[max(fastest)]
    shares = ", ".join(f"{most[share]:.0%}" for share in SHARES) if max(fastest) > 1 else ""
    gain = most["speed"] / m["speed"]
    return (f"|{hosts}|{pattern}|{speeds}|{gain:.2f}|{shares}|{m['around']:.1f} s|{m['mb']:.0f} MB"
            f"|{m['mb'] * 1024 / hosts:.0f} KB|")


def whole_row(dccvp, hosts, threads, algorithm):
    idle = measure(dccvp, hosts, threads, whole_config(hosts, algorithm, 0))
    m = measure(dccvp, hosts, threads, whole_config(hosts, algorithm, WHOLE_FLOWS))
    if m["unfinished"]:
        sys.exit(f"{hosts} hosts, {algorithm}: {m['unfinished']} flows did not end")
    flows = hosts * WHOLE_FLOWS
    return (f"| {hosts} | {flows} | {algorithm} | {m['around']:.0f} s | {m['simulated']:.0f} s "
            f"({m['sim_ms']:.1f} ms) | {m['traversals'] / 1e6:.0f} M | {m['speed']:.2f} | {m['mb']:.0f} MB | "
            f"{idle['mb'] * 1024 / hosts:.1f} KB | {(m['mb'] - idle['mb']) * 1024 / flows:.1f} KB |")


def put(page, begin, text):
    """Replaces the section of the page that begins with the line `begin`, or appends the section."""
    parts = ("\n" + page.read_text() if page.exists() else "").split("\n## ")
    parts = [parts[0].strip("\n"), *("## " + part.strip("\n") for part in parts[1:])]
    heads = [part.split("\n", 1)[0] for part in parts]
    place = heads.index(begin) if begin in heads else 0 if begin.startswith("# ") else len(parts)
    parts[place:place + 1] = [text.strip("\n")]
    page.write_text("\n\n".join(part for part in parts if part) + "\n")


def many_row(name, m, idle, flows):
    return (f"| {name} | {m['around']:.0f} s | {m['simulated']:.0f} s ({m['sim_ms']:.1f} ms) | "
            f"{m['traversals'] / 1e6:.0f} M | {m['speed']:.2f} | {m['mb']:.0f} MB | "
            f"{(m['mb'] - idle['mb']) * 2**20 / flows:.0f} B |")


def many(arguments):
    """Prints the table of runs with millions of flows."""
    head = MANY_HEAD.format(begin=MANY_BEGIN, flows=",".join(arguments.flows), processors=os.cpu_count(),
                            hosts=MANY_HOSTS)
    print(head, end="")
    lines = []
    builds = [("", arguments.dccvp)] + ([(" (before)", arguments.before)] if arguments.before else [])
    for name, dccvp in builds:
        idle = measure(dccvp.resolve(), MANY_HOSTS, 1, many_config(0))
        for flows in map(int, arguments.flows):
            if name and flows > 4_000_000:  # the older program refuses more than 4 million flows
                continue
            m = measure(dccvp.resolve(), MANY_HOSTS, 1, many_config(flows))
            if m["unfinished"]:
                sys.exit(f"{flows} flows: {m['unfinished']} did not end")
            lines.append(many_row(f"{flows}{name}", m, idle, flows))
            print(lines[-1], flush=True)
            if arguments.page is not None:
                put(arguments.page, MANY_BEGIN, head + "\n".join(lines))


def whole(arguments):
    head = WHOLE_HEAD.format(begin=WHOLE_BEGIN, algorithms=",".join(arguments.whole),
                             processors=os.cpu_count(), flows=WHOLE_FLOWS)
    print(head, end="")
    lines = []
    for hosts in map(int, arguments.hosts):
        for algorithm in arguments.whole:
            lines.append(whole_row(arguments.dccvp.resolve(), hosts, int(arguments.threads.split(",")[0]),
                                   algorithm))
            print(lines[-1], flush=True)
    if arguments.page is not None:
        put(arguments.page, WHOLE_BEGIN, head + "\n".join(lines))


def idle(arguments):
    """Prints the table of very large networks without traffic."""
    shape, hosts = IDLE_TREE
    head = IDLE_HEAD.format(begin=IDLE_BEGIN, algorithms=",".join(arguments.idle), processors=os.cpu_count(),
                            load=os.getloadavg()[1], hosts=hosts)
    print(head, end="")
    lines = []
    for algorithm in arguments.idle:
        begin = os.times()
        m = measure(arguments.dccvp.resolve(), hosts, 1, idle_config(shape, algorithm))
        end = os.times()
        busy = (end.children_user + end.children_system) - (begin.children_user + begin.children_system)
        lines.append(f"| {algorithm} | {busy:.0f} s ({end.elapsed - begin.elapsed:.0f} s) | {m['simulated']:.0f} s | "
                     f"{m['mb']:.0f} MB | {m['mb'] * 1024 / hosts:.1f} KB |")
        print(lines[-1], flush=True)
    if arguments.page is not None:
        put(arguments.page, IDLE_BEGIN, head + "\n".join(lines))


def speed_of(arguments, sets):
    """Speed of a run of survey_table.yaml with changed settings, in million link traversals per second of processor
    time."""
    with tempfile.TemporaryDirectory() as name:
        child = subprocess.Popen([arguments.dccvp.resolve(), "run", CONFIGS / "reproduce/survey_table.yaml",
                                  "--out", f"{name}/out", "--quiet", "--threads", "1",
                                  *(word for one in sets for word in ("-c", one))])
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            sys.exit(f"{sets}: exit status {child.returncode}")
        traversals = json.loads(pathlib.Path(name, "out/metrics.json").read_text())["link_traversals"]
    return traversals / (usage.ru_utime + usage.ru_stime) / 1e6


def schemes(arguments):
    plan = yaml.safe_load((CONFIGS / "reproduce/survey_table.figures.yml").read_text())
    column = next(one for one in plan["columns"] if one["column"] == SCHEMES_COLUMN)
    flows = [re.sub(r"flows_per_host: \d+", f"flows_per_host: {SCHEMES_FLOWS}", one) for one in column["set"]]
    first = plan["rows"][0]
    head = SCHEMES_HEAD.format(begin=SCHEMES_BEGIN, runs=arguments.rounds, load=os.getloadavg()[1], first=first["row"],
                               flows=SCHEMES_FLOWS, processors=os.cpu_count())
    print(head, end="")
    lines = []
    for scheme in plan["rows"]:
        pairs = [(speed_of(arguments, flows + first["set"]), speed_of(arguments, flows + scheme["set"]))
                 for _ in range(arguments.rounds)]
        part = statistics.median(own / of_first for of_first, own in pairs)
        lines.append(f"|{scheme['row']}|{max(own for _, own in pairs):.1f}|{part:.2f}|")
        print(lines[-1], flush=True)
    if arguments.page is not None:
        put(arguments.page, SCHEMES_BEGIN, head + "\n".join(lines))


def known(choices):
    """Argument type for argparse: a comma-separated list of known words."""
    def words(text):
        found = text.split(",")
        for word in found:
            if word not in choices:
                raise argparse.ArgumentTypeError(f"'{word}' is none of {', '.join(choices)}")
        return found
    return words


def is_busy():
    """True if other processes load the machine, so that wall-clock time does not measure several threads."""
    return os.getloadavg()[0] > os.cpu_count() + 1


def page(lines, left_out, algorithm):
    note = ""
    if left_out:
        note = (" that others used, too: figures are of\nprocessor time, without the caches to itself, and rows of "
                "several threads, for which only the clock\ntells, are left out")
    return HEAD.format(processors=os.cpu_count(), note=note, algorithm=algorithm) + "\n" + "\n".join(lines) + "\n"


def in_turn(arguments, hosts, pattern):
    """Returns the fastest round for each number of threads, and whether a round was skipped because the machine was
    busy."""
    fastest = {}
    left_out = False
    for _ in range(arguments.rounds):
        for threads in map(int, arguments.threads.split(",")):
            if threads > 1 and is_busy():
                left_out = True
                continue
            m = measure(arguments.dccvp.resolve(), hosts, threads, config(hosts, pattern, arguments.algorithm))
            if threads not in fastest or m["speed"] > fastest[threads]["speed"]:
                fastest[threads] = m
    return fastest, left_out and any(int(t) not in fastest for t in arguments.threads.split(","))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("dccvp", type=pathlib.Path)
    parser.add_argument("--hosts", default=list(map(str, TREES)), type=known(list(map(str, TREES))))
    parser.add_argument("--patterns", default=list(MICROSECONDS), type=known(list(MICROSECONDS)))
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--algorithm", default="dcqcn")
    parser.add_argument("--whole", type=lambda text: text.split(","), metavar="ALGORITHMS")
    parser.add_argument("--flows", type=lambda text: text.split(","), metavar="NUMBERS")
    parser.add_argument("--idle", type=lambda text: text.split(","), metavar="ALGORITHMS")
    parser.add_argument("--before", type=pathlib.Path)
    parser.add_argument("--page", type=pathlib.Path)
    parser.add_argument("--schemes", action="store_true")
    arguments = parser.parse_args()
    if arguments.schemes:
        schemes(arguments)
        return
    if arguments.whole:
        whole(arguments)
        return
    if arguments.idle:
        idle(arguments)
        return
    if arguments.flows:
        many(arguments)
        return
    lines = [f"|hosts|traffic|M link traversals/s, threads {arguments.threads}|gain|waiting, alone, platform"
             "|set up and torn down|memory|a host|", "|---|---|---|---|---|---|---|---|"]
    print("\n".join(lines))
    left_out = False
    for hosts in map(int, arguments.hosts):
        for pattern in arguments.patterns:
            fastest, busy = in_turn(arguments, hosts, pattern)
            left_out = left_out or busy
            if fastest:
                lines.append(row(hosts, pattern, fastest))
                print(lines[-1], flush=True)
            if arguments.page is not None:  # writes the finished rows, so that an interrupted bench keeps them
                put(arguments.page, HEAD.split("\n", 1)[0], page(lines, left_out, arguments.algorithm))


if __name__ == "__main__":
    main()
