#!/usr/bin/python3
"""Tests the contract of the command line: exit statuses, one-line errors with their place, no output files before the
input is accepted, complete and repeatable results.

  cli_test.py BUILD/dccvp [--full]
"""

import csv
import json
import os
import re
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from harness import PATIENCE, figures

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests/config"))
import bad_configs  # noqa: E402

DCCVP = ""
FULL = "--full" in sys.argv
if FULL:
    sys.argv.remove("--full")

SMALL = """\
duration: 1ms
measure: {from: 200us}
topology: {kind: star, hosts: 4, link: {rate: 25Gbps}}
host: {driver: none}
dscp: {46: {weight: 4}}
traffic:
  - {kind: incast, senders: 1..2, receiver: 0, dscp: 46}
  - {kind: flow, from: 3, to: 0, dscp: 10, bytes: 100KB}
output: {series: {interval: 20us}}
"""


def dccvp(*arguments, cwd, env=None):
    return subprocess.run([DCCVP, *map(str, arguments)], cwd=cwd, capture_output=True, text=True,
                          timeout=PATIENCE, check=False, env={**os.environ, **(env or {})})


def catches(process, number):
    """True if a process handles a signal. Without a handler the signal ends the process."""
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(status.split("SigCgt:")[1].split()[0], 16) >> (number - 1) & 1


class Cli(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="dccvp-cli-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "small.yaml").write_text(SMALL)

    def files(self):
        return sorted(str(p.relative_to(self.folder)) for p in self.folder.rglob("*"))

    def run_small(self, *arguments):
        return dccvp("run", "small.yaml", "--no-plots", *arguments, cwd=self.folder)


class BadInput(Cli):
    def test_every_bad_configuration(self):
        """`check` and `run` refuse every file of the table. Without --full the test tries every fourth file, since
        the tests of configurations read each file in a separate process."""
        table = bad_configs.write_bad_configs(self.folder / "bad")
        self.assertGreaterEqual(len(table), 140)
        before = self.files()
        for file, expected in table[::1 if FULL else 4]:
            for command in ("check", "run"):
                with self.subTest(file=file.name, command=command):
                    done = dccvp(command, file, cwd=self.folder)
                    self.assertEqual(done.returncode, 2, done.stderr)
                    self.assertEqual(done.stdout, "")
                    self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                    self.assertTrue(done.stderr.startswith(f"dccvp: {file}:{expected}"),
                                    done.stderr)
        self.assertEqual(self.files(), before, "something was written")

    def test_overrides_and_arguments(self):
        before = self.files()
        for arguments, start in (
                (("-c", "switch.ecn.kmin=5kb"), "dccvp: -c switch.ecn.kmin=5kb: '5kb': unknown unit"),
                (("-c", "nonsense"), "dccvp: -c nonsense: expected key.path=value"),
                (("-c", "traffic.7.dscp=1"), "dccvp: -c traffic.7.dscp=1: 'traffic' has 2 elements"),
                (("--seed", "-3"), "dccvp: "), (("--seed", "x"), "dccvp: -c seed=x: 'x'"),
                (("--bogus",), "dccvp: "), (("second.yaml",), "dccvp: ")):
            with self.subTest(arguments=arguments):
                done = self.run_small(*arguments)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertTrue(done.stderr.startswith(start), done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for arguments in ((), ("dance",), ("run",), ("check",), ("run", "missing.yaml")):
            with self.subTest(arguments=arguments):
                done = dccvp(*arguments, cwd=self.folder)
                self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(self.files(), before, "something was written")

    def test_what_is_gone_names_what_to_use(self):
        for arguments in (("resume",), ("resume", "late.yaml", "--interactive"),
                          ("run", "small.yaml", "--checkpoint", "late.yaml", "--checkpoint-at", "1us")):
            with self.subTest(arguments=arguments):
                done = dccvp(*arguments, cwd=self.folder)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertRegex(done.stderr, "^dccvp: checkpoints on disk are gone: .*branch.*bisect.*\n$")
        for text in (dccvp("--help", cwd=self.folder).stdout, dccvp("run", "--help", cwd=self.folder).stdout,
                     dccvp("man", cwd=self.folder).stdout, dccvp("completion", "bash", cwd=self.folder).stdout):
            self.assertNotRegex(text, "checkpoint|resume$")

    def test_a_misspelt_word_is_met_with_the_nearest(self):
        for arguments, message in (
                (("rum", "small.yaml"),
                 "there is no command 'rum'; did you mean 'run'? (dccvp --help)"),
                (("fly",), "there is no command 'fly' (dccvp --help)"),
                (("run", "small.yaml", "--thread", "2"),
                 "'run' has no option '--thread'; did you mean '--threads'? (dccvp --help)"),
                (("run", "small.yaml", "--sed=2"),
                 "'run' has no option '--sed'; did you mean '--seed'? (dccvp --help)"),
                (("params", "--match", "knim"),
                 "no parameter's path contains 'knim'; did you mean 'kmin'?"),
                (("params", "--match", "zzyzzx", "--format", "json"),
                 "no parameter's path contains 'zzyzzx'")):
            with self.subTest(arguments=arguments):
                done = dccvp(*arguments, cwd=self.folder)
                self.assertEqual(done.returncode, 2)
                self.assertEqual((done.stdout, done.stderr), ("", f"dccvp: {message}\n"))

    def test_output_folders(self):
        (self.folder / "mine").mkdir()
        (self.folder / "mine/letter.txt").write_text("keep me")
        before = self.files()
        for arguments in (("--out", "mine"), ("--out", "mine", "--force"), ("--out", "/"),
                          ("--out", "small.yaml", "--force")):
            with self.subTest(arguments=arguments):
                done = self.run_small(*arguments)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertEqual(self.files(), before)


class Runs(Cli):
    def test_leaves_what_the_contract_lists(self):
        done = self.run_small()
        self.assertEqual(done.returncode, 0, done.stderr)
        out = self.folder / "out/small"
        names = sorted(str(p.relative_to(out)) for p in out.rglob("*") if p.is_file())
        self.assertEqual(names, ["config.effective.yaml", "counters.csv", "counters.prom", "fct.csv", "flows.csv",
                                 "metrics.json", "series/class.csv", "series/flow_rates.csv", "series/queue.csv"])
        metrics = json.loads((out / "metrics.json").read_text())
        self.assertTrue(metrics["completed"])
        self.assertEqual(metrics["sim_time_s"], 0.001)
        self.assertEqual([c["dscp"] for c in metrics["classes"]], [10, 46])
        for header in ("Classes", "Longest queues", "Speed:", "Results: out/small"):
            self.assertIn(header, done.stdout)
        for line in done.stdout.splitlines():
            # notes are the only long lines: each is one sentence on one line, so that a script can search for it
            if not line.startswith("Note: "):
                self.assertLessEqual(len(line), 80, line)
        self.assertNotIn("\033", done.stdout, "colour without a terminal")
        with open(out / "flows.csv", newline="", encoding="utf-8") as file:
            flows = list(csv.DictReader(file))
        self.assertEqual([f["completed"] for f in flows], ["false", "false", "true"])
        finished = flows[2]
        self.assertAlmostEqual(float(finished["slowdown"]),
                               float(finished["fct_s"]) / float(finished["ideal_s"]), places=6)
        self.assertGreaterEqual(float(finished["slowdown"]), 1.0)
        self.assertEqual(flows[0]["end_s"], "")

    def test_same_seed_same_bytes_and_the_effective_configuration_repeats_the_run(self):
        self.run_small("--out", "a", "--seed", "3")
        self.run_small("--out", "b", "--seed", "3")
        again = dccvp("run", "a/config.effective.yaml", "--out", "c", "--no-plots", cwd=self.folder)
        self.assertEqual(again.returncode, 0, again.stderr)

        first = figures(self.folder / "a")
        self.assertEqual(first, figures(self.folder / "b"))
        self.assertEqual(first, figures(self.folder / "c"))
        for file in ("flows.csv", "series/flow_rates.csv", "series/queue.csv", "series/class.csv",
                     "config.effective.yaml"):
            first = (self.folder / "a" / file).read_bytes()
            self.assertEqual(first, (self.folder / "b" / file).read_bytes(), file)
            # The second run reads all effective values as written in a file, so its comments name no rule.
            first = re.sub(rb" *# follows: .*", b"", first) if file == "config.effective.yaml" else first
            self.assertEqual(first, (self.folder / "c" / file).read_bytes(), file)

    def test_force_replaces_a_run(self):
        self.assertEqual(self.run_small("--quiet").returncode, 0)
        self.assertEqual(self.run_small("--quiet").returncode, 2)
        (self.folder / "out/small/stale.txt").write_text("old")
        done = self.run_small("--quiet", "--force")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertNotIn("out/small/stale.txt", self.files())
        self.assertEqual([f for f in self.files() if "tmp" in f], [])

    def test_expectations_decide_the_exit_status(self):
        met = self.run_small("--quiet", "-c", "expect=[{metric: aggregate.drops, max: 0}]")
        self.assertEqual(met.returncode, 0, met.stderr)
        missed = self.run_small("--quiet", "--force", "-c",
                                "expect=[{metric: aggregate.goodput_gbps, min: 26}]")
        self.assertEqual(missed.returncode, 1)
        self.assertIn("FAILED: expectation: aggregate.goodput_gbps is ", missed.stderr)
        self.assertTrue((self.folder / "out/small/metrics.json").exists(), "results stay readable")

    def test_an_interrupt_keeps_the_results_so_far(self):
        process = subprocess.Popen(
            [DCCVP, "run", "small.yaml", "--no-plots", "-c", "duration=1000s", "-c",
             "output.series.interval=1s"], cwd=self.folder, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        while not catches(process, signal.SIGINT):
            self.assertIsNone(process.poll(), "ended by itself")
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 1, stderr)
        self.assertIn("stopped before its end", stdout)
        metrics = json.loads((self.folder / "out/small/metrics.json").read_text())
        self.assertFalse(metrics["completed"])
        self.assertEqual(metrics["failures"], [])

    def test_pictures(self):
        done = dccvp("run", "small.yaml", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("classes.png", "flow_rates.png", "queues.png"):
            picture = (self.folder / "out/small" / name).read_bytes()
            self.assertTrue(picture.startswith(b"\x89PNG"), name)
            self.assertGreater(len(picture), 5000, name)


class Moved(Cli):
    def test_a_tree_that_was_moved_uses_its_own_tools(self):
        """A program in a moved build tree finds its tools and data beside itself, not at the place where it was
        built."""
        tree = self.folder / "elsewhere"
        (tree / "build").mkdir(parents=True)
        (tree / "python").mkdir()
        shutil.copy2(DCCVP, tree / "build/dccvp")
        (tree / "python/tool.py").write_text("import sys\nprint('of this tree:', sys.argv[1])\n")
        done = subprocess.run([tree / "build/dccvp", "sweep", "plan.yml"], capture_output=True,
                              text=True, timeout=PATIENCE, check=False, cwd=self.folder)
        self.assertEqual((done.returncode, done.stdout), (0, "of this tree: sweep\n"), done.stderr)


class Ends(Cli):
    def test_output_that_cannot_be_written_is_an_error(self):
        for words in (("params",), ("params", "small.yaml", "--format", "json"), ("metrics",), ("--help",),
                      ("check", "small.yaml"), ("topology", "small.yaml"), ("regs",), ("man",),
                      ("run", "small.yaml", "--no-plots", "-c", "duration=300us")):
            with self.subTest(words), open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([DCCVP, *words], cwd=self.folder, stdout=full, stderr=subprocess.PIPE, text=True,
                                      timeout=PATIENCE, check=False)
                self.assertEqual(done.returncode, 2)
                self.assertIn("standard output could not be written", done.stderr)

    def test_an_exit_in_the_middle_is_no_success(self):
        """A plug-in might call exit(). A library loaded before libc does so when the program creates the results'
        folder."""
        (self.folder / "leaves.c").write_text("#include <stdlib.h>\nint mkdir(const char* path, unsigned mode) {\n"
                                              "  (void)path, (void)mode; exit(0); }\n")
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", "leaves.so", "leaves.c"], cwd=self.folder, check=True)
        done = dccvp("run", "small.yaml", "--no-plots", cwd=self.folder,
                     env={"LD_PRELOAD": str(self.folder / "leaves.so")})
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("called exit() before the command was done", done.stderr)

    def test_an_exception_that_nothing_catches_is_told(self):
        """A library throws an exception through a noexcept function of libstdc++, and a plug-in throws one in a
        thread. The program reports both."""
        (self.folder / "throws.cpp").write_text(
            "#include <stdexcept>\nextern \"C\" int mkdir(const char*, unsigned) {\n"
            "  throw std::runtime_error(\"the folder is elsewhere\"); }\n")
        (self.folder / "thread.cpp").write_text(
            "#include <thread>\nextern \"C\" int mkdir(const char*, unsigned) {\n"
            "  std::thread([] { throw 7; }).join(); return 0; }\n")
        for name, text in (("throws", "internal error: the folder is elsewhere;"),
                           ("thread", "internal error: an exception without a text;")):
            with self.subTest(name):
                subprocess.run(["g++", "-shared", "-fPIC", "-o", f"{name}.so", f"{name}.cpp"], cwd=self.folder,
                               check=True)
                done = dccvp("run", "small.yaml", "--no-plots", cwd=self.folder,
                             env={"LD_PRELOAD": str(self.folder / f"{name}.so")})
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(text, done.stderr)
                self.assertIn("results are not complete", done.stderr)


class Lists(Cli):
    def test_check(self):
        done = dccvp("check", "small.yaml", cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(done.stdout.startswith("small.yaml: ok (star, 4 hosts, dcc"), done.stdout)
        self.assertEqual(self.files(), ["small.yaml"])

    def test_check_finds_that_flows_do_not_fit_memory_as_run_does(self):
        (self.folder / "ram.yaml").write_text(
            "topology: {kind: star, hosts: 3}\nnic: {payload: real}\nhost: {driver: native, ram: 16MiB}\n"
            "hosts: {2: {ram: 3MiB}}\ntraffic: [{kind: flow, from: 2, to: 0, message: 1MiB}]\n")
        text = "host 2: its flows' rings and buffers need 52"
        for words in (("check",), ("run", "--no-plots", "--out", "ram")):
            done = dccvp(*words, "ram.yaml", cwd=self.folder)
            self.assertEqual((done.returncode, text in done.stderr), (2, True), done.stderr)
        self.assertIn("ram.yaml:4:18: host 2", dccvp("check", "ram.yaml", cwd=self.folder).stderr)
        self.assertEqual(dccvp("check", "ram.yaml", "-c", "hosts.2.ram=6MiB", cwd=self.folder).returncode, 0)

    def test_params(self):
        rows = json.loads(dccvp("params", "small.yaml", "-c", "seed=9", "--format", "json",
                                cwd=self.folder).stdout)
        by_path = {row["path"]: row for row in rows}
        self.assertEqual(by_path["seed"]["value"], "9")
        self.assertEqual(by_path["seed"]["origin"], "-c seed=9")
        self.assertEqual(by_path["duration"]["origin"], "small.yaml:1:11")
        self.assertEqual(by_path["duration"]["default"], "10ms")
        self.assertEqual(by_path["nic.mtu"]["origin"], "default")
        self.assertEqual(by_path["traffic.1.bytes"]["value"], "100KB")
        schema = json.loads(dccvp("params", "--format", "json", cwd=self.folder).stdout)
        self.assertGreater(len(schema), 150)
        for row in schema:
            self.assertTrue(row["meaning"] and row["type"] and row["default"], row)
            self.assertIn(row["runtime"], (True, False), row)
        runtime = {(row["path"], row["condition"]): row["runtime"] for row in schema}
        self.assertTrue(runtime["nic.congestion_control.g", "algorithm: dcc"])
        self.assertFalse(runtime["nic.congestion_control.g", "algorithm: dcqcn"])
        self.assertFalse(runtime["nic.controller.slots", ""])
        units = {row["path"]: row["unit"] for row in schema}
        self.assertEqual(units["duration"], "ps ns us ms s")
        self.assertEqual(units["seed"], "")
        text = dccvp("params", "--match", "ecn.kmin", cwd=self.folder).stdout
        self.assertIn("switch.ecn.kmin: 5KB", text)
        self.assertNotIn("pmax", text)
        self.assertIn("May change during a run", " ".join(text.split()))
        text = dccvp("params", "--match", "controller.slots", cwd=self.folder).stdout
        self.assertNotIn("May change during a run", text)
        page = dccvp("params", "--format", "markdown", cwd=self.folder).stdout
        rows = [line for line in page.splitlines() if line.startswith("| `")]
        self.assertEqual(len(rows), len(schema))
        for row in rows:
            self.assertEqual(row.replace("\\|", "").count("|"), 5, row)

    def test_regs(self):
        maps = json.loads(dccvp("regs", "--format", "json", cwd=self.folder).stdout)
        self.assertEqual([m["name"] for m in maps], ["dcc", "nic"])
        for register_map in maps:
            offsets = [r["offset"] for r in register_map["registers"]]
            self.assertEqual(len(offsets), len(set(offsets)))
            self.assertTrue(all(o % 4 == 0 for o in offsets))
        text = dccvp("regs", cwd=self.folder).stdout
        for register in maps[0]["registers"]:
            self.assertIn(register["name"], text)

    def test_metrics(self):
        """`dccvp metrics` and the result files of runs have the same metrics."""
        def paths(value, path=""):
            if isinstance(value, dict) and not path.endswith(".figures"):
                for key, part in value.items():
                    yield from paths(part, f"{path}.{key}" if path else key)
            elif isinstance(value, list) and path not in ("warnings", "failures"):
                for part in value:
                    yield from paths(part, path + ".N")
            else:
                yield path

        listed = json.loads(dccvp("metrics", "--format", "json", cwd=self.folder).stdout)
        known = [row["path"] for row in listed]
        self.assertEqual(len(known), len(set(known)))
        self.assertTrue(all(row["meaning"] for row in listed))
        self.run_small("--quiet", "-c", "dscp.46.tenant=gold", "-c",
                       "tenants=[{name: gold, weight: 2}]", "-c", "output.delays=true",
                       # flow 1 starts within the measurement window, so that the run has completion times
                       "-c", "traffic.1.start=300us")
        metrics = json.loads((self.folder / "out/small/metrics.json").read_text())
        found = set(paths(metrics))
        # Metrics of queries, deadlines and wasted packets appear only if the run has some.
        self.run_small("--quiet", "--force", "-c",
                       "traffic=[{kind: partition_aggregate, receiver: 0, bytes: 2KB, period: 100us, rounds: 2, "
                       "deadline: 1ms}]", "-c", "nic.transport.kind=ndp", "-c", "switch.pfc.enabled=false",
                       "-c", "nic.congestion_control={algorithm: none}", "-c", "measure.from=0us")
        metrics = json.loads((self.folder / "out/small/metrics.json").read_text())
        found |= set(paths(metrics))
        # Metrics of waiting flows appear only if a flow waits.
        self.run_small("--quiet", "--force", "-c",
                       "traffic=[{id: step, kind: compute, hosts: 0..1, time: 50us}, "
                       "{kind: flow, from: 0, to: 1, bytes: 2KB, after: {flows: step, scope: host}}]")
        metrics = json.loads((self.folder / "out/small/metrics.json").read_text())
        found |= set(paths(metrics))
        # With output.flows=sketch a sketch replaces the list of flows.
        self.run_small("--quiet", "--force", "-c", "output.flows=sketch")
        metrics = json.loads((self.folder / "out/small/metrics.json").read_text())
        self.assertIsNone(metrics.pop("flows"))
        found |= set(paths(metrics))
        self.assertGreater(len(found), 80)
        self.assertEqual(found - set(known), set(), "not described")
        # `dccvp metrics` also lists metrics that these small runs do not have. Their configurations have no QoS
        # manager, subnet manager, DCBX, fast_forward, programs, harts, race detector or interrupts, and only one
        # thread. This run has no deadlock and perhaps no diagnosis.
        self.assertEqual({p for p in set(known) - found
                          if not p.startswith(("qos.", "subnet.", "dcbx.", "deadlock.", "diagnoses.", "memo.",
                                               "fast_forwarded_s", "programs.", "harts.", "races.", "interrupts.",
                                               "speed.waiting_", "speed.alone_", "speed.platform_"))},
                         set(),
                         "described, but not there")
        for form in ("text", "markdown"):
            text = dccvp("metrics", "--format", form, cwd=self.folder).stdout
            self.assertIn("classes.N.expected_share", text)
            if form == "text":
                self.assertLessEqual(max(len(line) for line in text.splitlines() if line.startswith(" ")), 80)

    def test_help(self):
        for arguments in (("--help",), ("run", "--help"), ("params", "--help")):
            done = dccvp(*arguments, cwd=self.folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            for line in done.stdout.splitlines():
                self.assertLessEqual(len(line), 80, line)
        self.assertEqual(dccvp("--version", cwd=self.folder).returncode, 0)


if __name__ == "__main__":
    DCCVP = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
