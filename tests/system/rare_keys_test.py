#!/usr/bin/python3
"""Tests that keys which no shipped configuration sets have an effect: another value must change the run.

  rare_keys_test.py BUILD/dccvp
"""

import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from harness import PATIENCE

DCCVP = ""

# Configuration of two leaves and two spines. Every host of one leaf sends to every host of the other leaf, and later
# bursts meet at one port.
NETWORK = """\
duration: 1ms
topology: {kind: leaf_spine, leaves: 2, spines: 2, hosts_per_leaf: 4, host_link: {rate: 25Gbps, delay: 1us},
  fabric_link: {rate: 25Gbps, delay: 1us}}
host: {driver: none}
dscp: {10: {weight: 1}, 46: {weight: 4}}
traffic:
  - {kind: poisson, hosts: 0..7, load: 0.8, sizes: websearch, flows_per_host: 12, dscp: 10}
  - {kind: incast, senders: 1..6, receiver: 0, dscp: 46, start: 100us, bytes: 200KB}
  - {kind: flow, from: 7, to: 1, message: 2KB, bytes: 400KB, dscp: 10}
output: {plots: false}
"""
LOSS = "faults=[{kind: loss, probability: 0.01}]"
LOSSY = "switch.pfc.enabled=false"
NONE = "nic.congestion_control.algorithm=none"
SYMMETRIC = "routing.kind=symmetric"
STRICT = "switch.scheduler.kind=strict"

MARKED = "switch.ecn={enabled: true, kmin: 10KB, kmax: 10KB, pmax: 1}"
BRAID = "kind: braid, rack: 4, ways: 2"
BRAIDED = [LOSSY, NONE, STRICT, MARKED, "routing.kind=source"]

HERMES = "kind: hermes, sent: 1KB, rate: 1, interval: 10us, rtt_low: 15us, rtt_high: 20us"

ROUTING = "routing"
PORTS = "switch.discipline"
TRANSPORT = "nic.transport"
ALGORITHM = "nic.congestion_control"

# Each row: section, choice that the section needs, key, value, further overrides.
KEYS: list[tuple[str, str, str, str, list[str]]] = [
    (ROUTING, "kind: letflow", "flowlet_gap", "1us", []),
    (ROUTING, "kind: letflow, flowlet_gap: 1us", "flowlet_entries", "1", []),
    (ROUTING, "kind: conga", "dre_period", "1us", []),
    (ROUTING, "kind: conga", "dre_alpha", "0.9", []),
    (ROUTING, "kind: conga, flowlet_gap: 1us", "metric_bits", "8", []),
    (ROUTING, "kind: hermes", "failed_for", "1us", [LOSS]),
    (ROUTING, HERMES, "probe_interval", "20us", []),
    (ROUTING, "kind: conweave", "path_busy", "500us", []),
    (ROUTING, "kind: conweave", "message_priority", "0", [NONE]),
    (PORTS, "kind: preemptive_rate", "probing", "10", [LOSSY, NONE, SYMMETRIC, "nic.transport.kind=pdq"]),
    (TRANSPORT, BRAID, "g", "1", BRAIDED),
    (TRANSPORT, BRAID, "initial_window", "4KB", BRAIDED),
    (TRANSPORT, BRAID, "joined", "false", BRAIDED),
    (TRANSPORT, BRAID, "margin", "0.9", BRAIDED),
    (TRANSPORT, BRAID, "memory", "1us", BRAIDED),
    (TRANSPORT, BRAID, "move_share", "0.99", BRAIDED),
    (TRANSPORT, "kind: d3", "ask_again", "1us", [LOSSY, NONE, SYMMETRIC]),
    (TRANSPORT, "kind: expresspass", "target_loss", "0.9", [LOSSY, NONE]),
    (TRANSPORT, "kind: expresspass", "min_weight", "0.4", [LOSSY, NONE]),
    (TRANSPORT, "kind: expresspass, initial_weight: 0.05", "max_weight", "0.1", [LOSSY, NONE]),
    (TRANSPORT, "kind: expresspass", "weight_step", "0.9", [LOSSY, NONE]),
    (TRANSPORT, "kind: expresspass", "stop_after", "50us", [LOSSY, NONE]),
    (TRANSPORT, "kind: fastpass", "ask_again", "1us", [LOSSY, NONE]),
    (TRANSPORT, "kind: fcp", "ask_again", "1us", [LOSSY, NONE, SYMMETRIC]),
    (TRANSPORT, "kind: pdq", "ask_again", "1us", [LOSSY, NONE, SYMMETRIC]),
    (TRANSPORT, "kind: phost", "token_life", "100", [LOSSY, NONE]),
    (TRANSPORT, "kind: tcp, growth: cubic", "cubic_beta", "0.2", [LOSSY, NONE, LOSS]),
    (TRANSPORT, "kind: tcp", "duplicate_threshold", "90", [LOSSY, NONE, LOSS]),
    (TRANSPORT, "kind: tcp, min_timeout: 1us", "granularity", "1us", [LOSSY, NONE, LOSS]),
    (TRANSPORT, "kind: uec, congestion_control: rccc", "ahead", "0B", [LOSSY, NONE]),
    (TRANSPORT, "kind: uec, congestion_control: rccc", "pull_rate", "0.3", [LOSSY, NONE]),
    (ALGORITHM, "algorithm: dctcp, d2tcp_deadlines: true", "d2tcp_least", "1", ["traffic.1.deadline=5ms"]),
    (ALGORITHM, "algorithm: hull", "pace_time", "1us", []),
    (ALGORITHM, "algorithm: powertcp", "gamma", "0.1", []),
    (ALGORITHM, "algorithm: powertcp", "additive_increase", "5Gbps", []),
    (ALGORITHM, "algorithm: powertcp, variant: delay", "base_factor", "3", []),
    (ALGORITHM, "algorithm: powertcp", "least_current", "1", []),
    (ALGORITHM, "algorithm: qcn", "sample_bytes", "5KB", []),
    (ALGORITHM, "algorithm: qcn", "min_decrease_factor", "0.99", []),
    (ALGORITHM, "algorithm: swift", "base_target", "5us", []),
    (ALGORITHM, "algorithm: swift", "scaling_range", "1us", []),
    (ALGORITHM, "algorithm: swift", "scaling_max", "1", []),
    (ALGORITHM, "algorithm: swift", "additive_increase", "20", []),
    (ALGORITHM, "algorithm: timely", "min_rtt", "5us", []),
    (ALGORITHM, "algorithm: timely, t_low: 3us, t_high: 1ms, min_rtt: 5us", "hai_after", "1", []),
    (ALGORITHM, "algorithm: timely, t_low: 3us, t_high: 1ms, min_rtt: 5us", "hai_factor", "50", []),
]

# YAML keys whose effect on the results shows only in a longer or larger run than this test makes. For these the test
# checks that the value reaches the effective configuration.
SLOW_KEYS: list[tuple[str, str, str, str, list[str]]] = [
    (ROUTING, "kind: lmc, move_period: 20us", "move_above", "0.001", []),
    (ROUTING, "kind: conga, flowlet_gap: 1us, metric_bits: 8", "metric_age", "1us", []),
    (ROUTING, HERMES, "rtt_low", "19us", []),
    (ROUTING, HERMES, "ecn_share", "0", []),
    (ROUTING, HERMES, "rtt_gain", "0us", []),
    (ROUTING, f"{HERMES}, rtt_gain: 0us, ecn_share: 0", "ecn_gain", "0", []),
    (TRANSPORT, "kind: pias, tune_every: 50us, tune_delay: 10us", "tune_flows", "20", [LOSSY, NONE, STRICT]),
    (TRANSPORT, "kind: tcp, growth: cubic", "cubic_c", "900", [LOSSY, NONE, LOSS]),
    (TRANSPORT, "kind: uec, congestion_control: nscc", "nscc.decrease_gain", "0.1", [LOSSY, NONE]),
]


class RareKeys(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="dccvp-keys-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "net.yaml").write_text(NETWORK)

    def flows(self, name, overrides):
        """The contents of flows.csv of a run."""
        arguments = [word for override in overrides for word in ("-c", override)]
        done = subprocess.run([DCCVP, "run", "net.yaml", "--quiet", "--threads", "1", "--out", name, *arguments],
                              cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE, check=False)
        self.assertEqual(done.returncode, 0, f"{overrides}: {done.stderr}")
        return (self.folder / name / "flows.csv").read_text()

    def test_each_changes_the_run(self):
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            base = {}
            changed = {}
            for number, (section, choice, key, value, more) in enumerate(KEYS):
                start = (f"{section}={{{choice}}}", *more)
                if start not in base:
                    base[start] = pool.submit(self.flows, f"base{number}", start)
                changed[number] = pool.submit(self.flows, f"run{number}", (*start, f"{section}.{key}={value}"))
            for number, (section, choice, key, value, more) in enumerate(KEYS):
                with self.subTest(section=section, choice=choice, key=key):
                    before = base[(f"{section}={{{choice}}}", *more)].result()
                    self.assertNotEqual(before, changed[number].result(), f"{key}={value} changes nothing")

    def test_each_value_arrives(self):
        for section, choice, key, value, more in SLOW_KEYS:
            overrides = (f"{section}={{{choice}}}", *more, f"{section}.{key}={value}")
            arguments = [word for override in overrides for word in ("-c", override)]
            with self.subTest(section=section, choice=choice, key=key):
                done = subprocess.run([DCCVP, "params", "net.yaml", "--format", "json", *arguments],
                                      cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                row, = (row for row in json.loads(done.stdout)
                        if row["path"] == f"{section}.{key}" and "value" in row and row["origin"] != "default")
                self.assertEqual(row["value"], value)


if __name__ == "__main__":
    DCCVP = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
