#!/usr/bin/python3
"""Tests programs of several harts: atomic operations, reservations, interrupts of each hart, program end, repeatable
output, and equal output on QEMU's machine virt.

  harts_test.py DCCVP FIRMWARE_FOLDER SOURCE_FOLDER
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "system"))
from harness import PATIENCE  # noqa: E402

DCCVP, FIRMWARE = sys.argv[1], pathlib.Path(sys.argv[2])
NETWORK = f"""\
duration: 2ms
topology: {{kind: star, hosts: 3}}
nic: {{congestion_control: {{algorithm: dcc}}, payload: real}}
host: {{driver: firmware, elf: {FIRMWARE}/test_harts_traffic.elf, harts: 2, clock: 400MHz, ram: 8MiB}}
traffic: [{{kind: incast, receiver: 0, bytes: 64KiB}}]
"""
QEMU = "qemu-system-riscv32"
ROUNDS = 20000
RACES = f"""\
duration: 2ms
topology: {{kind: star, hosts: 3}}
nic: {{congestion_control: {{algorithm: none}}}}
host: {{machine: virt, driver: firmware, harts: 2, clock: 2GHz, race_check: true,
       elf: {FIRMWARE}/test_harts_fences_2.elf}}
hosts: {{"1": {{elf: {FIRMWARE}/test_harts_race_2.elf}}, "2": {{driver: native}}}}
"""


def run(name, *options, harts=2, machine="virt"):
    done = subprocess.run([DCCVP, "run-elf", "--machine", machine, "--harts", str(harts), *map(str, options),
                           FIRMWARE / f"test_harts_{name}.elf"],
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def qemu(name, harts):
    done = subprocess.run([QEMU, "-M", "virt", "-smp", str(harts), "-cpu", "rv32,s=off,h=off", "-bios", "none",
                           "-nographic", "-kernel", FIRMWARE / f"test_harts_{name}.elf"],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=PATIENCE, check=True)
    return done.stdout.decode().replace("\r", "")


class Harts(unittest.TestCase):
    def test_sums_are_exact(self):
        for harts in (2, 4):
            with self.subTest(harts):
                status, out, err = run(f"atomic_{harts}", "--quiet", harts=harts)
                self.assertEqual(status, 0, err)
                total = ROUNDS * harts * (harts + 1) // 2
                self.assertIn(f"amo {total}, reservation {total}, lock {total}, of {total}\n", out)
                self.assertIn(f"greatest {(ROUNDS - 1) * harts}, bits {(1 << harts) - 1:x}00\n", out)
                for hart in range(harts):
                    self.assertIn(f"hart {hart}: 100 software, 20 timer interrupts\n", out)

    def test_quanta_and_memory_without_direct_access_change_no_sum(self):
        total = ROUNDS * 3
        with tempfile.TemporaryDirectory() as folder:
            for options in (("--quantum", "7ns"), ("--quantum", "100us"), ("--cpi", "1.3"),
                            ("--trace-bus", f"{folder}/bus.txt")):
                with self.subTest(options):
                    status, out, err = run("atomic_2", "--quiet", *options)
                    self.assertEqual(status, 0, err)
                    self.assertIn(f"amo {total}, reservation {total}, lock {total}, of {total}\n", out)

    def test_own_machine(self):
        status, out, err = run("atomic_own", "--quiet", machine="dcc")
        self.assertEqual(status, 0, err)
        self.assertIn(f"amo {ROUNDS * 3}, reservation {ROUNDS * 3}, lock {ROUNDS * 3}", out)
        self.assertIn("hart 1: 100 software, 20 timer interrupts\n", out)

    @unittest.skipUnless(shutil.which(QEMU), f"{QEMU} is missing (package qemu-system-misc)")
    def test_qemu_prints_the_same(self):
        for harts in (2, 4):
            with self.subTest(harts):
                ours = run(f"atomic_{harts}", "--quiet", harts=harts)[1]
                # QEMU's timers follow the host's clock, so on a busy host a timer may expire before the program reads
                # it.
                for _ in range(3):
                    theirs = qemu(f"atomic_{harts}", harts)
                    if theirs == ours:
                        break
                self.assertEqual(ours, theirs)

    def test_a_race_loses_counts_and_a_lock_does_not(self):
        for harts in (2, 4):
            with self.subTest(harts):
                _, out, _ = run(f"race_{harts}", "--quiet", harts=harts)
                raced, locked, of = map(int, re.search(r"raced (\d+), locked (\d+) of (\d+)", out).groups())
                self.assertEqual((locked, of), (ROUNDS * harts, ROUNDS * harts))
                self.assertLess(raced, of)
                self.assertGreaterEqual(raced, ROUNDS)

    def test_what_ends_a_reservation(self):
        wanted = ["nothing: kept, word 7", "same value: lost, word 1", "another value: lost, word 5",
                  "neighbours: kept, word 7", "one byte: lost, word 1", "amo: lost, word 1",
                  "amo beside: kept, word 7"]
        for quantum in ("13ns", "1us"):
            with self.subTest(quantum):
                self.assertEqual(run("reserve", "--quiet", "--quantum", quantum)[1].splitlines(), wanted)

    def test_the_same_every_time(self):
        first = run("race_4", harts=4)
        counts = re.findall(r"hart \d: (\d+) instructions", first[1])
        self.assertEqual(len(counts), 4)
        self.assertNotEqual(len(set(counts)), 1)
        again = run("race_4", harts=4)
        pattern = r"raced \d+|hart \d: \d+"
        self.assertEqual(re.findall(pattern, first[1]), re.findall(pattern, again[1]))

    def test_a_trace_changes_nothing_and_has_a_file_for_each_hart(self):
        plain = run("reserve")[1]
        with tempfile.TemporaryDirectory() as folder:
            traced = run("reserve", "--trace-cpu", f"{folder}/cpu.txt")[1]
            told = [len((pathlib.Path(folder) / f"cpu.hart{i}.txt").read_text(encoding="utf-8").splitlines())
                    for i in range(2)]
        counts = [int(count) for count in re.findall(r"hart \d: (\d+) instructions", plain)]
        self.assertEqual(told, counts)
        self.assertEqual(counts, [int(count) for count in re.findall(r"hart \d: (\d+) instructions", traced)])

    def test_one_hart_ends_the_program_for_all(self):
        status, _, err = run("ends_x", "--quiet")
        self.assertEqual(status, 1)
        self.assertRegex(err, r"host\.cpu1: exit code 5; pc 0x")

    def test_a_fault_names_its_hart(self):
        status, _, err = run("ends_d", "--quiet")
        self.assertEqual(status, 1)
        self.assertIn("host.cpu1: the trap handler's first instruction traps: instruction access fault at pc 0x0", err)

    def test_a_hart_that_never_goes_on_is_parked(self):
        status, _, err = run("ends_p", "--quiet")
        self.assertEqual(status, 0, err)

    def network(self, folder, *options, text=NETWORK):
        config = pathlib.Path(folder) / "small.yaml"
        config.write_text(text, encoding="utf-8")
        done = subprocess.run([DCCVP, "run", config, "--no-plots", "--quiet", "--force", "--out", f"{folder}/out",
                               *options],
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, check=False)
        return done.returncode, done.stderr.decode()

    def test_hosts_of_a_network(self):
        with tempfile.TemporaryDirectory() as folder:
            status, err = self.network(folder)
            self.assertEqual(status, 0, err)
            metrics = json.loads((pathlib.Path(folder) / "out/metrics.json").read_text(encoding="utf-8"))
            flows = (pathlib.Path(folder) / "out/flows.csv").read_bytes()
            self.assertEqual([(one["host"], one["hart"]) for one in metrics["harts"]],
                             [(host, hart) for host in range(3) for hart in range(2)])
            for host in metrics["hosts"]:
                counts = [one["instructions"] for one in metrics["harts"] if one["host"] == host["id"]]
                self.assertEqual(sum(counts), host["instructions"])
                self.assertGreater(min(counts), 1000)
            self.assertEqual(sum(host["messages_verified"] for host in metrics["hosts"]), 2)
            # The race check reports no race between driver, application and DMA, and does not change the run.
            status, err = self.network(folder, "-c", "host.race_check=true")
            self.assertEqual(status, 0, err)
            self.assertNotIn("race", err)
            metrics = json.loads((pathlib.Path(folder) / "out/metrics.json").read_text(encoding="utf-8"))
            self.assertEqual(metrics["races"], [{"host": i, "accesses": 0, "pairs": 0} for i in range(3)])
            self.assertNotIn("races", [finding["id"] for finding in metrics["diagnoses"]])
            self.assertEqual((pathlib.Path(folder) / "out/flows.csv").read_bytes(), flows)

    def test_races_on_a_host_of_a_network(self):
        with tempfile.TemporaryDirectory() as folder:
            status, err = self.network(folder, text=RACES)
            self.assertEqual(status, 0, err)
            metrics = json.loads((pathlib.Path(folder) / "out/metrics.json").read_text(encoding="utf-8"))
            fenced, raced = metrics["races"]
            self.assertEqual(fenced, {"host": 0, "accesses": 0, "pairs": 0})
            told = len(re.findall(r"^host 1: race at address 0x[0-9a-f]+ \(raced\): ", err, re.MULTILINE))
            self.assertEqual((raced["host"], raced["pairs"]), (1, told))
            self.assertGreater(raced["accesses"], told)
            (note,) = [finding for finding in metrics["diagnoses"] if finding["id"] == "races"]
            self.assertEqual(note["figures"], {**raced, "hosts": 1})
            self.assertIn(f"On host 1, {raced['accesses']} accesses", note["text"])

    def test_coverage_and_profile_of_each_hart_of_each_host(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "out"
            self.assertEqual(self.network(folder)[0], 0)
            plain = (out / "flows.csv").read_bytes()
            status, err = self.network(folder, "--force", "-c", "output.trace={coverage: true, profile: true}")
            self.assertEqual(status, 0, err)
            self.assertEqual((out / "flows.csv").read_bytes(), plain)
            harts = json.loads((out / "metrics.json").read_text(encoding="utf-8"))["harts"]
            self.assertEqual(len(harts), 6)
            for hart in harts:
                name = f"host{hart['host']}.hart{hart['hart']}"
                told = (out / f"trace/callgrind.{name}.out").read_text(encoding="utf-8")
                self.assertEqual(int(re.search(r"^summary: (\d+)$", told, re.MULTILINE)[1]), hart["instructions"])
                told = (out / f"trace/coverage.{name}.info").read_text(encoding="utf-8")
                self.assertIn(f"FNDA:{int(hart['hart'] == 0)},main\n", told)
            self.assertEqual(len(list((out / "trace").iterdir())), 12)

    def test_coverage_profile_and_stack_of_each_hart(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            status, out, err = run("atomic_2", "--coverage", folder / "c.info", "--profile", folder / "p.out",
                                   "--stack-use")
            self.assertEqual(status, 0, err)
            self.assertEqual(re.findall(r"hart (\d): stack: \d+ of (\d+) bytes", out),
                             [("0", "32768"), ("1", "32768")])
            for hart, instructions in re.findall(r"hart (\d): (\d+) instructions", out):
                told = (folder / f"p.hart{hart}.out").read_text(encoding="utf-8")
                self.assertEqual(re.search(r"^summary: (\d+)$", told, re.MULTILINE)[1], instructions)
                told = (folder / f"c.hart{hart}.info").read_text(encoding="utf-8")
                for function, calls in (("main", int(hart == "0")), ("hart_main", int(hart == "1")),
                                        ("on_software", 100)):
                    self.assertIn(f"FNDA:{calls},{function}\n", told)
            plain = run("atomic_2")[1]
            self.assertEqual(re.findall(r"hart \d: \d+ instructions", plain),
                             re.findall(r"hart \d: \d+ instructions", out))

    def test_a_race_is_told_and_gone_when_fenced(self):
        for fences in (0, 1):
            with self.subTest(fences):
                status, out, err = run(f"fences_{fences}", "--quiet", "--race-check")
                self.assertEqual((status, out), (1, "200 rounds\n"))
                self.assertRegex(err, r"race at address 0x[0-9a-f]+ \(words[^)]*\): hart 0 store at pc 0x[0-9a-f]+ "
                                      r"\(main[^)]*\), then hart 1 load at pc 0x[0-9a-f]+ \(hart_main")
        self.assertEqual(run("fences_2", "--quiet", "--race-check"), (0, "200 rounds\n", ""))

    def test_races_of_a_counter(self):
        for harts in (2, 4):
            with self.subTest(harts):
                status, _, err = run(f"race_{harts}", "--quiet", "--race-check", harts=harts)
                self.assertEqual(status, 1)
                self.assertRegex(err, r"race at address 0x[0-9a-f]+ \(raced\): ")
                self.assertNotIn("(locked", err)
                self.assertEqual(run(f"atomic_{harts}", "--quiet", "--race-check", harts=harts)[::2], (0, ""))

    def test_a_race_check_leaves_the_run_as_it_is(self):
        plain, checked = run("race_2"), run("race_2", "--race-check")
        pattern = r"raced \d+|\d+ instructions"
        self.assertEqual(re.findall(pattern, plain[1]), re.findall(pattern, checked[1]))

    def test_bad_options_are_refused(self):
        for harts, options, told in ((0, (), "--harts must lie between 1 and 4"),
                                     (5, (), "--harts must lie between 1 and 4")):
            with self.subTest(harts):
                status, _, err = run("race_2", *options, harts=harts)
                self.assertEqual(status, 2)
                self.assertIn(told, err)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
