#!/usr/bin/python3
"""Tests the traces of a run against their formats and against the figures of the run: the timeline with a schema of
the Trace Event Format, signals with GTKWave's reader, and transactions line by line.

  trace_test.py BUILD/dccvp
"""

import collections
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

import jsonschema

from harness import PATIENCE, SMALL_INCAST, figures

HERE = pathlib.Path(__file__).resolve().parent
DCCVP = ""


class Run(unittest.TestCase):
    def trace(self, options, *more):
        folder = tempfile.TemporaryDirectory(prefix="dccvp-trace-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "t.yaml").write_text(SMALL_INCAST)
        arguments = ["-c", f"output.trace={{{options}}}"] if options else []
        done = subprocess.run([DCCVP, "run", "t.yaml", "--quiet", "--out", "out", *arguments, *more],
                              cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.metrics = json.loads((self.folder / "out/metrics.json").read_text())
        return self.folder / "out/trace"


class Timeline(Run):
    def events(self, options, *more):
        document = json.loads((self.trace(options, *more) / "trace.json").read_text())
        schema = json.loads((HERE / "trace_event_schema.json").read_text())
        jsonschema.Draft7Validator.check_schema(schema)
        jsonschema.validate(document, schema)
        return document["traceEvents"]

    def test_slots_are_slices_with_what_happened_to_them(self):
        events = self.events("perfetto: true")
        instants = collections.Counter(e["name"] for e in events if e["ph"] == "i")
        aggregate = self.metrics["aggregate"]
        self.assertEqual(instants["cut"], aggregate["rate_decreases"])
        self.assertEqual(instants["increase by bytes"] + instants["increase by timer"],
                         aggregate["rate_increases"])
        self.assertGreater(instants["bound"], 2)
        self.assertEqual(instants["increase by timer"],
                         sum(h["timer_events"] for h in self.metrics["hosts"]))
        names = {e["args"]["name"] for e in events if e["ph"] == "M" and "name" in e["args"]}
        self.assertLessEqual({"network", "host 1", "slot 0", "register accesses"}, names)
        slices = {e["name"] for e in events if e["ph"] == "B"}
        self.assertEqual(slices, {"flow 0", "flow 1", "flow 2"})

    def test_slices_nest_and_all_are_closed(self):
        depth = collections.Counter()
        for event in sorted((e for e in self.events("perfetto: true") if e["ph"] in "BE"),
                            key=lambda e: e["ts"]):
            track = event["pid"], event["tid"]
            depth[track] += 1 if event["ph"] == "B" else -1
            self.assertGreaterEqual(depth[track], 0, event)
        self.assertTrue(depth)
        self.assertEqual(set(depth.values()), {0})

    def test_counters_follow_the_series(self):
        events = self.events("perfetto: true, interval: 10us", "-c", "output.series.interval=10us")
        counters = collections.defaultdict(dict)
        for event in events:
            if event["ph"] == "C":
                counters[event["name"]][event["ts"]] = event["args"]["value"]
        self.assertGreater(len(counters["queue s0->h0 (bytes)"]), 20)
        rates = counters["rate of flow 0 (Gb/s)"]
        compared = 0
        for line in (self.folder / "out/series/flow_rates.csv").read_text().splitlines()[1:]:
            t, flow, rate = line.split(",")[:3]
            ts = float(t) * 1e6
            at = [value for key, value in rates.items() if abs(key - ts) < 1e-3]
            if flow == "0" and at:
                self.assertAlmostEqual(at[0], float(rate), places=4)
                compared += 1
        self.assertGreater(compared, 10, "a counter is written when it changes")

    def test_accesses_are_slices_too(self):
        events = self.events("perfetto: true, hosts: 1, to: 30us")
        accesses = [e for e in events if e["ph"] == "X" and e["name"].endswith("dcc.CTRL")]
        self.assertGreater(len(accesses), 2)
        for event in accesses:
            self.assertEqual(event["args"]["response"], "ok")
            self.assertGreater(event["dur"], 0)

    def test_host_flow_and_window_select(self):
        events = self.events("perfetto: true, hosts: [1, 2], flows: 1, from: 200us, to: 400us")
        timed = [e for e in events if "ts" in e]
        self.assertTrue(all(200 <= e["ts"] <= 400 for e in timed))
        self.assertEqual({e["name"] for e in events if e["ph"] == "B"}, {"flow 1"})
        hosts = {e["args"]["name"] for e in events if e.get("name") == "process_name"}
        self.assertEqual(hosts, {"network", "host 1", "host 2"})
        self.assertGreater(len([e for e in events if e["ph"] == "i"]), 3)


class Signals(Run):
    def read_by_gtkwave(self, vcd):
        """The signals as GTKWave's own reader returns them: name -> [(time, value)]."""
        if shutil.which("vcd2fst") is None or shutil.which("fst2vcd") is None:
            self.skipTest("gtkwave is missing")
        fst = vcd.with_suffix(".fst")
        made = subprocess.run(["vcd2fst", vcd, fst], capture_output=True, text=True,
                              timeout=PATIENCE,
                              check=False)
        self.assertEqual(made.returncode, 0, made.stderr)
        text = subprocess.run(["fst2vcd", fst], capture_output=True, text=True, timeout=PATIENCE,
                              check=True).stdout
        return self.parse(text)

    @staticmethod
    def parse(text):
        names, scope, changes, now = {}, [], collections.defaultdict(list), 0
        head, body = text.split("$enddefinitions $end")
        words = head.split()
        for i, word in enumerate(words):
            if word == "$scope":
                scope.append(words[i + 2])
            elif word == "$upscope":
                scope.pop()
            elif word == "$var":
                names[words[i + 3]] = ".".join([*scope, words[i + 4]])
        for word in re.findall(r"#\d+|b[01xz]+ \S+|[01xz]\S+", body):
            if word[0] == "#":
                now = int(word[1:])
            elif word[0] == "b":
                value, code = word[1:].split()
                changes[names[code]].append((now, value))
            elif word[1:] in names:
                changes[names[word[1:]]].append((now, word[0]))
        return changes

    def test_gtkwave_reads_changing_values(self):
        vcd = self.trace("signals: true") / "signals.vcd"
        signals = self.read_by_gtkwave(vcd)
        for name in ("network.s0_h0.queue_bytes", "host1.controller.slots_in_use",
                     "host1.controller.slot0.rate", "host1.controller.slot0.flow",
                     "host1.irq.nic", "host1.irq.cpu"):
            with self.subTest(name=name):
                self.assertGreaterEqual(len({value for _, value in signals[name]}), 2)
        queue = [int(v, 2) for _, v in signals["network.s0_h0.queue_bytes"] if set(v) <= {"0", "1"}]
        self.assertGreater(max(queue), 10_000)
        self.assertLessEqual(max(queue), max(q["max_bytes"] for q in self.metrics["queues"]))
        used = [int(v, 2) for _, v in signals["host1.controller.slots_in_use"] if "x" not in v]
        self.assertEqual(max(used), self.metrics["hosts"][1]["slots_in_use_max"])
        self.assertFalse(list(vcd.parent.glob("*.body")))

    def test_rates_are_the_hardwares(self):
        signals = self.read_by_gtkwave(self.trace("signals: true, perfetto: true") / "signals.vcd")
        document = json.loads((self.folder / "out/trace/trace.json").read_text())
        rates = [(round(e["ts"] * 1e6), round(e["args"]["rate_mbps"] * 256))
                 for e in document["traceEvents"]
                 if e["ph"] == "i" and e["pid"] == 11 and e["tid"] == 100]
        at = {time: int(value, 2) for time, value in signals["host1.controller.slot0.rate"]
              if set(value) <= {"0", "1"}}
        last = dict(rates)  # the last value at each time counts
        self.assertGreater(len(at), 5)
        for time, value in at.items():
            self.assertEqual(last[time], value, time)

    def test_window(self):
        signals = self.read_by_gtkwave(self.trace("signals: true, from: 100us, to: 300us, hosts: 1")
                                       / "signals.vcd")
        times = [t for changes in signals.values() for t, v in changes if set(v) - {"x"}]
        self.assertGreater(len(times), 10)
        self.assertGreaterEqual(min(times), 100_000_000)
        self.assertLessEqual(max(times), 300_000_000)
        self.assertFalse([name for name in signals if name.startswith("host2")])


class Transactions(Run):
    def lines(self, options, *more):
        text = (self.trace(options, *more) / "transactions.jsonl").read_text()
        return [json.loads(line) for line in text.splitlines()]

    def test_every_line_is_whole(self):
        for t in self.lines("transactions: json"):
            self.assertEqual(list(t), ["begin_ps", "end_ps", "path", "target", "command",
                                       "address", "name", "data", "bytes", "response"])
            self.assertRegex(t["path"], r"^host\d\.(cpu|dma)$")
            self.assertIn(t["command"], ("RD", "WR"))
            self.assertEqual(t["response"], "ok")

    def test_sockets_select(self):
        lines = self.lines("transactions: json, sockets: nic, hosts: 2")
        self.assertGreater(len(lines), 30)
        self.assertEqual({(t["path"], t["target"]) for t in lines}, {("host2.cpu", "nic")})

    def test_a_host_without_a_driver_is_programmed_by_the_platform(self):
        lines = self.lines("transactions: json, hosts: 3", "-c", "host.driver=none")
        self.assertEqual({t["path"] for t in lines}, {"host3.platform"})
        self.assertIn(("WR", "dcc.R_MAX"), {(t["command"], t["name"]) for t in lines})


class Off(Run):
    def test_nothing_is_left_and_nothing_is_changed(self):
        self.assertFalse(self.trace("").exists())
        plain = figures(self.folder / "out")
        self.trace("perfetto: true, signals: true, transactions: json")
        self.assertEqual(figures(self.folder / "out"), plain)

    def test_two_traces_are_alike(self):
        options = "perfetto: true, signals: true, transactions: json"
        first = {p.name: p.read_bytes() for p in self.trace(options).iterdir()}
        second = {p.name: p.read_bytes() for p in self.trace(options).iterdir()}
        self.assertEqual(sorted(first), ["signals.vcd", "trace.json", "transactions.jsonl"])
        self.assertEqual(first, second)

    def test_a_disk_that_is_full_loses_the_trace_and_nothing_else(self):
        def refuse_more_than_200_kb():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))

        self.trace("")
        plain = json.loads((self.folder / "out/metrics.json").read_text())
        done = subprocess.run([DCCVP, "run", "t.yaml", "--quiet", "--out", "other", "-c",
                               "output.series={flows: none, queues: none, classes: false}", "-c",
                               "output.trace={perfetto: true, signals: true, transactions: json}"],
                              cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE,
                              restore_signals=False, preexec_fn=refuse_more_than_200_kb, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("'other/trace/trace.json' could not be written to its end", done.stderr)
        self.assertIn("(the other results are whole)", done.stderr)
        metrics = json.loads((self.folder / "other/metrics.json").read_text())
        self.assertEqual(metrics["aggregate"], plain["aggregate"])
        self.assertNotIn("trace.json", {p.name for p in (self.folder / "other/trace").iterdir()})

    def test_a_flow_that_is_not_there(self):
        self.trace("")
        done = subprocess.run([DCCVP, "run", "t.yaml", "--out", "other", "-c",
                               "output.trace={perfetto: true, flows: 7}"], cwd=self.folder,
                              capture_output=True, text=True, timeout=PATIENCE, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("output.trace.flows: there is no flow 7: there are 0 to 2", done.stderr)
        self.assertFalse((self.folder / "other").exists())


if __name__ == "__main__":
    DCCVP = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
