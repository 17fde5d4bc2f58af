#!/usr/bin/python3
"""Compares packet captures with Wireshark's tools and with the counters of the run.

  capture_test.py BUILD/dccvp

tshark decodes every frame. The counts of the decoded frames must equal those of metrics.json.
"""

import collections
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

from harness import PATIENCE, figures

ROOT = pathlib.Path(__file__).resolve().parents[2]
DCCVP = ""

CNP, ACK = "129", "17"
DATA = {"6", "7", "8", "9", "10", "11"}
# Flows of limited size, with a measurement window from the first packet to the last, so that every marked packet of
# the run is captured.
FINITE = ("duration=20ms", "measure={from: 0us, to: 20ms}",
          "traffic=[{kind: incast, senders: 1..4, receiver: 0, dscp: 46, bytes: 2MB},"
          " {kind: incast, senders: 5..8, receiver: 0, dscp: 10, bytes: 2MB}]")
FIELDS = ("frame.interface_name", "frame.time_epoch", "frame.len", "frame.cap_len",
          "infiniband.bth.opcode", "ip.dsfield.ecn", "ip.dsfield.dscp", "ip.checksum.status",
          "udp.dstport", "udp.checksum", "ip.src", "ip.dst", "infiniband.bth.destqp", "macc.opcode", "_ws.malformed")

# One captured frame. The fields have the order of FIELDS.
Frame = collections.namedtuple("Frame", [
    "interface_name", "time_epoch", "len", "cap_len", "opcode", "ecn", "dscp", "checksum", "port",
    "udp_checksum", "source", "destination", "qpn", "mac_opcode", "malformed"])


def dccvp(command, config, *overrides, out=None, code=0):
    arguments = [DCCVP, command, str(config)]
    for override in overrides:
        arguments += ["-c", override]
    if out is not None:
        arguments += ["--out", str(out), "--no-plots"]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=PATIENCE, check=False)
    if done.returncode != code:
        raise AssertionError(f"exit {done.returncode}: {done.stderr}{done.stdout}")
    return done


def frames_of(file):
    arguments = ["tshark", "-n", "-r", str(file), "-o", "ip.check_checksum:TRUE", "-T", "fields",
                 "-E", "separator=,", "-E", "occurrence=f"]
    for field in FIELDS:
        arguments += ["-e", field]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=PATIENCE, check=True)
    return [Frame(*line.split(",")) for line in done.stdout.splitlines()]


def whole_frames(file):
    """Returns the bytes of every frame in a pcapng file whose frames are complete."""
    data = file.read_bytes()
    at = 0
    while at < len(data):
        kind, size = struct.unpack_from("<II", data, at)
        if kind == 6:  # block type 6 is the enhanced packet block
            captured, length = struct.unpack_from("<II", data, at + 20)
            if captured == length:
                yield data[at + 28:at + 28 + length]
        at += size


def icrc_of(frame):
    """Computes the invariant CRC by the specification (InfiniBand Architecture, annex A17). Eight bytes of ones
    replace the missing local header, and all fields that a router may change count as ones."""
    masked = bytearray(b"\xff" * 8 + frame[14:-4])
    for byte in (1, 8, 10, 11, 20 + 6, 20 + 7, 28 + 4):  # bytes of ToS, TTL, checksums, and FECN/BECN
        masked[8 + byte] = 0xFF
    return struct.pack("<I", zlib.crc32(masked))


class Capture(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="dccvp-capture-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_demo(self, *overrides, packets, name="run"):
        out = self.folder / name
        dccvp("run", ROOT / "configs/demo.yaml", *overrides,
              f"output.trace.packets={packets}", out=out)
        return out

    def check_decoded(self, frames):
        for frame in frames:
            self.assertEqual(frame.malformed, "", frame)
            if frame.mac_opcode:
                continue
            self.assertEqual(frame.port, "4791", frame)
            self.assertEqual(frame.checksum, "1", frame)
            # The UDP checksum is unused, since the ICRC covers the packet.
            self.assertEqual(frame.udp_checksum, "0x0000", frame)
            self.assertIn(frame.opcode, DATA | {CNP, ACK}, frame)


class Demo(Capture):
    def test_every_frame_decoded_and_the_counts_are_the_counters(self):
        out = self.run_demo(*FINITE, packets="[{name: all, snap: 9216B}, {name: short}]")
        metrics = figures(out)
        frames = frames_of(out / "trace/all.pcapng")
        self.check_decoded(frames)
        self.assertEqual(len(frames), metrics["link_traversals"])

        from_switch = [f for f in frames if f.interface_name.startswith("s0->")]
        from_hosts = [f for f in frames if not f.interface_name.startswith("s0->")]
        a = metrics["aggregate"]
        self.assertGreater(a["ecn_marks"], 100)
        self.assertGreater(a["cnps_sent"], 100)
        self.assertEqual(sum(f.ecn == "3" for f in from_switch), a["ecn_marks"])
        self.assertEqual(sum(f.ecn == "3" for f in from_hosts), 0)
        cnps = [f for f in from_hosts if f.opcode == CNP]
        self.assertEqual(len(cnps), a["cnps_sent"])
        self.assertEqual({f.dscp for f in cnps}, {"48"})
        self.assertEqual(sum(f.opcode == CNP for f in from_switch), a["cnps_received"])
        pauses = sum(f.mac_opcode != "" for f in frames)
        self.assertEqual(len(from_hosts) + pauses, metrics["balance"]["packets_sent"])
        for link in metrics["links"]:
            mine = [f for f in frames if f.interface_name == link["name"]]
            # The captured frames have no FCS (four bytes). The counter tx_bytes includes the FCS but not the gap
            # between frames.
            self.assertEqual(sum(int(f.len) + 4 for f in mine), link["tx_bytes"], link["name"])
        times = [f.time_epoch for f in frames]
        self.assertEqual(times, sorted(times))

        whole = [f for f in whole_frames(out / "trace/all.pcapng") if f[12:14] == b"\x08\x00"]
        self.assertEqual(len(whole) + pauses, len(frames))
        wrong = [f.hex() for f in whole if f[-4:] != icrc_of(f)]
        self.assertEqual(len(wrong), 0, wrong[:1])

        # With the default snap length the capture has the same frames, truncated to their first 128 bytes.
        short = frames_of(out / "trace/short.pcapng")
        self.check_decoded(short)
        self.assertEqual([f._replace(cap_len="") for f in short],
                         [f._replace(cap_len="") for f in frames])
        self.assertEqual({int(f.cap_len) for f in short},
                         {min(128, int(f.len)) for f in frames})

    def test_wireshark_finds_nothing_wrong_in_whole_frames(self):
        out = self.run_demo(*FINITE, packets="[{ports: h0, snap: 9216B}]")
        done = subprocess.run(["tshark", "-n", "-r", str(out / "trace/packets.pcapng")],
                              capture_output=True, text=True, check=True)
        # Every captured packet is of a known kind, since these wires carry no other packets.
        for line in done.stdout.splitlines():
            self.assertRegex(line, r" RRoCE .*(RDMA Write|Acknowledge|CNP|Unknown OpCode)")
        self.assertGreater(done.stdout.count("RDMA Write"), 1000)
        # Wireshark 4.0 has no name for a CNP's opcode.
        self.assertGreater(len(re.findall("CNP|Unknown OpCode", done.stdout)), 100)

    def test_other_transports_are_labelled(self):
        out = self.folder / "uec"
        dccvp("run", ROOT / "configs/schemes/uec.yaml", "duration=1ms", "expect=[]",
              "traffic=[{kind: incast, receiver: 0, bytes: 100KB}]",
              "output.trace.packets=[{ports: h0, snap: 9216B}]", out=out)
        done = subprocess.run(
            ["tshark", "-n", "-r", str(out / "trace/packets.pcapng"), "-o", "ip.check_checksum:TRUE",
             "-T", "fields", "-e", "ip.proto", "-e", "ip.checksum.status", "-e", "ip.dsfield.ecn",
             "-e", "data.data", "-e", "_ws.malformed"], capture_output=True, text=True, check=True)
        kinds, marks = collections.Counter(), 0
        for line in done.stdout.splitlines():
            protocol, checksum, ecn, data, malformed = line.split("\t")
            self.assertEqual((protocol, checksum, malformed), ("253", "1", ""), line)
            label = bytes.fromhex(data).rstrip(b"\0").decode("ascii")
            kinds[re.fullmatch(r"uec (\w+) \d+, flow \d+, qp \d+, \d+ B, [0-9a-f]+", label)[1]] += 1
            marks += ecn == "3"
        metrics = figures(out)
        self.assertEqual(kinds["data"], 31 * 25)
        self.assertEqual(kinds["trimmed"], metrics["wasted"]["trimmed"])
        self.assertGreater(kinds["ack"], 0)
        self.assertGreater(kinds["nak"], 0)
        self.assertGreater(marks, 0)

    def test_capinfos_sees_ports_speed_and_nanoseconds(self):
        out = self.run_demo("duration=1ms", "measure={from: 0us, to: 1ms}",
                            packets="[{ports: [h3--s0, s0->h0]}]")
        text = subprocess.run(["capinfos", str(out / "trace/packets.pcapng")],
                              capture_output=True, text=True, check=True).stdout
        for words in ("nanoseconds (9)", "Number of interfaces in file: 3", "Name = s0->h3",
                      "Name = h3->s0", "Name = s0->h0", "Speed = 100000000000",
                      "Strict time order:   True", "Capture length = 128"):
            self.assertIn(words, text)

    def test_a_capture_changes_nothing_else_and_repeats(self):
        short = ("duration=1ms", "measure={from: 0us, to: 1ms}")
        one = self.run_demo(*short, packets="[{ports: h0}]", name="one")
        two = self.run_demo(*short, packets="[{ports: h0}]", name="two")
        off = self.run_demo(*short, packets="[]", name="off")
        self.assertEqual((one / "trace/packets.pcapng").read_bytes(),
                         (two / "trace/packets.pcapng").read_bytes())
        self.assertEqual(figures(one), figures(off))
        self.assertFalse((off / "trace").exists())


class Selections(Capture):
    def test_flow_window_and_port(self):
        out = self.run_demo(*FINITE, packets="[{name: all}, "
                            "{name: some, ports: [s0->h0, h0->s0], flows: [1, 6], from: 300us, "
                            "to: 500us}]")
        everything = frames_of(out / "trace/all.pcapng")
        # Host h has the address 10.x.x.x with h + 1. In this configuration flow f goes from host f + 1 to host 0.
        hosts = {"10.0.0.3", "10.0.0.8"}
        expected = [f for f in everything if f.interface_name in ("s0->h0", "h0->s0")
                    and 300e-6 <= float(f.time_epoch) < 500e-6
                    and (f.source in hosts or f.destination in hosts)]
        # Interface numbers are counted within a file, and interface names are the same in all files.
        self.assertGreater(len(expected), 100)
        self.assertEqual(frames_of(out / "trace/some.pcapng"), expected)

    def test_pause_frames_are_seen_and_counted(self):
        out = self.folder / "pfc"
        dccvp("run", ROOT / "configs/incast_8x25g.yaml", "duration=2ms",
              "measure={from: 0us, to: 2ms}", "switch.ecn.enabled=false", "switch.buffer=600KB",
              "output.trace.packets=[{}]", out=out)
        frames = frames_of(out / "trace/packets.pcapng")
        self.check_decoded(frames)
        pauses = [f for f in frames if f.mac_opcode]
        self.assertGreater(len(pauses), 10)
        self.assertEqual({f.mac_opcode for f in pauses}, {"0x0101"})
        self.assertEqual(len(frames), figures(out)["link_traversals"])

    def test_lldp_is_what_wireshark_takes_for_data_center_bridging(self):
        out = self.folder / "dcbx"
        dccvp("run", ROOT / "configs/incast_8x25g.yaml", "duration=1ms", "measure={from: 0us, to: 1ms}",
              "switch.scheduler={kind: ets, weights: [3, 1, 0, 0, 0, 0, 0, 0]}",
              "dcbx={enabled: true, ends: [{ports: h3->s0, willing: no, pfc: [3, 4], roce_priority: 5}]}",
              "faults=[{kind: link_flap, link: h2--s0, start: 300us, down: 100us, up: 1ms}]",
              "output.trace.packets=[{snap: 9216B}]", out=out)
        file = str(out / "trace/packets.pcapng")
        # The fields of the PFC settings occur twice in a frame: in the configuration TLV and in the recommendation
        # TLV.
        fields = ["frame.interface_name", "_ws.malformed", "eth.dst", "eth.src", "lldp.chassis.id.mac",
                  "lldp.port.id", "lldp.time_to_live", "lldp.ieee.802_1.subtype",
                  "lldp.dcbx.ieee.willing", "lldp.dcbx.ieee.ets.tsa0", "lldp.dcbx.ieee.ets.tsa7",
                  "lldp.dcbx.feature.pg.per0", "lldp.dcbx.ieee.app.prio", "lldp.dcbx.feature.pfc.prio3",
                  "lldp.dcbx.feature.pfc.prio0", "frame.len"]
        done = subprocess.run(["tshark", "-n", "-r", file, "-Y", "lldp", "-T", "fields", "-E", "separator=|"]
                              + [word for field in fields for word in ("-e", field)],
                              capture_output=True, text=True, timeout=PATIENCE, check=True)
        frames = [dict(zip(fields, line.split("|"))) for line in done.stdout.splitlines()]
        metrics = figures(out)
        self.assertEqual(len(frames), metrics["dcbx"]["frames_sent"])
        # frames of both ends of nine links, and of the flapped link once more
        self.assertEqual(len(frames), 2 * 9 + 2)
        for frame in frames:
            with self.subTest(frame=frame):
                self.assertEqual(frame["_ws.malformed"], "")
                self.assertEqual(frame["eth.dst"], "01:80:c2:00:00:0e")
                self.assertEqual(frame["lldp.time_to_live"], "121")
                self.assertEqual(frame["lldp.ieee.802_1.subtype"], "0x09,0x0a,0x0b,0x0c")
                self.assertEqual(frame["lldp.dcbx.feature.pg.per0"], "75,75")
                self.assertEqual(frame["lldp.dcbx.ieee.ets.tsa0"], "2,2")
                self.assertEqual(frame["lldp.dcbx.ieee.ets.tsa7"], "0,0")
        by_port = {frame["frame.interface_name"]: frame for frame in frames}
        self.assertEqual(by_port["h3->s0"]["lldp.dcbx.ieee.willing"], "0,0")
        self.assertEqual(by_port["h3->s0"]["lldp.dcbx.feature.pfc.prio3"], "1")
        self.assertEqual(by_port["h3->s0"]["lldp.dcbx.feature.pfc.prio0"], "0")
        self.assertEqual(by_port["h3->s0"]["lldp.dcbx.ieee.app.prio"].split(",")[0], "5")
        self.assertEqual(by_port["h4->s0"]["lldp.dcbx.ieee.willing"], "1,1")
        self.assertEqual(by_port["s0->h4"]["lldp.dcbx.ieee.willing"], "0,0")
        self.assertEqual(by_port["s0->h4"]["lldp.dcbx.feature.pfc.prio0"], "1")
        differences = {(d["link"], d["of"]) for d in metrics["dcbx"]["differences"]}
        self.assertEqual({of for _, of in differences}, {"pfc", "applications"})
        self.assertTrue(all("h3" in link for link, _ in differences), differences)
        self.assertTrue(any(warning.startswith("DCBX: the ends of") and "h3" in warning
                            for warning in metrics["warnings"]), metrics["warnings"])

    def test_a_choice_of_flows_leaves_out_the_closed_loops_own_messages(self):
        out = self.folder / "out"
        dccvp("run", ROOT / "configs/tenants.yaml", "duration=1ms", "measure={from: 0us}",
              "host.ram=32MiB", "traffic.1.flows=59", "expect=[]", "qos.report_interval=100us",
              "qos.update_interval=100us", "output.trace.packets=[{name: own, ports: [h4],"
              " flows: [0, 63]}, {name: all, ports: [h4]}]", out=out)
        self.assertGreater(len(frames_of(out / "trace/all.pcapng")), 20)
        # host 4 only runs the QoS manager and sends no flow
        self.assertEqual(frames_of(out / "trace/own.pcapng"), [])

    def test_what_is_not_there_is_refused_with_its_place(self):
        config = self.folder / "c.yaml"
        base = ("topology: {kind: star, hosts: 3}\n"
                "traffic: [{kind: flow, from: 1, to: 0, bytes: 1MB}]\n")
        for text, words in (
                ("{ports: [s0->h0, s0->h7]}",
                 "3:36: output.trace.packets.0.ports: there is no port 's0->h7'; did you mean 's0->h"),
                ("{flows: 3}", "3:36: output.trace.packets.0.flows: there is no flow 3: there are 0"),
                ("{port: s0}", "3:29: unknown key 'port' in output.trace.packets.0; did you mean"),
                ("{snap: 10B}", "3:35: '10B' is out of range"),
                ("{from: 1s}", "3:35: output.trace.packets.0.from: the capture begins at 1s")):
            config.write_text(base + f"output: {{trace: {{packets: [{text}]}}}}\n")
            for command, out in (("check", None), ("run", self.folder / "out")):
                with self.subTest(text=text, command=command):
                    done = dccvp(command, config, out=out, code=2)
                    self.assertTrue(done.stderr.startswith(f"dccvp: {config}:{words}"), done.stderr)
        config.write_text(base + "faults: [{kind: loss, link: s0->h9, probability: 0.1}]\n")
        for command, out in (("check", None), ("run", self.folder / "out")):
            done = dccvp(command, config, out=out, code=2)
            self.assertIn(f"{config}:3:29: faults.0.link: there is no link 's0->h9'", done.stderr)
        self.assertEqual([p.name for p in self.folder.iterdir()], ["c.yaml"], "something was left")


if __name__ == "__main__":
    DCCVP = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main(verbosity=2)
