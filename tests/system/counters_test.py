#!/usr/bin/python3
"""Compares counters with the packets on the wires, and runs switches configured as in deployments.

  counters_test.py BUILD/dccvp
"""

import collections
import csv
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest

from harness import PATIENCE, figures

DCCVP = ""

# The transfers complete long before the run ends, so that no packet is in flight at the end.
COUNTED = """\
duration: 5ms
topology: {kind: star, hosts: 4, link: {rate: 100Gbps, delay: 500ns}}
host: {driver: none}
dscp: {26: {priority: 3}}
nic: {congestion_control: {algorithm: dcqcn}}
switch: {buffer: 400KB, ecn: {kmin: 20KB, kmax: 100KB, pmax: 0.1}, pfc: {priorities: [3]}}
traffic: [{kind: incast, senders: 1..3, receiver: 0, dscp: 26, bytes: 1MB}]
output: {plots: false, trace: {packets: [{name: all}]}}
"""

# Lossy traffic overloads one port, and lossless traffic goes to an idle port.
MIXED = """\
duration: 2ms
measure: {from: 1ms}
topology: {kind: star, hosts: 11, link: {rate: 100Gbps, delay: 500ns}}
host: {driver: none}
dscp: {0: {priority: 0}, 26: {priority: 3}}
nic: {congestion_control: {algorithm: none}}
switch: {buffer: 16MB, ecn: {enabled: false}, pfc: {alpha: 0.125, priorities: [3]}}
traffic:
  - {kind: incast, senders: 1..8, receiver: 0, dscp: 0}
  - {kind: flow, from: 9, to: 10, dscp: 26}
output: {plots: false}
"""


def blocks_of(data):
    at = 0
    while at < len(data):
        kind, size = struct.unpack_from("<II", data, at)
        yield kind, data[at + 8:at + size - 4]
        at += size


def packets_of(file):
    """Yields (name of the wire, bytes of the frame) for every packet of a pcapng file."""
    names = []
    for kind, body in blocks_of(file.read_bytes()):
        # block type 1 is an interface description; its options begin after 8 bytes; option 2 is the name
        if kind == 1:
            at = 8
            while at < len(body):
                code, length = struct.unpack_from("<HH", body, at)
                if code == 2:
                    names.append(body[at + 4:at + 4 + length].decode())
                at += 4 + (length + 3) // 4 * 4
        elif kind == 6:
            interface, _, _, captured = struct.unpack_from("<IIII", body)
            yield names[interface], body[20:20 + captured]


def seen_on_wires(file):
    """Counts the packets by (wire, kind), where kind is cnp, ce, nak, or pause with a priority."""
    seen = collections.Counter()
    for wire, frame in packets_of(file):
        seen[wire, "packets"] += 1
        if frame[12:14] == b"\x88\x08":
            vector, *times = struct.unpack_from(">H8H", frame, 16)
            for priority, time in enumerate(times):
                seen[wire, "pause", priority] += bool(vector >> priority & 1 and time)
            continue
        opcode = frame[42]
        seen[wire, "cnp"] += opcode == 129
        seen[wire, "ce"] += opcode < 16 and frame[15] & 3 == 3
        seen[wire, "nak"] += opcode == 17 and frame[54] == 0x60
    return seen


class Run(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="dccvp-counters-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_config(self, text, *overrides):
        config = self.folder / "c.yaml"
        config.write_text(text, encoding="utf-8")
        out = self.folder / "out"
        arguments = [DCCVP, "run", str(config), "--out", str(out), "--no-plots", "--force"]
        for override in overrides:
            arguments += ["-c", override]
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=PATIENCE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        return out, figures(out)


class Counters(Run):
    def check_against_wires(self, metrics, seen):
        for host in metrics["hosts"]:
            name, counters = host["name"], host["counters"]
            up, down = f"{name}->s0", f"s0->{name}"
            self.assertEqual(counters["np_cnp_sent"], seen[up, "cnp"])
            self.assertEqual(counters["rp_cnp_handled"] + counters["rp_cnp_ignored"], seen[down, "cnp"])
            self.assertEqual(counters["np_ecn_marked_roce_packets"], seen[down, "ce"])
            self.assertEqual(counters["packet_seq_err"], seen[down, "nak"])
            self.assertEqual(counters["tx_packets_phy"], seen[up, "packets"])
            self.assertEqual(counters["rx_packets_phy"], seen[down, "packets"])
            for priority in range(8):
                self.assertEqual(counters[f"rx_prio{priority}_pause"], seen[down, "pause", priority])
                self.assertEqual(counters[f"tx_prio{priority}_pause"], seen[up, "pause", priority])
        for port in metrics["switch_ports"]:
            back = "->".join(reversed(port["port"].split("->")))
            for priority in range(8):
                of = port["counters"]
                self.assertEqual(of[f"SAI_PORT_STAT_PFC_{priority}_TX_PKTS"], seen[port["port"], "pause", priority])
                self.assertEqual(of[f"SAI_PORT_STAT_PFC_{priority}_RX_PKTS"], seen[back, "pause", priority])

    def test_counters_are_the_packets_on_the_wires(self):
        out, metrics = self.run_config(COUNTED)
        seen = seen_on_wires(out / "trace/all.pcapng")
        self.check_against_wires(metrics, seen)
        self.assertGreater(metrics["hosts"][0]["counters"]["np_cnp_sent"], 5)
        self.assertGreater(metrics["hosts"][1]["counters"]["rx_prio3_pause"], 0)
        pauses = {link["name"]: link["pause_s"] for link in metrics["links"]}
        for host in metrics["hosts"]:  # the run uses only one priority, so the pauses of this priority are all pauses
            self.assertAlmostEqual(host["counters"]["rx_prio3_pause_duration"],
                                   pauses[f"{host['name']}->s0"] * 1e6, delta=1)
        port = next(one for one in metrics["switch_ports"] if one["port"] == "s0->h0")
        queue = next(one for one in port["queues"] if one["priority"] == 3)
        self.assertEqual(queue["SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS"], metrics["aggregate"]["ecn_marks"])
        most = next(one["max_bytes"] for one in metrics["queues"] if one["port"] == "s0->h0")
        self.assertEqual(queue["SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES"], most)

    def test_files_have_the_same_numbers(self):
        out, metrics = self.run_config(COUNTED, "output.trace.packets=[]")
        with (out / "counters.csv").open(encoding="utf-8", newline="") as file:
            rows = {(row["device"], row["port"], row["queue"], row["counter"]): int(row["value"])
                    for row in csv.DictReader(file)}
        text = (out / "counters.prom").read_text(encoding="utf-8")
        samples = dict(re.findall(r"^([^#\s].*?) (\d+)$", text, re.MULTILINE))
        self.assertEqual(len(samples), len(rows))
        for host in metrics["hosts"]:
            for name, value in host["counters"].items():
                self.assertEqual(rows[host["name"], "1", "", name], value)
                self.assertEqual(samples[f'{name}{{host="{host["name"]}",port="1"}}'], str(value))
        for port in metrics["switch_ports"]:
            for queue in port["queues"]:
                for name, value in queue.items():
                    if name == "priority":
                        continue
                    self.assertEqual(rows["s0", port["port"], str(queue["priority"]), name], value)
                    labels = f'switch="s0",port="{port["port"]}",queue="{queue["priority"]}"'
                    self.assertEqual(samples[f"{name}{{{labels}}}"], str(value))
        for name in set(re.findall(r"^(\w+)\{", text, re.MULTILINE)):
            self.assertEqual(text.count(f"# TYPE {name} "), 1)

    def test_losses_are_counted_by_requester_and_responder(self):
        out, metrics = self.run_config(COUNTED, "faults=[{kind: loss, link: h1->s0, probability: 0.01, packets: data}]")
        seen = seen_on_wires(out / "trace/all.pcapng")
        counters = [host["counters"] for host in metrics["hosts"]]
        self.assertGreater(counters[0]["out_of_sequence"], 0)
        self.assertEqual(counters[1]["packet_seq_err"], seen["s0->h1", "nak"])
        self.assertGreater(counters[1]["packet_seq_err"], 0)
        self.assertEqual(counters[2]["packet_seq_err"], 0)

    def test_every_marked_packet_is_a_cnp_without_an_interval(self):
        _, metrics = self.run_config(COUNTED, "nic.cnp.interval=0us", "output.trace.packets=[]")
        receiver = metrics["hosts"][0]["counters"]
        self.assertEqual(receiver["np_cnp_sent"], receiver["np_ecn_marked_roce_packets"])
        self.assertEqual(receiver["np_cnp_sent"], metrics["aggregate"]["ecn_marks"])
        self.assertGreater(receiver["np_cnp_sent"], 10)

    def test_output_counters_none(self):
        out, metrics = self.run_config(COUNTED, "output.counters=none", "output.trace.packets=[]")
        self.assertNotIn("counters", metrics["hosts"][0])
        self.assertFalse((out / "counters.csv").exists())


class Deployed(Run):
    def lossless_gbps(self, *overrides):
        _, metrics = self.run_config(MIXED, *overrides)
        return next(one["goodput_gbps"] for one in metrics["classes"] if one["dscp"] == 26)

    def test_lossless_traffic_keeps_its_rate_beside_lossy_traffic(self):
        # A packet has 1000 bytes of payload of 1078 bytes (with preamble and gap), so a goodput of 92.8 Gb/s fills
        # the link.
        self.assertLess(self.lossless_gbps(), 85)
        for settings in ("switch.priorities={0: {alpha: 8}}", "switch.priorities={0: {queue: {alpha: 1}}}",
                         "switch.priorities={0: {limit: 1MB}}", "switches=[{ports: s0, priorities: {0: {alpha: 1}}}]"):
            self.assertGreaterEqual(self.lossless_gbps(settings), 92, settings)
        self.assertGreaterEqual(self.lossless_gbps("switch.pools=[{name: bulk, size: 9MB}]",
                                                   "switch.priorities={0: {pool: bulk}}"), 92)

    def test_shipped_configurations_show_both_cases(self):
        for name in ("mixed_pool", "mixed_pool_unlimited"):  # each configuration has an expectation of its own
            config = pathlib.Path(__file__).resolve().parents[2] / f"configs/flow_control/{name}.yaml"
            done = subprocess.run([DCCVP, "run", config, "--out", self.folder / name, "--quiet", "--no-plots"],
                                  capture_output=True, text=True, timeout=PATIENCE, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("expect:", config.read_text(encoding="utf-8"))

    def test_weights_hold_where_lossy_traffic_cannot_take_the_buffer(self):
        weights = ("topology.link.rate=400Gbps", "nic.mtu=4096B",
                   "switch.scheduler={kind: ets, weights: [60, 1, 1, 40, 1, 1, 1, 1]}",
                   "traffic=[{kind: incast, senders: 1..8, receiver: 0, dscp: 0},"
                   " {kind: incast, senders: 9..10, receiver: 0, dscp: 26}]")
        share = 0.4 * 400 * 4096 / (4096 + 78)  # a packet has 78 bytes of headers, preamble and gap
        self.assertLess(self.lossless_gbps(*weights), 0.95 * share)
        # One packet more or less per round of 100 packets changes the share by 2.5 %. The mean of many rounds changes
        # by 0.5 %.
        self.assertAlmostEqual(self.lossless_gbps(*weights, "switch.priorities={0: {queue: {alpha: 1}}}"), share,
                               delta=0.005 * share)

    def test_scheduler_of_one_port(self):
        """Two receivers get traffic of two lossless priorities each. Only the port with its own weights shares by
        weight."""
        weights = "weights: [60, 1, 1, 40, 1, 1, 1, 1]"
        settings = ("traffic=[{kind: incast, senders: 1..3, receiver: 0, dscp: 0},"
                    " {kind: incast, senders: 4..6, receiver: 0, dscp: 26},"
                    " {kind: incast, senders: 1..3, receiver: 10, dscp: 0},"
                    " {kind: incast, senders: 4..6, receiver: 10, dscp: 26}]",
                    "switch.pfc.priorities=[0, 3]", "nic.congestion_control={algorithm: none}")
        own = self.to_receivers(*settings, f"switches=[{{ports: s0->h0, scheduler: {{kind: ets, {weights}}}}}]")
        all_ports = self.to_receivers(*settings, f"switch.scheduler={{kind: ets, {weights}}}")
        none = self.to_receivers(*settings)
        self.assertAlmostEqual(own[0], 0.4, delta=0.01)
        self.assertAlmostEqual(own[1], none[1], delta=0.005)
        self.assertGreater(none[1], 0.47)
        self.assertAlmostEqual(all_ports[1], 0.4, delta=0.01)

    def to_receivers(self, *settings):
        """Share of DSCP 26 in the goodput of receiver 0 and of receiver 10."""
        got = collections.Counter()
        for flow in self.run_config(MIXED, *settings)[1]["flows"]:
            got[flow["to"], flow["dscp"]] += flow["goodput_gbps"]
        return [got[host, 26] / (got[host, 0] + got[host, 26]) for host in (0, 10)]

    def test_watchdog_of_one_port(self):
        storm = "faults=[{kind: pause_storm, host: 10, priorities: [3], start: 200us, stop: 1500us}]"
        own = "watchdog: {detect: 100us, restore: 100us, action: forward}"
        window = ("measure.from=500us", "measure.to=1500us", "switch.priorities={0: {alpha: 1}}", storm)
        self.assertGreater(self.lossless_gbps(*window, f"switches=[{{ports: s0->h10, {own}}}]"), 90)
        self.assertLess(self.lossless_gbps(*window, f"switches=[{{ports: s0->h9, {own}}}]"), 1)
        everywhere = "switch.pfc.watchdog={detect: 100us, restore: 100us, action: forward}"
        self.assertLess(self.lossless_gbps(*window, everywhere,
                                           "switches=[{ports: s0->h10, watchdog: {enabled: false}}]"), 1)

    def test_names_of_ports_are_checked(self):
        config = self.folder / "c.yaml"
        for setting, message in (("switches=[{ports: s1}]", "switches.0.ports: no port of a switch is named 's1'"),
                                 ("switches=[{rate: 25Gbps}]", "switches.0.rate: none of these ports has a rate"),
                                 ("switch.priorities={3: {reserved: 2MB}}",
                                  "switch.priorities: the ports of switch s0 reserve 22MB"),
                                 ("switches=[{watchdog: {enabled: true}}]",
                                  "switches.0.watchdog.enabled: a watchdog needs the time"),
                                 ("switches=[{watchdog: {detect: 1s}}]",
                                  "switches.0.watchdog.detect: a storm that is found after 1s (detect) would end"),
                                 ("switches=[{scheduler: {kind: ets, weights: [0, 0, 0, 0, 0, 0, 0, 0]}}]",
                                  "switches.0.scheduler.weights: all weights are 0"),
                                 ("faults=[{kind: pause_storm, host: 11}]", "faults.0.host: there is no host 11")):
            config.write_text(MIXED, encoding="utf-8")
            done = subprocess.run([DCCVP, "check", str(config), "-c", setting], capture_output=True, text=True,
                                  timeout=PATIENCE, check=False)
            self.assertEqual(done.returncode, 2, done.stderr + done.stdout)
            self.assertIn(message, done.stderr)

    def test_watchdog_ends_a_pause_storm(self):
        storm = "faults=[{kind: pause_storm, host: 10, priorities: [3], start: 200us, stop: 1500us}]"
        watchdog = "switch.pfc.watchdog={detect: 100us, poll: 20us, restore: 100us, action: forward}"
        stopped = self.lossless_gbps(storm, "measure.from=500us", "measure.to=1500us")
        self.assertLess(stopped, 1)
        self.assertGreater(self.lossless_gbps(storm, watchdog, "measure.from=500us", "measure.to=1500us",
                                              "switch.priorities={0: {alpha: 1}}"), 90)


if __name__ == "__main__":
    DCCVP = sys.argv.pop(1)
    unittest.main()
