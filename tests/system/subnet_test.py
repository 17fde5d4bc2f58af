#!/usr/bin/python3
"""Tests the InfiniBand subnet management of a run: discovery, admission, virtual-lane tables, paths.

  subnet_test.py BUILD/dccvp
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from harness import PATIENCE

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONFIG = ROOT / "configs" / "subnet.yaml"
LMC = ROOT / "configs" / "reproduce" / "ib_lmc.yaml"
DCCVP = ""


def run(config, *overrides, command="run"):
    """Returns the metrics of a run, or the program's output if it refused the configuration."""
    with tempfile.TemporaryDirectory(prefix="dccvp-subnet-") as folder:
        out = pathlib.Path(folder) / "out"
        arguments = [DCCVP, command, str(config)]
        if command == "run":
            arguments += ["--out", str(out), "--no-plots", "--quiet"]
        for override in overrides:
            arguments += ["-c", override]
        done = subprocess.run(arguments, capture_output=True, text=True, check=False, timeout=PATIENCE)
        if done.returncode == 2:
            return done.stderr
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        return json.loads((out / "metrics.json").read_text())


def wire_gbps(metrics):
    """Rate of each flow on the wire. Packets of 1024 bytes have 62 bytes of headers."""
    return [flow["goodput_gbps"] * 1086 / 1024 for flow in metrics["flows"]]


class Star(unittest.TestCase):
    metrics: dict = {}

    @classmethod
    def setUpClass(cls):
        cls.metrics = run(CONFIG)

    def test_discovery_takes_its_datagrams_one_after_the_other(self):
        subnet = self.metrics["subnet"]
        self.assertEqual((subnet["switches"], subnet["hosts"], subnet["links"]), (1, 7, 7))
        # Management datagrams to the manager's own node, the switch and six hosts: NodeInfo 1, 1, 6; PortInfo and
        # rates of 1, 7, 6 ports; addresses 1, 1, 6; one block of the forwarding table. A hop takes 500 ns and 290
        # bytes at 10 Gb/s.
        own, switch, hosts = 4, 1 + 7 + 7 + 1 + 1, 6 * 4
        self.assertEqual(subnet["smps"], own + switch + hosts)
        hop = 0.5 + 0.232
        self.assertAlmostEqual(subnet["discovered_us"],
                               (own + switch + hosts) * 5 + switch * 2 * hop + hosts * 4 * hop, places=3)

    def test_requests_are_granted_while_the_link_has_room(self):
        subnet = self.metrics["subnet"]
        self.assertEqual((subnet["admitted"], subnet["refused"]), (4, 1))
        requests = {one["flow"]: one for one in subnet["requests"]}
        self.assertEqual({flow: one["granted"] for flow, one in requests.items()},
                         {0: True, 1: True, 2: True, 4: False, 5: True})
        # Guarantees of 2, 3 and 4 Gb/s of 10 Gb/s take 13, 20 and 26 of 64 arbitration entries. Without the 3 Gb/s 25
        # entries are left.
        self.assertAlmostEqual(requests[4]["available_gbps"], 10 * 5 / 64, places=6)
        self.assertAlmostEqual(requests[5]["available_gbps"], 10 * 25 / 64, places=6)
        self.assertEqual(self.metrics["flows_begun"], 5)
        self.assertAlmostEqual(self.metrics["flows"][5]["start_s"] * 1e6, requests[5]["answered_us"], places=3)

    def test_an_answer_takes_its_way_the_manager_and_the_tables(self):
        hop = 0.5 + 0.232
        # Three requests arrive together, and the manager serves them one after the other. Two datagrams set the
        # switch's arbitration table.
        for place, one in enumerate(self.metrics["subnet"]["requests"][:3]):
            self.assertAlmostEqual(one["answered_us"],
                                   1000 + 2 * hop + 5 * (place + 1) + 2 * (5 + 2 * hop) + 2 * hop, places=3)

    def test_each_has_what_it_was_granted_beside_one_that_takes_all_it_can(self):
        rates = wire_gbps(self.metrics)
        for flow, granted in enumerate((2, 3, 4)):
            self.assertGreaterEqual(rates[flow], granted)
        # Virtual lanes without a grant share the five remaining entries, and only one of these lanes has packets.
        for flow, entries in enumerate((13, 20, 26, 1)):
            self.assertAlmostEqual(rates[flow] / sum(rates), entries / 60, delta=0.003)

    def test_without_the_manager_the_lanes_take_turns(self):
        without = ["subnet.manager=none"] + [f"traffic.{i}.guarantee=none" for i in (0, 1, 2, 4, 5)]
        metrics = run(CONFIG, *without, "traffic.4.start=15ms")
        self.assertNotIn("subnet", metrics)
        rates = wire_gbps(metrics)
        self.assertAlmostEqual(rates[1], 2.5, delta=0.05)
        self.assertLess(rates[2], 3)


class Paths(unittest.TestCase):
    """Tests three flows of 8 Gb/s whose initial destination addresses share a path of 20 Gb/s."""
    # With `move_above` 1 no flow moves because of a full wire, since no wire carries more than its rate.
    SETTINGS = ["subnet.manager=7", "routing.move_period=1ms", "routing.move_above=1", "duration=40ms",
                "measure={from: 20ms, to: 40ms}"]

    def run_with(self, rate):
        return run(LMC, *self.SETTINGS, *[f"traffic.{i}.guarantee={rate}" for i in (0, 2, 4)])

    def test_a_grant_takes_the_address_with_room(self):
        subnet = self.run_with("8Gbps")["subnet"]
        self.assertEqual(subnet["admitted"], 3)
        paths = [one["path"] for one in subnet["requests"]]
        self.assertEqual(sorted(paths), [0, 0, 1])

    def test_no_address_has_more_than_its_wires(self):
        subnet = self.run_with("21Gbps")["subnet"]
        self.assertEqual((subnet["admitted"], subnet["refused"]), (0, 3))
        for one in subnet["requests"]:
            self.assertEqual(one["available_gbps"], 20)

    def test_a_missed_grant_moves_a_path_that_is_not_full(self):
        # The congestion control of the flows keeps the path below its rate, so without grants no flow moves.
        alone = run(LMC, *self.SETTINGS)
        self.assertLess(sum(wire_gbps(alone)[i] for i in (0, 2, 4)), 17)
        # One path has room for all three grants of 6.5 Gb/s, but the flows get less on it.
        granted = self.run_with("6500Mbps")
        self.assertEqual([one["path"] for one in granted["subnet"]["requests"]], [0, 0, 0])
        rates = wire_gbps(granted)
        for flow in (0, 2, 4):
            self.assertGreaterEqual(rates[flow], 6.5 * 0.95)


class Failures(unittest.TestCase):
    """Tests a tree of two leaves and two spines with host 7 as subnet manager. A cable of the other leaf fails."""
    SETTINGS = ["subnet.manager=7", "routing.move_period=1ms", "routing.move_above=1", "duration=30ms",
                "measure={from: 20ms, to: 30ms}",
                "faults=[{kind: link_failure, link: leaf0--spine0, start: 10ms, stop: 20ms}]"]
    # in us: hops of 290 bytes on two kinds of links, and an agent's response time
    HOST, FABRIC, AGENT = 1 + 290 * 8 / 40e3, 1 + 290 * 8 / 20e3, 5

    def sweep_us(self, failed):
        """Duration of a sweep, which sends datagrams to each node one after the other."""
        gone = 1 if failed else 0
        # Number of datagrams to a node: NodeInfo for each cable that leads to it, PortInfo of its ports, the rate of
        # each port that is up, its address, and the block of its forwarding table.
        nodes = [(4, 0)] + 3 * [(4, 2 * self.HOST)] + [(15, self.HOST)] + 4 * [(4, 2 * self.HOST + 2 * self.FABRIC)]
        nodes += [(7 - gone, self.HOST + self.FABRIC), (7, self.HOST + self.FABRIC)]
        nodes += [(15 - gone, self.HOST + 2 * self.FABRIC)]
        return sum(count * (self.AGENT + 2 * way) for count, way in nodes) + (
            0 if failed else self.AGENT + 2 * (self.HOST + 2 * self.FABRIC))  # leaf 0 is discovered from both spines

    def test_a_failed_cable_is_told_swept_and_routed_around(self):
        subnet = run(LMC, *self.SETTINGS, "faults.0.stop=end")["subnet"]
        # The trap of leaf 0 would use the failed cable and is lost; the trap of spine 0 arrives.
        self.assertEqual((subnet["traps"], subnet["sweeps"], subnet["links"]), (1, 2, 11))
        self.assertAlmostEqual(subnet["discovered_us"], self.sweep_us(False), places=3)
        self.assertAlmostEqual(subnet["routed_us"],
                               10_000 + self.HOST + self.FABRIC + self.sweep_us(True), places=3)

    def test_a_manager_that_is_cut_off_keeps_what_it_discovered(self):
        """During the sweep after another failure the manager's own cable fails, so that the sweep finds no switch."""
        faults = ("faults=[{kind: link_failure, link: leaf0--spine0, start: 10ms, stop: end}, "
                  "{kind: link_failure, link: h7--leaf1, start: 10001us, stop: end}]")
        subnet = run(LMC, *self.SETTINGS, faults)["subnet"]
        self.assertAlmostEqual(subnet["discovered_us"], self.sweep_us(False), places=3)
        self.assertEqual((subnet["sweeps"], subnet["switches"], subnet["routed_us"]), (2, 0, 0))

    def test_flows_go_on_by_the_new_routes_and_come_back(self):
        metrics = run(LMC, *self.SETTINGS)
        self.assertEqual(metrics["subnet"]["links"], 12)
        self.assertGreater(metrics["subnet"]["routed_us"], 20_000)
        self.assertGreaterEqual(metrics["subnet"]["sweeps"], 3)
        lasting = run(LMC, *self.SETTINGS, "faults.0.stop=end")
        for flow in (0, 2, 4):  # three flows of 8 Gb/s share one path of 20 Gb/s
            self.assertGreater(wire_gbps(lasting)[flow], 4)

    def test_grants_follow_the_routes(self):
        granted = run(LMC, *self.SETTINGS, "faults.0.stop=end",
                      *[f"traffic.{i}.guarantee=8Gbps" for i in (0, 2)], "traffic.4.guarantee=8Gbps",
                      "traffic.4.start=15ms")["subnet"]
        # Two grants of 8 Gb/s occupy the remaining path, so 4 of its 20 Gb/s are available.
        self.assertEqual((granted["admitted"], granted["refused"]), (2, 1))
        self.assertAlmostEqual(granted["requests"][2]["available_gbps"], 4, places=6)


class Diagnoses(unittest.TestCase):
    @staticmethod
    def said_of(metrics):
        return next((one["text"] for one in metrics["diagnoses"] if one["id"] == "flows_never_begun"), "")

    def test_flows_without_a_grant_are_told(self):
        said = self.said_of(run(CONFIG))
        self.assertIn("1 of 5 flows that asked the subnet manager for a rate were refused", said)
        self.assertIn("flow 4 asked for 2 Gb/s of 0.781 Gb/s that could be had", said)
        # The discovery of the subnet takes 320 us.
        early = run(CONFIG, "duration=300us", "measure={from: 0us, to: 300us}",
                    *[f"traffic.{i}.start=0us" for i in (0, 1, 2)])
        self.assertEqual(early["subnet"]["waiting"], 3)
        self.assertIn("it had not discovered the fabric yet", self.said_of(early))
        granted = run(CONFIG, "duration=3ms", "measure={to: 3ms}")
        self.assertEqual(granted["subnet"]["admitted"], 3)
        self.assertEqual(self.said_of(granted), "")


class Refusals(unittest.TestCase):
    def test_what_cannot_be(self):
        for overrides, text in (
                (["subnet.manager=none"], "guarantee: the subnet manager grants rates: write subnet: {manager: HOST}"),
                (["subnet.manager=7"], "subnet.manager: there is no host 7"),
                (["host.driver=native"], "guarantee: the platform asks for flows: driver: none"),
                (["topology={kind: leaf_spine, leaves: 2, hosts_per_leaf: 4, spines: 2}"],
                 "the network has several paths, and a forwarding table has one for an address"),
                (["fast_forward.enabled=true"], "subnet.manager")):
            self.assertIn(text, run(CONFIG, *overrides, command="check"))


if __name__ == "__main__":
    DCCVP = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
