#!/usr/bin/python3
"""Tests keys of `traffic:` whose effect only a whole run shows.

  traffic_test.py BUILD/dccvp
"""

import csv
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import unittest
from random import Random

from harness import PATIENCE

DCCVP = ""

STAGGERED = """\
duration: 2ms
topology: {kind: star, hosts: 4, link: {rate: 25Gbps}}
nic: {congestion_control: {algorithm: dctcp}}
host: {driver: none}
traffic:
  - {kind: incast, senders: 1..3, receiver: 0, start: 100us, stagger: 200us,
     stop: 1ms, stop_stagger: 300us}
output: {series: {interval: 20us}}
"""

# Configuration of a single flow from h0 to h1 over 1 to 4 switches. Two of the switches are connected by two cables
# of equal length in hops and different rates. A hash chooses the cable for the flow, and another hash for its ACKs.
ALONE = """\
duration: 1s
seed: SEED
topology:
  kind: custom
  nodes: [NODES]
  links: [LINKS]
nic: {mtu: MTUB, ack: ACK, recovery: {timeout: 900ms}, congestion_control: {algorithm: none}}
switch: {buffer: 1GiB, ecn: {enabled: false}, pfc: {enabled: false}}
host: {driver: none}
traffic: [{kind: flow, from: 0, to: 1, bytes: BYTESB, message: MESSAGEB, start: 3us RATE}]
"""

# Configuration of an all-reduce of 1 MB over a tree, in several rounds.
TREE = """\
duration: 1s
topology: {kind: star, hosts: RANKS, link: {rate: 100Gbps, delay: 1us}}
nic: {mtu: 4096B, congestion_control: {algorithm: dctcp}}
host: {driver: none}
traffic: [{kind: collective, shape: tree_all_reduce, bytes: 1MB, rounds: 12, think: THINK}]
fast_forward: {memo: MEMO}
output: {series: {flows: none, queues: none, classes: false}}
"""


def chain(random):
    """A configuration with a single flow over a chain of switches."""
    switches = random.randint(1, 4)
    nodes = ["{name: h0, kind: host}", "{name: h1, kind: host}"]
    nodes += [f"{{name: s{i}, kind: switch}}" for i in range(switches)]

    def cable(a, b):
        return (f"{{from: {a}, to: {b}, rate: {random.randint(1, 4000) * 100_003}kbps, "
                f"delay: {random.randint(0, 5000)}ns}}")

    links = [cable("h0", "s0"), cable("h1", f"s{switches - 1}")]
    for i in range(switches - 1):
        links += [cable(f"s{i}", f"s{i + 1}") for _ in range(2)]
    message = random.choice([1, 999, 1001, 4096, 65536, 300_000])
    return (ALONE.replace("SEED", str(random.randint(1, 9))).replace("NODES", ", ".join(nodes))
            .replace("LINKS", ", ".join(links)).replace("MTU", str(random.randint(256, 4096)))
            .replace("ACK", random.choice(["per_packet", "per_message", "none"]))
            .replace("BYTES", str(random.randint(1, 500 * message if message < 999 else 10**6)))
            .replace("MESSAGE", str(message))
            .replace("RATE", random.choice(["", ", rate: 77Mbps"])))


class Staggered(unittest.TestCase):
    def test_flows_start_and_stop_one_after_the_other(self):
        with tempfile.TemporaryDirectory(prefix="dccvp-traffic-") as folder:
            config = pathlib.Path(folder) / "staggered.yaml"
            config.write_text(STAGGERED)
            out = pathlib.Path(folder) / "out"
            subprocess.run([DCCVP, "run", str(config), "--out", str(out), "--no-plots", "--quiet"],
                           check=True, timeout=PATIENCE)
            active = {0: [], 1: [], 2: []}
            with open(out / "series/flow_rates.csv", newline="") as file:
                for row in csv.DictReader(file):
                    if float(row["goodput_gbps"]) > 0:
                        active[int(row["flow"])].append(float(row["t_s"]) * 1e6)
        for flow, times in active.items():
            # Data that was posted before the stop is still sent. A message of 64 KiB takes 65 us at a third of the
            # link rate.
            self.assertAlmostEqual(min(times), 110 + 200 * flow, delta=25, msg=f"flow {flow}")
            self.assertGreaterEqual(max(times), 1000 + 300 * flow - 20, msg=f"flow {flow}")
            self.assertLessEqual(max(times), 1000 + 300 * flow + 120, msg=f"flow {flow}")


EVERYONE = """\
duration: 1ms
topology: {kind: star, hosts: 4, link: {rate: 25Gbps}}
nic: {congestion_control: {algorithm: none}}
host: {driver: none}
traffic:
  - {ENTRY}
"""


class Everyone(unittest.TestCase):
    def pairs(self, entry):
        """The pairs of sender and receiver in an entry of `traffic`."""
        with tempfile.TemporaryDirectory(prefix="dccvp-traffic-") as folder:
            config = pathlib.Path(folder) / "everyone.yaml"
            config.write_text(EVERYONE.replace("ENTRY", entry))
            out = pathlib.Path(folder) / "out"
            done = subprocess.run([DCCVP, "run", str(config), "--out", str(out), "--no-plots",
                                   "--quiet"], capture_output=True, text=True, timeout=PATIENCE,
                                  check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            with open(out / "flows.csv", newline="") as file:
                return [(int(row["from"]), int(row["to"])) for row in csv.DictReader(file)]

    def test_all_hosts_take_part_where_none_is_named(self):
        others = [(1, 2), (0, 2), (3, 2)]
        for said in ("", ", senders: all"):
            pairs = self.pairs(f"kind: incast, receiver: 2, bytes: 1KB{said}")
            self.assertEqual(sorted(pairs), sorted(others))
            pairs = self.pairs("kind: partition_aggregate, receiver: 2, rounds: 2, period: 10us, "
                               f"bytes: 1KB{said}")
            self.assertEqual(sorted(pairs), sorted(2 * others))
        for said in ("", ", receivers: all"):
            pairs = self.pairs(f"kind: one_to_many, sender: 2, bytes: 1KB{said}")
            self.assertEqual(sorted(pairs), sorted((to, sender) for sender, to in others))
        for said in ("", ", hosts: all"):
            pairs = self.pairs(f"kind: all_to_all, bytes: 1KB{said}")
            self.assertEqual(len(set(pairs)), 12)
            pairs = self.pairs(f"kind: permutation, bytes: 1KB{said}")
            self.assertEqual([sorted(ends) for ends in zip(*pairs)], [[0, 1, 2, 3]] * 2)
            pairs = self.pairs(f"kind: poisson, flows_per_host: 5{said}")
            self.assertEqual(sorted(sender for sender, _ in pairs), sorted(5 * [0, 1, 2, 3]))

    def test_what_cannot_be_expanded_is_refused_at_its_place(self):
        with tempfile.TemporaryDirectory(prefix="dccvp-traffic-") as folder:
            config = pathlib.Path(folder) / "twice.yaml"
            config.write_text(EVERYONE.replace(
                "ENTRY", "kind: flow, from: 1, to: 0, flows: 2, start: 9000000s, stagger: 4000000s"))
            for command in ("check", "run"):
                done = subprocess.run([DCCVP, command, str(config)], capture_output=True, text=True,
                                      timeout=PATIENCE, check=False, cwd=folder)
                self.assertEqual(done.returncode, 2)
                self.assertEqual(done.stderr, f"dccvp: {config}:6:5: traffic.0: starts or stops "
                                              "after the end of time, 106 days\n")


class Alone(unittest.TestCase):
    def test_more_flows_than_fit_are_refused_before_the_platform_is_built(self):
        """A million flows at the same time exceed 1.5 GB of memory. `run` reports this before it builds the
        platform, as `check` does."""
        text = ("duration: 1ms\ntopology: {kind: leaf_spine, leaves: 32, hosts_per_leaf: 32, spines: 2}\n"
                "host: {driver: none}\ntraffic: [{kind: all_to_all, bytes: 1KB}]\n")
        space = 1_500_000_000
        with tempfile.TemporaryDirectory(prefix="dccvp-traffic-") as folder:
            path = pathlib.Path(folder) / "many.yaml"
            path.write_text(text, encoding="utf-8")
            for command in (["check"], ["run", "--out", f"{folder}/out", "--no-plots", "--quiet"]):
                with self.subTest(command=command[0]), subprocess.Popen(
                        [DCCVP, *command, str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (space, space))) as child:
                    said = child.stderr.read()
                    _, status, used = os.wait4(child.pid, 0)
                    child.returncode = os.waitstatus_to_exitcode(status)
                    self.assertEqual(child.returncode, 2, said)
                    self.assertRegex(said, r"many\.yaml:4:11: traffic\.0: \d+ flows that start at nearly the same time")
                    self.assertLess(used.ru_maxrss / 1024, 200, "a platform with the first flows takes more")

    def test_a_flow_alone_takes_its_ideal_time_to_the_picosecond(self):
        """The ideal completion time must hold for any links, MTU, message size, ACK settings and application rate."""
        random = Random(20)
        for number in range(25):
            text = chain(random)
            with self.subTest(config=text), tempfile.TemporaryDirectory() as folder:
                config = pathlib.Path(folder) / "alone.yaml"
                config.write_text(text)
                out = pathlib.Path(folder) / "out"
                subprocess.run([DCCVP, "run", str(config), "--out", str(out), "--no-plots",
                                "--quiet"], check=True, timeout=PATIENCE)
                with open(out / "flows.csv", newline="") as file:
                    flow = next(csv.DictReader(file))
                self.assertEqual(flow["completed"], "true")
                self.assertEqual(flow["fct_rx_s" if "ack: none" in text else "fct_s"],
                                 flow["ideal_s"])
                self.assertEqual(float(flow["slowdown"]), 1)


class Trees(unittest.TestCase):
    def run_tree(self, ranks, think, memo):
        """Runs a tree configuration. Returns (number of bursts taken from memory, contents of flows.csv)."""
        text = TREE.replace("RANKS", str(ranks)).replace("THINK", think).replace("MEMO", memo)
        with tempfile.TemporaryDirectory() as folder:
            config = pathlib.Path(folder) / "tree.yaml"
            config.write_text(text)
            out = pathlib.Path(folder) / "out"
            subprocess.run([DCCVP, "run", str(config), "--out", str(out), "--no-plots", "--quiet"],
                           check=True, timeout=PATIENCE)
            figures = json.loads((out / "metrics.json").read_text())
            return (figures.get("memo") or {}).get("hits"), (out / "flows.csv").read_text()

    def test_rounds_come_from_memory_where_a_tree_rests_between_them(self):
        """A leaf above the lowest level has its data one hop earlier.

        It begins the next round `think` later, and the network must be at rest by then.

        1 MB takes the link 80 us, twice as long where a rank sends to two leaves of the lowest
        level. Headers add less than 3 %; propagation, switch and ACK add less than 10 us. With 15
        ranks all leaves are on one level.
        """
        # The first round begins at its configured time, the second is noted, the third is remembered, the fourth is
        # checked.
        for ranks, think, expected in ((15, "20us", 8), (16, "80us", 0), (16, "93us", 8),
                                       (17, "160us", 0), (17, "175us", 8), (32, "93us", 8)):
            with self.subTest(ranks=ranks, think=think):
                hits, flows = self.run_tree(ranks, think, "true")
                self.assertEqual(hits, expected)
                self.assertEqual(flows, self.run_tree(ranks, think, "false")[1])


if __name__ == "__main__":
    DCCVP = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main(verbosity=2)
