#!/usr/bin/python3
"""Tests the traces of firmware in a platform run: instructions, transactions, misused registers."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import jsonschema

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "system"))
from harness import PATIENCE, figures  # noqa: E402

DCCVP, FIRMWARE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()

SCHEMA = pathlib.Path(__file__).resolve().parents[1] / "system/trace_event_schema.json"

PLATFORM = """\
duration: 400us
topology: {{kind: star, hosts: 3, link: {{rate: 100Gbps}}}}
nic: {{payload: virtual, congestion_control: {{algorithm: dcc}}}}
host: {{driver: firmware, elf: {elf}}}
hosts: {{"2": {{driver: native}}}}
traffic:
  - {{kind: flow, from: 1, to: 0, dscp: 46, bytes: 8KiB, message: 4KiB, start: 100us}}
"""


class Traces(unittest.TestCase):
    def run_platform(self, elf, *arguments):
        folder = tempfile.TemporaryDirectory(prefix="dccvp-trace-")
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name, "out")
        config = pathlib.Path(folder.name, "platform.yaml")
        config.write_text(PLATFORM.format(elf=FIRMWARE / f"{elf}.elf"))
        done = subprocess.run([DCCVP, "run", config, "--out", self.out, "--no-plots", "--quiet",
                               *arguments], capture_output=True, text=True, timeout=PATIENCE,
                              cwd=folder.name, check=False)
        return done

    def expect_ok(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_every_misuse_shows_with_the_registers_name(self):
        self.expect_ok(self.run_platform("test_misuse", "-c", "output.trace={transactions: json, "
                                         "hosts: 1, sockets: cpu}"))
        lines = [json.loads(line) for line in
                 (self.out / "trace/transactions.jsonl").read_text().splitlines()]
        seen = [(t["command"], t["name"], t["response"], t["data"]) for t in lines
                if t["target"] in ("controller", "nic", "")]
        self.assertEqual(seen[0], ("WR", "dcc.ID", "read_only", "0x00000001"))
        self.assertEqual(seen[1][:3], ("RD", "dcc+0x0ffc", "unmapped"))
        self.assertEqual(seen[2][:3], ("WR", "dcc.CTRL", "narrow"))
        self.assertEqual(seen[3], ("WR", "dcc.TICK_DIV", "out_of_range", "0x00000001"))
        self.assertEqual(seen[4], ("WR", "nic.QP_STATUS", "read_only", "0x00000005"))
        self.assertEqual((seen[5][0], seen[5][2]), ("RD", "unmapped"))
        self.assertIn("nothing is mapped there", seen[5][1])
        self.assertEqual(seen[6], ("WR", "dcc.CTRL", "ok", "0x00000001"))
        self.assertEqual(len(seen), 7)
        self.assertEqual({t["path"] for t in lines}, {"host1.cpu"})
        times = [(t["begin_ps"], t["end_ps"]) for t in lines]
        self.assertEqual(times, sorted(times))
        self.assertTrue(all(begin < end for begin, end in times))

    def test_a_file_for_every_traced_cpu(self):
        self.expect_ok(self.run_platform("traffic", "-c", "output.trace.cpu=true"))
        names = sorted(p.name for p in (self.out / "trace").iterdir())
        self.assertEqual(names, ["cpu.host0.txt", "cpu.host1.txt"])
        text = (self.out / "trace/cpu.host1.txt").read_text()
        self.assertIn("80000000 _start ", text.splitlines()[0])
        for pattern in (r"80\w{6} main\+0x\w+ +\S+ jal ra,", r"traffic_app_step\+",
                        r" -- machine external interrupt", r"mret$"):
            self.assertIsNotNone(re.search(pattern, text, re.MULTILINE), pattern)
        metrics = json.loads((self.out / "metrics.json").read_text())
        instructions = sum(1 for line in text.splitlines() if not line.lstrip().startswith("--"))
        self.assertEqual(instructions, metrics["hosts"][1]["instructions"],
                         "as many lines as instructions")

    def test_coverage_and_profile_of_hosts(self):
        self.expect_ok(self.run_platform("traffic"))
        plain = (self.out / "flows.csv").read_bytes()
        self.expect_ok(self.run_platform("traffic", "-c", "output.trace={coverage: true, profile: true}"))
        self.assertEqual((self.out / "flows.csv").read_bytes(), plain)
        names = sorted(p.name for p in (self.out / "trace").iterdir())
        hosts = range(len(names) // 2)
        self.assertGreater(len(hosts), 1)
        self.assertEqual(names, sorted([f"coverage.host{n}.info" for n in hosts] +
                                       [f"callgrind.host{n}.out" for n in hosts]))
        text = (self.out / "trace/coverage.host1.info").read_text()
        self.assertIn("sw/app/traffic_app.c\n", text)
        calls = {name: count for count, name in (line[5:].split(",") for line in text.splitlines()
                                                 if line.startswith("FNDA:"))}
        self.assertEqual(calls["traffic_app_start"], "1")
        self.assertIn("traffic_app_step", calls)
        counts = [int(line.split(",")[1]) for line in text.splitlines() if line.startswith("DA:")]
        self.assertIn(0, counts)
        self.assertGreater(max(counts), 100)
        self.assertIn("fn=traffic_app_step", (self.out / "trace/callgrind.host1.out").read_text())
        done = self.run_platform("traffic", "-c", "output.trace={coverage: true}", "-c", "host.driver=native")
        self.assertEqual(done.returncode, 2)
        self.assertIn("output.trace.coverage: none of the traced hosts runs firmware, or a program on its NIC",
                      done.stderr)

    def test_trace_cpu_of_one_host_in_a_window(self):
        where = self.out_of("cpu.txt")
        self.expect_ok(self.run_platform("traffic", "--trace-cpu", where, "-c",
                                         "output.trace={hosts: 1, from: 20us, to: 22us}"))
        times = [int(line.split()[0]) for line in where.read_text().splitlines()
                 if not line.lstrip().startswith("--")]
        self.assertGreater(len(times), 100)
        self.assertGreaterEqual(times[0], 20_000)
        self.assertLess(times[-1], 22_100)
        self.assertFalse((self.out / "trace").exists())

    def out_of(self, name):
        folder = tempfile.TemporaryDirectory(prefix="dccvp-cpu-")
        self.addCleanup(folder.cleanup)
        return pathlib.Path(folder.name, name)

    def test_tracing_changes_nothing(self):
        self.expect_ok(self.run_platform("traffic"))
        plain = figures(self.out)
        self.assertFalse((self.out / "trace").exists())
        self.expect_ok(self.run_platform("traffic", "-c",
                                         "output.trace={cpu: true, transactions: text}"))
        self.assertEqual(figures(self.out), plain)
        text = (self.out / "trace/transactions.txt").read_text()
        for pattern in (r"host1\.cpu  WR 0x4000000c dcc\.CTRL = 0x000000\w\w  ok$",
                        r"host1\.dma  RD 0x80\w+ ram \+ 0x\w+ = \w+\.\.\. \d+ bytes  ok$",
                        r"host2\.cpu  WR 0x4010\w+ nic\.\w+ = "):
            self.assertTrue(re.search(pattern, text, re.MULTILINE), pattern)

    def test_functions_are_slices_of_the_timeline(self):
        self.expect_ok(self.run_platform("traffic", "-c", "output.trace={perfetto: true, hosts: 1}"))
        document = json.loads((self.out / "trace/trace.json").read_text())
        jsonschema.validate(document, json.loads(SCHEMA.read_text()))
        events = document["traceEvents"]
        track = next((e["pid"], e["tid"]) for e in events
                     if e.get("name") == "thread_name" and e["args"]["name"] == "firmware")
        stack, ended, parents = [], {}, {}
        for event in (e for e in events if e["ph"] in "BE" and (e["pid"], e["tid"]) == track):
            if event["ph"] == "B":
                if stack:
                    self.assertGreaterEqual(event["ts"], stack[-1][1], "a child before its parent")
                    parents.setdefault(event["name"], set()).add(stack[-1][0])
                stack.append((event["name"], event["ts"]))
            else:
                name, begin = stack.pop()
                self.assertGreaterEqual(event["ts"], begin)
                ended[name] = ended.get(name, 0) + 1
        self.assertEqual(stack, [])
        self.assertEqual(ended["_start"], 1)
        self.assertEqual(parents["main"], {"_start"})
        self.assertEqual(parents["on_external_interrupt"], {"trap_entry"})
        self.assertIn("traffic_app_step", ended)
        accesses = [e["name"] for e in events if e["ph"] == "X"]
        self.assertIn("WR dcc.CTRL", accesses)

    def test_a_file_that_cannot_be_written(self):
        done = self.run_platform("traffic", "--trace-cpu", "/dev/full", "-c", "output.trace.hosts=1")
        self.assertEqual(done.returncode, 2)
        self.assertIn("'/dev/full' could not be written to its end", done.stderr)
        self.assertTrue((self.out / "metrics.json").exists(), "the run's results were lost")
        done = self.run_platform("traffic", "--trace-cpu", "/nonexistent/x")
        self.assertEqual(done.returncode, 2)
        self.assertIn("'/nonexistent/x.host0' cannot be written", done.stderr)
        self.assertFalse(self.out.exists())

    def test_no_cpu_to_trace(self):
        done = self.run_platform("traffic", "--trace-cpu", self.out_of("x"), "-c",
                                 "output.trace.hosts=2")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no traced host runs firmware", done.stderr)
        self.assertFalse(self.out.exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
