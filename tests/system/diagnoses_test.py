#!/usr/bin/python3
"""Tests the diagnoses of whole runs. A run reports each finding when the test provokes it, and does not report it
when its cause is removed. The finding appears in metrics.json, on the terminal, in `check` and in the report."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from harness import PATIENCE

DCCVP = pathlib.Path(sys.argv.pop(1)).resolve()

STAR = """\
duration: {duration}
topology: {{kind: star, hosts: 5, link: {{rate: 100Gbps, delay: 1us}}}}
host: {{driver: none}}
output: {{plots: false, series: {{interval: 100us}}}}
"""
INCAST = "traffic: [{kind: incast, senders: 1..4, receiver: 0}]\n"
NO_CONTROL = "nic: {congestion_control: {algorithm: none}}\n"


class Diagnoses(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="dccvp-diagnoses-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.runs = 0

    def config(self, more, duration="1ms"):
        self.runs += 1
        path = self.folder / f"{self.runs}.yaml"
        path.write_text(STAR.format(duration=duration) + more)
        return path

    def found(self, more, *arguments, duration="1ms"):
        """Returns {id: finding} of a run."""
        config = self.config(more, duration)
        out = self.folder / config.stem
        done = subprocess.run([DCCVP, "run", config, "--no-plots", "--out", out, *arguments], capture_output=True,
                              text=True, timeout=PATIENCE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        metrics = json.loads((out / "metrics.json").read_text(encoding="utf-8"))
        self.assertEqual(metrics["warnings"], [finding["text"] for finding in metrics["diagnoses"]])
        for finding in metrics["diagnoses"]:
            self.assertIn(f"Note: {finding['text']} [{finding['id']}]", done.stdout)
        return {finding["id"]: finding for finding in metrics["diagnoses"]}

    def test_shipped_files_explain_diagnoses_that_exist(self):
        root = pathlib.Path(__file__).resolve().parents[2]
        page = (root / "docs/diagnoses.md").read_text(encoding="utf-8")
        known = set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE))
        named = set()
        for file in (root / "configs").rglob("*.yaml"):
            for names in re.findall(r"^# Notes? ([a-z_, ]+):", file.read_text(encoding="utf-8"), re.MULTILINE):
                named |= set(names.split(", "))
        self.assertGreater(len(named), 5)
        self.assertEqual(named - known, set())

    def test_nothing_where_all_is_well(self):
        self.assertEqual(self.found(NO_CONTROL + INCAST), {})

    def test_a_link_idles(self):
        slow = "nic: {congestion_control: {algorithm: dcqcn, initial_rate: 5Gbps, r_ai: 1Mbps, r_hai: 1Mbps}}\n"
        found = self.found(slow + INCAST)
        self.assertEqual(list(found), ["idle_link"])
        self.assertEqual(found["idle_link"]["figures"]["link"], "s0->h0")
        self.assertLess(found["idle_link"]["figures"]["utilisation"], 0.3)

    def test_timers_run_out_without_loss(self):
        # The first packets of 400 flows occupy the port for 34 us, more than the run of 20 us, so no round trip is
        # measured.
        crowd = INCAST.replace("receiver: 0", "receiver: 0, flows: 100")
        short = "nic: {recovery: {timeout: 20us}, congestion_control: {algorithm: none}}\n"
        found = self.found(short + crowd, duration="500us")
        self.assertGreater(found["timeouts_without_loss"]["figures"]["timeouts"], 0)
        found = self.found(short.replace("20us", "10ms") + crowd, duration="500us")
        self.assertNotIn("timeouts_without_loss", found)

    def test_a_lossless_class_loses(self):
        found = self.found("switch: {buffer: 200KB, pfc: {headroom: 1KB}}\n" + NO_CONTROL + INCAST)
        self.assertGreater(found["lossless_loss"]["figures"]["packets"], 0)
        # The missing headroom is 2 us at 100 Gb/s, three packets and the pause frame, minus 1 KB.
        self.assertAlmostEqual(found["lossless_loss"]["figures"]["missing_bytes"], 27_400, delta=300)
        self.assertNotIn("lossless_loss", self.found("switch: {buffer: 200KB}\n" + NO_CONTROL + INCAST))

    def test_lost_packets_that_nobody_sends_again_starve_a_flow(self):
        lossy = ("nic: {{recovery: {{kind: {}, timeout: 100us}}, congestion_control: {{algorithm: none}}}}\n"
                 "faults: [{{kind: loss, link: h1->s0, probability: 0.01, stop: 20us}}]\n"
                 "traffic: [{{kind: flow, from: 1, to: 0, bytes: 2MB}}]\n")
        found = self.found(lossy.format("none"))
        self.assertEqual(found["starving_flows"]["figures"]["starving"], 1)
        self.assertEqual(found["starving_flows"]["figures"]["completed"], 0)
        self.assertNotIn("starving_flows", self.found(lossy.format("go_back_n")))
        # All data arrives, but every ACK is lost.
        deaf = lossy.replace("h1->s0, probability: 0.01", "h0->s0, probability: 1").replace("2MB", "20KB")
        self.assertEqual(self.found(deaf.format("none"))["starving_flows"]["figures"]["starving"], 1)
        self.assertNotIn("starving_flows", self.found(deaf.format("go_back_n")))

    def test_weights_without_a_mark(self):
        weighted = ("dscp: {46: {weight: 4}, 10: {weight: 1}}\n"
                    "nic: {congestion_control: {algorithm: dcc, policy: proportional}}\n"
                    "switch: {ecn: {%s}}\n"
                    "measure: {from: 3ms}\n"
                    "traffic: [{kind: flow, from: 1, to: 0, dscp: 46}, {kind: flow, from: 2, to: 0, dscp: 10}]\n")
        found = self.found(weighted % "kmin: 20MB, kmax: 40MB, pmax: 0.2", duration="5ms")
        self.assertLess(found["weights_without_effect"]["figures"]["effect"], 0.25)
        self.assertIn("thresholds_beyond_buffer", found)
        found = self.found(weighted % "kmin: 55KB, kmax: 440KB, pmax: 1, mark_at: dequeue", duration="5ms")
        self.assertNotIn("weights_without_effect", found)

    def test_traffic_ends_before_the_window(self):
        native = "traffic: [{kind: flow, from: 1, to: 0, bytes: %s}]\n"
        found = self.found(native % "1MB", "-c", "host.driver=native")
        self.assertGreater(found["traffic_ends_early"]["figures"]["idle_share"], 0.8)
        self.assertNotIn("traffic_ends_early", self.found(native % "20MB", "-c", "host.driver=native"))

    def test_check_tells_what_is_known_before(self):
        def checked(more, *arguments):
            done = subprocess.run([DCCVP, "check", self.config(more), *arguments], capture_output=True, text=True,
                                  timeout=PATIENCE, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout
        self.assertNotIn("Note:", checked(INCAST))
        far = INCAST + "switch: {buffer: 8MB}\n"
        self.assertIn("[headroom_exceeds_buffer]", checked(far, "-c", "topology.link.delay=400us"))
        real = "nic: {payload: real, dma: {rate: 40Gbps}}\n"
        self.assertIn("[host_slower_than_port]", checked(INCAST + real, "-c", "host.driver=native"))
        self.assertIn("[unused_parameters]", checked(INCAST + "nic: {dma: {rate: 40Gbps}}\n"))
        for setting, off in (("switch.pfc.quanta=37", "switch.pfc.enabled=false"),
                             ("switch.ecn.draw=packet", "switch.ecn.enabled=false")):
            self.assertNotIn("[unused_parameters]", checked(INCAST, "-c", setting))
            self.assertIn("[unused_parameters]", checked(INCAST, "-c", setting, "-c", off))

    def test_the_report_shows_them(self):
        self.found("nic: {dma: {rate: 40Gbps}, congestion_control: {algorithm: none}}\n" + INCAST, duration="100us")
        page = self.folder / "report.html"
        done = subprocess.run([DCCVP, "report", self.folder / "1", "-o", page], capture_output=True, text=True,
                              timeout=PATIENCE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("nic.dma.rate (40Gbps): nic.payload is virtual, so no DMA moves payload [unused_parameters]",
                      page.read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
