#!/usr/bin/python3
"""Tests hosts with several ports: the choice of a port for each flow, the traffic of each port, and the failure of a
port.

  ports_test.py BUILD/dccvp
"""

import collections
import csv
import pathlib
import subprocess
import sys
import tempfile
import unittest

from harness import PATIENCE, figures

DCCVP = ""
# Payload share of a link's rate: 1000 bytes in a frame of 1062 bytes with 20 bytes of preamble and gap.
PAYLOAD = 1000 / 1082

DUAL_TOR = """\
duration: 2ms
measure: {from: 500us}
topology:
  kind: custom
  nodes: [{name: a}, {name: b}, {name: t0, kind: switch}, {name: t1, kind: switch}]
  links:
    - {from: a, to: t0, rate: 100Gbps}
    - {from: a, to: t1, rate: 100Gbps}
    - {from: b, to: t0, rate: 100Gbps}
    - {from: b, to: t1, rate: 100Gbps}
host: {driver: none}
output: {plots: false}
"""

GPUS = """\
duration: 1ms
topology:
  kind: custom
  nodes: [{name: g0}, {name: g1}, {name: far}, {name: nvs, kind: switch}, {name: leaf, kind: switch}]
  links:
    - {from: g0, to: nvs, rate: 2400Gbps, delay: 25ns}
    - {from: g1, to: nvs, rate: 2400Gbps, delay: 25ns}
    - {from: g0, to: leaf, rate: 400Gbps, delay: 500ns}
    - {from: g1, to: leaf, rate: 400Gbps, delay: 500ns}
    - {from: far, to: leaf, rate: 400Gbps, delay: 500ns}
host: {driver: none}
output: {plots: false}
"""

TREE = """\
topology:
  kind: leaf_spine
  leaves: 3
  hosts_per_leaf: 3
  spines: 2
  host_link: {rate: 100Gbps, delay: 1us}
  fabric_link: {rate: 400Gbps, delay: 1us}
host: {driver: none}
output: {plots: false}
"""


class Run:
    def __init__(self, folder, text, *overrides, threads=1, seed=1):
        config, out = pathlib.Path(folder) / "t.yaml", pathlib.Path(folder) / "out"
        config.write_text(text)
        command = [DCCVP, "run", str(config), "--out", str(out), "--force", "--quiet", "--threads", str(threads),
                   "--seed", str(seed)]
        for override in overrides:
            command += ["-c", override]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
        self.status, self.error = done.returncode, done.stderr
        if done.returncode != 0:
            return
        self.metrics = figures(out)
        self.table = (out / "flows.csv").read_text()
        self.flows = list(csv.DictReader(self.table.splitlines()))
        self.links = {link["name"]: link for link in self.metrics["links"]}

    def goodput(self, flow):
        return float(self.flows[flow]["goodput_gbps"])

    def by_port(self):
        """The flows of a run, grouped by their pairs of ports."""
        found = collections.defaultdict(list)
        for flow in self.flows:
            found[self.port(flow, "from"), self.port(flow, "to")].append(int(flow["id"]))
        return found

    def port(self, flow, end):
        """Name of the port at one end of a flow: the host's name, followed by a port number if the host has several
        ports."""
        host = flow.get(end + "_name", "h" + flow[end])
        several = any(link.startswith(host + ".0->") for link in self.links)
        return f"{host}.{flow[end + '_port']}" if several else host


class Ports(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="dccvp-ports-")
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name

    def run_it(self, *arguments, **more):
        run = Run(self.folder, *arguments, **more)
        self.assertEqual(run.status, 0, run.error)
        return run

    def refusal(self, text, *overrides):
        run = Run(self.folder, text, *overrides)
        self.assertEqual(run.status, 2, run.error)
        return run.error

    def test_one_flow_has_one_port(self):
        run = self.run_it(DUAL_TOR + "traffic: [{kind: flow, from: 0, to: 1}]\n")
        self.assertAlmostEqual(run.goodput(0), 100 * PAYLOAD, delta=1)
        self.assertEqual([run.flows[0][key] for key in ("from", "to")], ["0", "1"])
        (sender, receiver), = run.by_port()
        self.assertEqual((sender[:2], receiver[:2], sender[2]), ("a.", "b.", receiver[2]))
        idle = f"a.{1 - int(sender[2])}->t{1 - int(sender[2])}"
        self.assertEqual(run.links[idle]["tx_bytes"], 0)

    def test_flows_share_the_port_that_they_took(self):
        run = self.run_it(DUAL_TOR + "traffic: [{kind: flow, from: 0, to: 1, flows: 8}]\n")
        ports = run.by_port()
        self.assertEqual(set(ports), {("a.0", "b.0"), ("a.1", "b.1")}, "no way leads from one switch to the other")
        for flows in ports.values():
            self.assertAlmostEqual(sum(map(run.goodput, flows)), 100 * PAYLOAD, delta=1)
            for flow in flows:
                self.assertAlmostEqual(run.goodput(flow), 100 * PAYLOAD / len(flows), delta=0.1 * 100 / len(flows))
        self.assertAlmostEqual(run.metrics["aggregate"]["goodput_gbps"], 200 * PAYLOAD, delta=2)
        # The results give no expected share if flows cross several bottlenecks.
        self.assertIsNone(run.metrics["classes"][0]["expected_share"])

    def test_the_hash_is_fair_and_follows_the_seed(self):
        many = DUAL_TOR + "traffic: [{kind: flow, from: 0, to: 1, flows: 4000, bytes: 1KB}]\n"
        first = self.run_it(many)
        number = len(first.by_port()["a.0", "b.0"])
        # The number of heads of 4000 fair coins has mean 2000 and standard deviation 32.
        self.assertLess(abs(number - 2000), 4 * 32)
        self.assertEqual(self.run_it(many).table, first.table)
        other = self.run_it(many, seed=2)
        same = sum(a["from_port"] == b["from_port"] for a, b in zip(first.flows, other.flows))
        self.assertLess(abs(same - 2000), 4 * 32, "another seed is another hash")

    def test_gpus_use_their_own_switch_as_far_as_it_reaches(self):
        run = self.run_it(GPUS + "traffic: [{kind: flow, from: 0, to: 1}, {kind: flow, from: 1, to: 2}]\n")
        self.assertAlmostEqual(run.goodput(0), 2400 * PAYLOAD, delta=60)
        self.assertAlmostEqual(run.goodput(1), 400 * PAYLOAD, delta=10)
        self.assertEqual(set(run.by_port()), {("g0.0", "g1.0"), ("g1.1", "far")})

    def test_the_fastest_path_then_the_shortest(self):
        text = """\
duration: 200us
topology:
  kind: custom
  nodes: [{name: a}, {name: b}, {name: c}, {name: s, kind: switch}, {name: t, kind: switch}, {name: u, kind: switch}]
  links:
    - {from: a, to: s, rate: 100Gbps}
    - {from: a, to: t, rate: 100Gbps}
    - {from: b, to: s, rate: 100Gbps}
    - {from: s, to: t, rate: 100Gbps}
    - {from: t, to: u, rate: 200Gbps}
    - {from: a, to: u, rate: 200Gbps}
    - {from: c, to: t, rate: 200Gbps}
host: {driver: none}
output: {plots: false}
traffic: [{kind: flow, from: 0, to: 1, flows: 20}, {kind: flow, from: 0, to: 2, flows: 20}]
"""
        run = self.run_it(text)
        # Every path to host b ends with a link of 100 Gb/s, so the path of two links is chosen. To host c three links
        # of 200 Gb/s are preferred over two of 100 Gb/s.
        self.assertEqual(set(run.by_port()), {("a.0", "b"), ("a.2", "c")})

    def test_two_ports_carry_twice_as_much(self):
        traffic = "duration: 1ms\nmeasure: {from: 500us}\ntraffic: [{kind: flow, from: 0, to: 5, flows: 32}]\n"
        goodput = {}
        for ports in ("ports: 1", "ports: 2", "ports: 2, port_mode: dual_plane", "ports: 4, port_mode: dual_plane"):
            run = self.run_it(TREE + traffic + f"nic: {{{ports}}}\n")
            goodput[ports] = run.metrics["aggregate"]["goodput_gbps"]
            if "dual" in ports:
                self.assertTrue(all(flow["from_port"] == flow["to_port"] for flow in run.flows))
        self.assertAlmostEqual(goodput["ports: 1"], 100 * PAYLOAD, delta=2)
        self.assertAlmostEqual(goodput["ports: 2, port_mode: dual_plane"], 200 * PAYLOAD, delta=4)
        self.assertAlmostEqual(goodput["ports: 4, port_mode: dual_plane"], 400 * PAYLOAD, delta=8)
        # Hashes choose the ports at both ends of a bond, so flows from different sending ports may share a receiving
        # port.
        self.assertGreater(goodput["ports: 2"], 1.6 * 100 * PAYLOAD)
        self.assertLess(goodput["ports: 2"], 200 * PAYLOAD + 1)

    def test_every_kind_of_traffic(self):
        traffic = {
            "incast": "{kind: incast, senders: 1..8, receiver: 0, bytes: 100KB}",
            "one to many": "{kind: one_to_many, sender: 3, bytes: 100KB}",
            "permutation": "{kind: permutation, bytes: 100KB}",
            "stride": "{kind: stride, stride: 4, bytes: 100KB}",
            "staggered": "{kind: staggered, hosts: 0..7, bytes: 100KB, rack: 2, pod: 4}",
            "all to all": "{kind: all_to_all, bytes: 10KB}",
            "query": "{kind: partition_aggregate, receiver: 0, bytes: 20KB, rounds: 2, period: 100us}",
            "tree": "{kind: partition_aggregate, receiver: 0, bytes: 20KB, rounds: 2, period: 100us, fan_out: [2, 3]}",
            "ring": "{kind: collective, bytes: 900KB, rounds: 2}",
            "tree of ranks": "{kind: collective, shape: tree_all_reduce, bytes: 100KB, rounds: 2}",
            "poisson": "{kind: poisson, load: 0.3, flows_per_host: 20}",
            "reads": "{kind: permutation, bytes: 100KB, operation: read}",
            "waiting": "{id: x, kind: flow, from: 0, to: 4, bytes: 100KB}, "
                       "{kind: flow, from: 4, to: 8, flows: 6, bytes: 100KB, after: {flows: [x]}}, "
                       "{kind: compute, hosts: [0], time: 20us, after: {flows: [x], event: sent}}",
            "by host": "{id: x, kind: all_to_all, bytes: 10KB}, "
                       "{kind: all_to_all, bytes: 10KB, after: {flows: [x], scope: host}}",
        }
        for name, entries in traffic.items():
            for mode in ("bond", "dual_plane"):
                with self.subTest(traffic=name, mode=mode):
                    run = self.run_it(TREE + f"duration: 20ms\nnic: {{ports: 2, port_mode: {mode}}}\n"
                                             f"traffic: [{entries}]\n")
                    self.assertTrue(run.metrics["completed"])
                    self.assertEqual({flow["completed"] for flow in run.flows}, {"true"})
                    used = {flow[end] for flow in run.flows for end in ("from_port", "to_port")}
                    self.assertEqual(used, {"0", "1"})

    def test_threads_leave_the_same_bytes(self):
        text = TREE + "duration: 300us\ntraffic: [{kind: poisson, load: 0.5}, {kind: permutation, bytes: 1MB}]\n"
        for mode in ("bond", "dual_plane"):
            one, two = (self.run_it(text, "nic.ports=2", f"nic.port_mode={mode}", threads=n) for n in (1, 2))
            self.assertEqual(one.table, two.table)
            one.metrics.pop("threads", None)
            two.metrics.pop("threads", None)
            self.assertEqual(one.metrics, two.metrics)
        # The two partitions are the two planes of the network, with no link between them. The run must end
        # nevertheless.
        ends = TREE + "duration: 5ms\ntraffic: [{kind: all_to_all, bytes: 50KB}]\n" \
                      "nic: {ports: 2, port_mode: dual_plane}\n"
        self.assertEqual(self.run_it(ends, threads=1).table, self.run_it(ends, threads=2).table)
        gated = TREE + "duration: 5ms\nnic: {ports: 2}\ntraffic: [{kind: collective, bytes: 90KB, rounds: 2}]\n"
        self.assertEqual(self.run_it(gated, threads=1).table, self.run_it(gated, threads=2).table)

    def test_nics_and_faults_name_hosts(self):
        text = DUAL_TOR + "traffic: [{kind: flow, from: 0, to: 1, flows: 8}, {kind: flow, from: 1, to: 0, flows: 8}]\n"
        other = "nics=[{hosts: [1], congestion_control: {algorithm: none}}]"
        run = self.run_it(text, "nic.congestion_control={algorithm: dcqcn}", other, "output.counters=all")
        names = [host["name"] for host in run.metrics["hosts"]]
        self.assertEqual(names, ["a.0", "a.1", "b.0", "b.1"])
        self.assertEqual([host["id"] for host in run.metrics["hosts"]], [0, 0, 1, 1])
        storm = self.run_it(text, "faults=[{kind: pause_storm, host: 1, start: 100us}]", "measure.from=300us")
        for link in ("t0->b.0", "t1->b.1"):
            self.assertGreater(storm.links[link]["pause_s"], 1.6e-3, "all ports of the host pause")
        self.assertIn("there is no host 2", self.refusal(text, "faults=[{kind: pause_storm, host: 2, start: 1us}]"))
        self.assertIn("there is no host 2", self.refusal(text, "nics=[{hosts: [2]}]"))

    def test_a_failed_port_gets_no_new_flows(self):
        flows = "traffic: [{kind: flow, from: 0, to: 1, flows: 40, stagger: 50us, bytes: 100KB}]\n"
        failure = "{kind: link_failure, link: a.1--t1, start: 480us, stop: 1120us, convergence: 100us}"
        healthy = self.run_it(DUAL_TOR + flows)
        run = self.run_it(DUAL_TOR + flows, f"faults=[{failure}]")
        self.assertEqual({flow["completed"] for flow in run.flows}, {"true"})
        moved = 0
        for flow, before in zip(run.flows, healthy.flows):
            if 480e-6 <= float(flow["start_s"]) < 1220e-6:
                self.assertEqual((flow["from_port"], flow["to_port"]), ("0", "0"))
                moved += before["from_port"] == "1"
            else:
                self.assertEqual(flow["from_port"], before["from_port"], "other flows stay")
        self.assertGreater(moved, 0)

    def test_flows_under_way_wait_and_that_is_told(self):
        flows = "traffic: [{kind: flow, from: 0, to: 1, flows: 4, bytes: 5MB}]\n"
        fault = "faults=[{kind: link_failure, link: t0--b.0, start: 100us, stop: 1ms}]"
        run = self.run_it(DUAL_TOR + flows, fault, "duration=20ms")
        waited = len(run.by_port()["a.0", "b.0"])
        found, = (one for one in run.metrics["diagnoses"] if one["id"] == "flows_at_failed_ports")
        self.assertEqual(found["figures"]["flows"], waited)
        self.assertIn("b.0", found["text"])
        self.assertEqual({flow["completed"] for flow in run.flows}, {"true"})
        for flow in run.flows:
            self.assertEqual(float(flow["end_s"]) > 1e-3, flow["to_port"] == "0")
        self.assertNotIn("network_split", [one["id"] for one in run.metrics["diagnoses"]])
        both = self.run_it(DUAL_TOR + flows, "faults=[{kind: link_failure, link: b, start: 100us, stop: 1ms}]",
                           "duration=20ms")
        self.assertIn("network_split", [one["id"] for one in both.metrics["diagnoses"]], "b is cut off")

    def failover(self, fault, *overrides, flows=8, text=DUAL_TOR, **more):
        """Runs flows of 10 Gb/s, so that one port can carry all of them. Without loss or queueing all flows have
        the same goodput."""
        traffic = f"traffic: [{{kind: flow, from: 0, to: 1, flows: {flows}, rate: 10Gbps}}]\n"
        return self.run_it(text + traffic, "measure={from: 0us}", "nic.congestion_control.algorithm=none",
                           f"faults=[{fault}]", *overrides, **more)

    def test_flows_leave_a_failed_port_when_the_failure_is_detected(self):
        # The receiver's link fails. Until the NICs detect the failure, the switch drops the packets for it.
        fault = "{kind: link_failure, link: t1--b.1, start: 500us}"
        stays, moves, early = (self.failover(fault, f"nic.port_failover.detection={time}")
                               for time in ("off", "200us", "50us"))
        at_failed = [number for number, flow in enumerate(stays.flows) if flow["to_port"] == "1"]
        self.assertTrue(0 < len(at_failed) < 8, "the hash puts flows at both ports")
        rate = 10 * PAYLOAD
        for number in range(8):
            if number not in at_failed:
                for run in (stays, moves, early):
                    self.assertAlmostEqual(run.goodput(number), rate, delta=0.01 * rate)
                continue
            # In a run of 2 ms data arrives until 500 us, and again after the detection of the failure.
            self.assertAlmostEqual(stays.goodput(number), rate * 0.5 / 2, delta=0.02 * rate)
            self.assertAlmostEqual(moves.goodput(number), rate * 1.8 / 2, delta=0.01 * rate)
            self.assertAlmostEqual(early.goodput(number), rate * 1.95 / 2, delta=0.01 * rate)
        for run, detection in ((moves, 200), (early, 50)):
            self.assertEqual({(flow["from_port"], flow["to_port"]) for flow in run.flows}, {("0", "0")})
            # Number of packets sent per microsecond. Packets in flight at the detection are lost as well, some
            # microseconds' worth.
            packets = len(at_failed) * 10e9 * 1e-6 / 8 / 1082
            lost = run.metrics["aggregate"]["drops"] / packets
            self.assertGreaterEqual(lost, detection)
            self.assertLessEqual(lost, detection + 5)
            self.assertNotIn("flows_at_failed_ports", [one["id"] for one in run.metrics["diagnoses"]])

    def test_all_flows_end_whatever_fails(self):
        traffic = "traffic: [{kind: flow, from: 0, to: 1, flows: 8, bytes: 2MB, message: 64KB}, " \
                  "{id: later, kind: flow, from: 1, to: 0, flows: 2, bytes: 500KB, after: {flows: [first]}}]\n"
        traffic = traffic.replace("{kind", "{id: first, kind", 1)
        for mode, link in (("bond", "s0--h1.1"), ("bond", "h0.0--s0"), ("dual_plane", "p1_s0--h1.1")):
            for threads in (1, 2):
                with self.subTest(mode=mode, link=link, threads=threads):
                    text = "topology: {kind: star, hosts: 3, link: {rate: 100Gbps, delay: 1us}}\n" \
                           "duration: 50ms\nhost: {driver: none}\noutput: {plots: false}\n" + traffic
                    run = self.run_it(text, "nic.ports=2", f"nic.port_mode={mode}",
                                      "nic.port_failover={detection: 30us, comes_back: true}",
                                      f"faults=[{{kind: link_flap, link: {link}, start: 60us, down: 100us, up: 100us, "
                                      f"convergence: 20us}}]",
                                      threads=threads)
                    self.assertEqual({flow["completed"] for flow in run.flows}, {"true"})
                    self.assertTrue(run.metrics["completed"])
                    self.assertLess(max(float(flow["end_s"]) for flow in run.flows), 4e-3)
                    if threads == 1:
                        first = run.table
                    self.assertEqual(run.table, first)

    def test_flows_come_back_if_that_is_asked_for(self):
        fault = "{kind: link_failure, link: a.1--t1, start: 300us, stop: 900us, convergence: 100us}"
        healthy = self.failover("{kind: link_failure, link: a.1--t1, start: 1999us}")
        for back in ("true", "false"):
            run = self.failover(fault, f"nic.port_failover={{detection: 100us, comes_back: {back}}}")
            ports = [flow["from_port"] for flow in run.flows]
            self.assertEqual(ports, [flow["from_port"] for flow in healthy.flows] if back == "true" else ["0"] * 8)
            rate = 10 * PAYLOAD
            for number, flow in enumerate(healthy.flows):
                lost = 0.1 if flow["from_port"] == "1" else 0
                self.assertAlmostEqual(run.goodput(number), rate * (2 - lost) / 2, delta=0.02 * rate)
        # A link failure shorter than the detection time moves no flow.
        short = self.failover("{kind: link_failure, link: a.1--t1, start: 300us, stop: 390us, convergence: 5us}",
                              "nic.port_failover.detection=100us")
        self.assertEqual([flow["from_port"] for flow in short.flows], [flow["from_port"] for flow in healthy.flows])

    def test_no_port_left(self):
        run = self.failover("{kind: link_failure, link: b, start: 300us}", "nic.port_failover.detection=10us")
        self.assertAlmostEqual(run.goodput(0), 10 * PAYLOAD * 0.3 / 2, delta=0.25)

    def test_one_port_written_is_one_port(self):
        text = TREE + "duration: 200us\ntraffic: [{kind: permutation, bytes: 1MB}]\n"
        one, written = self.run_it(text), self.run_it(text, "nic.ports=1")
        self.assertEqual(one.table, written.table)
        self.assertEqual(one.metrics, written.metrics)


if __name__ == "__main__":
    DCCVP = sys.argv[1]
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
