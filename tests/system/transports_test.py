#!/usr/bin/python3
"""READ, SEND, atomic operations and datagrams through driver, rings and network: payload as sent, also with losses of
every kind of packet, and every header as Wireshark reads it.

  transports_test.py BUILD/dccvp
"""

import collections
import pathlib
import subprocess
import sys
import tempfile
import unittest

from harness import PATIENCE, figures

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONFIG = ROOT / "configs/transports.yaml"
DATAGRAMS = ROOT / "configs/reliable_datagrams.yaml"
DCCVP = ""

# Number of messages of each flow in configs/transports.yaml: bytes divided by message size, rounded up.
WRITE, SEND, READ_0, READ_2, UC, UD, ADD, SWAP = 16, 101, 62, 34, 50, 100, 500, 500


class Transports(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="dccvp-transports-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_config(self, *overrides, name="run", code=0):
        arguments = [DCCVP, "run", str(CONFIG), "--quiet", "--no-plots", "--out",
                     str(self.folder / name)]
        for override in overrides:
            arguments += ["-c", override]
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=PATIENCE,
                              check=False)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return figures(self.folder / name)

    def hosts(self, metrics):
        return {host["id"]: host for host in metrics["hosts"]}

    def test_every_byte_is_as_it_was_sent_or_lay(self):
        metrics = self.run_config("output.trace.packets=[{name: all, snap: 9216B}]")
        hosts = self.hosts(metrics)
        # Checked messages by host. Host 0: data sent to it and data that it read. Host 1: data sent to it and the
        # counter before its additions. Host 2: data that it read and swapped.
        self.assertEqual(hosts[0]["messages_verified"], WRITE + SEND + UD + READ_0)
        self.assertEqual(hosts[1]["messages_verified"], UC + ADD)
        self.assertEqual(hosts[2]["messages_verified"], READ_2 + SWAP)
        self.assertEqual(sum(host["payload_errors"] for host in hosts.values()), 0)
        for flow in metrics["flows"]:
            self.assertTrue(flow["completed"], flow)
            self.assertEqual(flow["retransmits"], 0, flow)
        self.check_capture(self.folder / "run/trace/all.pcapng")

    def check_capture(self, file):
        fields = ["infiniband.bth.opcode", "infiniband.reth.dmalen", "infiniband.aeth.syndrome",
                  "infiniband.deth.srcqp", "infiniband.deth.q_key", "infiniband.immdt",
                  "infiniband.atomiceth.swapdt", "infiniband.atomiceth.cmpdt",
                  "infiniband.atomicacketh.origremdt",
                  "frame.interface_name", "_ws.malformed", "_ws.col.Info"]
        arguments = ["tshark", "-n", "-r", str(file), "-T", "fields", "-E", "separator=;"]
        for field in fields:
            arguments += ["-e", field]
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=PATIENCE, check=True)
        kinds = collections.Counter()
        asked, found = collections.Counter(), collections.Counter()
        for line in done.stdout.splitlines():
            (opcode, length, syndrome, source, key, immediate, swapped, compared, original, port,
             malformed, info) = line.split(";")
            self.assertEqual(malformed, "", line)
            self.assertNotIn("Malformed", info)
            if not port.startswith("s0->"):
                kinds[int(opcode)] += 1
            if int(opcode) == 12:
                self.assertIn(int(length), (16384, 1000000 % 16384, 9999, 333333 % 9999), line)
                self.assertIn("RDMA Read Request", info)
            if int(opcode) in (13, 15, 16):
                self.assertEqual(int(syndrome, 0) & 0x60, 0, line)
                self.assertIn("RDMA Read Response", info)
            if int(opcode) == 100:
                self.assertEqual(int(key, 0), 0x11111111)
                # queue pair numbers of host 2 start at 2, and this is its fourth queue pair
                self.assertEqual(int(source, 0), 5, line)
            if port.startswith("s0->"):
                continue
            if int(opcode) == 19:  # opcode 19 is compare-and-swap, whose response contains the compared value
                self.assertNotEqual(int(swapped, 0), int(compared, 0), line)
                asked[int(compared, 0)] += 1
                self.assertIn("Compare Swap", info.replace(" & ", " "))
            if int(opcode) == 20:
                self.assertNotEqual(int(swapped, 0), 0, line)
                self.assertIn("Fetch Add", info.replace(" & ", " "))
            if int(opcode) == 18:
                found[int(original, 0)] += 1
                self.assertIn("ATOMIC ACKNOWLEDGE", info.upper())
            if int(opcode) in (3, 35):
                self.assertNotEqual(immediate, "", line)
        self.assertEqual(kinds[12], READ_0 + READ_2)
        # A message of 16384 bytes has 17 packets, and one of 9999 bytes has 10. The test counts first, last and
        # middle packets.
        self.assertEqual(kinds[13] + kinds[16], READ_0 + READ_2)
        self.assertEqual(kinds[15] + kinds[16], READ_0 + READ_2)
        # The last messages of the two flows have 576 bytes (one packet) and 3366 bytes (four packets).
        self.assertEqual(kinds[14], 61 * 15 + 33 * 8 + 2)
        self.assertEqual(kinds[0] + kinds[4] + kinds[5], SEND)
        self.assertEqual(kinds[3] + kinds[5], SEND)
        self.assertEqual(kinds[32], UC)
        self.assertEqual(kinds[35], UC)
        self.assertEqual(kinds[100], UD)
        self.assertEqual((kinds[18], kinds[19], kinds[20]), (ADD + SWAP, SWAP, ADD))
        self.assertEqual(asked - found, collections.Counter())

    def test_reliable_connections_bring_every_byte_through_losses(self):
        for packets in ("data", "control", "all"):
            with self.subTest(packets=packets):
                metrics = self.run_config(
                    f"faults=[{{kind: loss, probability: 1%, packets: {packets}}}]",
                    "duration=100ms", "expect=[]", name=packets)
                for flow in metrics["flows"][:4] + metrics["flows"][6:]:
                    self.assertTrue(flow["completed"], flow)
                hosts = self.hosts(metrics)
                self.assertGreaterEqual(hosts[0]["messages_verified"], WRITE + SEND + READ_0)
                self.assertGreaterEqual(hosts[1]["messages_verified"], ADD)
                self.assertEqual(hosts[2]["messages_verified"], READ_2 + SWAP)
                self.assertEqual(sum(host["payload_errors"] for host in hosts.values()), 0)
                if packets != "control":  # the next ACK replaces most lost ACKs
                    self.assertGreater(metrics["aggregate"]["retransmits"], 10)
                if packets != "control":  # a transport without retransmission loses data
                    self.assertFalse(metrics["flows"][4]["completed"] and metrics["flows"][5]["completed"])

    def test_without_software_too(self):
        metrics = self.run_config("host.driver=none", "nic.payload=virtual", name="direct")
        for flow in metrics["flows"]:
            self.assertTrue(flow["completed"], flow)
            self.assertGreaterEqual(flow["slowdown"], 1, flow)

    def test_flows_of_an_end_to_end_context_take_turns(self):
        def ends(*overrides):
            out = self.folder / "-".join(("rd", *overrides)).replace("/", "")
            done = subprocess.run([DCCVP, "run", str(DATAGRAMS), "--quiet", "--no-plots", "--out", str(out),
                                   *(word for one in overrides for word in ("-c", one))],
                                  capture_output=True, text=True, timeout=PATIENCE, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            return [flow["fct_s"] * 1e6 for flow in figures(out)["flows"]]

        # A message has 16 packets, the first one with a RETH. Each packet, and the ACK of the last one, crosses two
        # links of 100 Gb/s and 1 us. On the second link the longer first packet delays the other packets.
        def wire(bytes_):
            return (bytes_ + 20) * 8 / 100e3

        packet, ack = 62 + 1024 + 12, 62 + 4 + 4
        message = 2 * wire(packet + 16) + 15 * wire(packet) + 2 * wire(ack) + 4
        shared = ends()
        self.assertAlmostEqual(shared[0], 127 * message, delta=0.01)
        self.assertAlmostEqual(shared[1], 128 * message, delta=0.01)
        self.assertLess(max(shared[2:]), 1.3 * 64 * message)
        alone = ends("traffic.1.ee_context=1", "traffic.3.ee_context=0", "expect=[]")
        self.assertAlmostEqual(alone[3], 128 * message, delta=0.01)
        self.assertLess(max(alone[:2]), 1.3 * 64 * message)

    def test_reliable_datagrams_are_refused_where_they_cannot_be(self):
        for overrides, words in (
                (["traffic.1.rd_domain=3"],
                 "traffic.1.rd_domain: the flows of an end-to-end context are of one domain"),
                (["nic.ack=none"], "a reliable datagram's next message waits for an acknowledgement"),
                (["host.driver=native"], "the driver has no reliable datagrams (rd): driver: none"),
                (["traffic.0.operation=read"], "only a reliable connection (rc) can read")):
            arguments = [word for one in overrides for word in ("-c", one)]
            done = subprocess.run([DCCVP, "check", str(DATAGRAMS), *arguments],
                                  capture_output=True, text=True, timeout=PATIENCE, check=False)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(words, done.stderr)

    def test_what_a_service_cannot_do_is_refused(self):
        for override, words in (
                ("traffic.2.service=uc", "traffic.2.service: only a reliable connection (rc) can read"),
                ("traffic.6.service=uc", "only a reliable connection (rc) has atomic operations"),
                ("traffic.6.message=16B", "traffic.6.message: an atomic operation is on 8 bytes"),
                ("traffic.7.bytes=1001B", "traffic.7.bytes: atomic operations are on 8 bytes each"),
                ("traffic.5.operation=write", "datagrams (ud) can only be sent"),
                ("traffic.5.message=1001B", "a datagram is one packet: at most nic.mtu (1000B)")):
            done = subprocess.run([DCCVP, "check", str(CONFIG), "-c", override],
                                  capture_output=True, text=True, timeout=PATIENCE, check=False)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(words, done.stderr)

    def test_check_refuses_flows_that_their_ends_cannot_carry(self):
        """Hosts 0 and 1 use RoCE, hosts 2 and 3 use TCP."""
        file = self.folder / "mixed.yaml"
        for entry, words in (
                ("{kind: flow, from: 0, to: 2}", "traffic.1: host 0 has transport roce, host 2 has tcp (nics)"),
                ("{kind: flow, from: 2, to: 3, operation: read}", "traffic.1: transport tcp carries messages"),
                ("{kind: flow, from: 3, to: 2, rate: 1Gbps}", "traffic.1: transport tcp controls rates itself")):
            file.write_text("duration: 1ms\ntopology: {kind: star, hosts: 4}\nswitch: {pfc: {enabled: false}}\n"
                            "nic: {payload: virtual, transport: {kind: tcp, ecn: true}}\n"
                            "nics: [{hosts: 0..1, transport: {kind: roce}, congestion_control: {algorithm: dcqcn}}]\n"
                            "traffic:\n  - {kind: flow, from: 0, to: 1, operation: read}\n  - " + entry + "\n",
                            encoding="utf-8")
            for command in (["check"], ["run", "--no-plots", "--out", str(self.folder / "out")]):
                with self.subTest(entry=entry, command=command[0]):
                    done = subprocess.run([DCCVP, *command, str(file)], capture_output=True, text=True,
                                          timeout=PATIENCE, check=False)
                    self.assertEqual(done.returncode, 2, done.stdout)
                    self.assertTrue(done.stderr.startswith(f"dccvp: {file}:8:"), done.stderr)
                    self.assertIn(words, done.stderr)


if __name__ == "__main__":
    DCCVP = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main(verbosity=2)
