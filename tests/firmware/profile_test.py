#!/usr/bin/python3
"""Tests coverage, profile and stack depth of firmware and of programs on NIC cores: counts equal known counts, and
standard tools can read the files."""

import json
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "system"))
from harness import PATIENCE  # noqa: E402

DCCVP, FIRMWARE, ROOT = (pathlib.Path(a).resolve() for a in sys.argv[1:4])
ELF = FIRMWARE / "test_covered.elf"
SOURCE = ROOT / "tests/firmware/programs/covered.c"


def run(*arguments):
    done = subprocess.run([DCCVP, "run-elf", *map(str, arguments)], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def line_of(words):
    return 1 + next(i for i, line in enumerate(SOURCE.read_text().splitlines())
                    if f"/* {words} */" in line)


class FolderTest(unittest.TestCase):
    """Base class of tests that need an empty folder, `folder`."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="dccvp-profile-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)


class Profile(FolderTest):
    def made(self, option, elf=ELF):
        file = self.folder / option.strip("-")
        status, out, err = run(option, file, elf)
        self.assertEqual(status, 0, out + err)
        return file

    def coverage_of(self, source):
        """The coverage record of one source file: kind -> list of values."""
        text = self.made("--coverage").read_text()
        for record in text.split("end_of_record\n"):
            if f"SF:{source}\n" in record:
                values = {}
                for line in record.splitlines():
                    kind, _, value = line.partition(":")
                    values.setdefault(kind, []).append(value)
                return values
        self.fail(f"{source} is not in:\n{text[:2000]}")
        return None

    def test_lines(self):
        lines = dict(value.split(",") for value in self.coverage_of(SOURCE)["DA"])
        for words, count in (("runs seven times", 7), ("called seven times", 7),
                             ("runs once and needs a deep stack", 1), ("never", 0)):
            self.assertEqual(int(lines[str(line_of(words))]), count, words)

    def test_functions(self):
        record = self.coverage_of(SOURCE)
        calls = {name: int(n) for n, name in (v.split(",") for v in record["FNDA"])}
        self.assertEqual(calls, {"leaf": 7, "deep": 1, "never": 0, "main": 1})
        self.assertEqual((record["FNF"], record["FNH"]), (["4"], ["3"]))

    def test_branches(self):
        record = self.coverage_of(SOURCE)
        ways = sorted(int(v.split(",")[3]) for v in record["BRDA"])
        # The loop branches back six times and falls through once. The other condition is never true.
        self.assertEqual(ways, [0, 1, 1, 6])
        self.assertEqual((record["BRF"], record["BRH"]), (["4"], ["3"]))

    def test_lcov_reads_it(self):
        lcov = shutil.which("lcov")
        if lcov is None:
            self.skipTest("lcov is missing")
        file = self.made("--coverage")
        done = subprocess.run([lcov, "--summary", file, "--rc", "lcov_branch_coverage=1"],
                              capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout + done.stderr, r"lines.*: \d+\.\d% \(\d+ of \d+ lines\)")

    def test_profile_adds_up(self):
        text = self.made("--profile").read_text()
        total = int(re.search(r"^summary: (\d+)$", text, re.M)[1])
        _, out, _ = run(ELF)
        self.assertEqual(total, int(re.search(r"(\d+) instructions", out)[1]))
        own, call = 0, False
        for line in text.splitlines():
            if re.match(r"0x[0-9a-f]+ \d+ \d+$", line) and not call:
                own += int(line.split()[2])
            call = line.startswith("calls=")
        self.assertEqual(own, total)

    def test_profile_knows_calls(self):
        text = self.made("--profile").read_text()
        main = text[text.index("\nfn=main\n"):]
        main = main[:main.find("\nfl=", 5)]
        calls = re.findall(r"cfn=(\w+)\ncalls=(\d+) 0x\w+ \d+\n0x\w+ (\d+) (\d+)\n", main)
        by_name = {name: (int(n), int(line), int(cost)) for name, n, line, cost in calls}
        self.assertEqual(by_name["leaf"][:2], (7, line_of("called seven times")))
        self.assertEqual(by_name["leaf"][2] % 7, 0)
        self.assertEqual(by_name["deep"][0], 1)
        self.assertNotIn("never", by_name)

    def test_callgrind_annotate_reads_it(self):
        annotate = shutil.which("callgrind_annotate")
        if annotate is None:
            self.skipTest("callgrind_annotate is missing")
        done = subprocess.run([annotate, self.made("--profile", FIRMWARE / "irq_storm.elf")],
                              capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"irq_storm\.c:\w+")
        self.assertIn("PROGRAM TOTALS", done.stdout)

    def test_stack_depth(self):
        status, out, err = run("--stack-use", ELF)
        self.assertEqual(status, 0, err)
        found = re.search(r"stack: (\d+) of 65536 bytes, deepest at 0x8\w+ \((\w+)", out)
        self.assertIsNotNone(found, out)
        self.assertGreaterEqual(int(found[1]), 1024)
        self.assertLess(int(found[1]), 4096)
        shallow = re.search(r"stack: (\d+) of", run("--stack-use", FIRMWARE / "test_speed.elf")[1])
        self.assertLess(int(shallow[1]), int(found[1]))

    def test_observing_changes_nothing(self):
        elf = FIRMWARE / "irq_storm.elf"
        plain = run(elf)[1].split(" s simulated")[0]
        watched = run("--coverage", self.folder / "c", "--profile", self.folder / "p", elf)[1]
        self.assertEqual(plain, watched.split(" s simulated")[0])

    def test_without_line_information(self):
        objcopy = shutil.which("riscv64-unknown-elf-objcopy")
        bare = self.folder / "bare.elf"
        subprocess.run([objcopy, "--strip-debug", ELF, bare], check=True)
        text = self.made("--profile", bare).read_text()
        self.assertIn("fn=leaf", text)
        self.assertEqual(self.made("--coverage", bare).read_text(), "")

    def test_damaged_line_information(self):
        objcopy = shutil.which("riscv64-unknown-elf-objcopy")
        section = self.folder / "lines"
        bad = self.folder / "bad.elf"
        subprocess.run([objcopy, "-O", "binary", "--only-section=.debug_line",
                        "--set-section-flags", ".debug_line=alloc", ELF, section], check=True)
        whole = section.read_bytes()
        self.assertGreater(len(whole), 1000)
        for at in range(0, 400, 7):
            section.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1:])
            subprocess.run([objcopy, "--update-section", f".debug_line={section}", ELF, bad],
                           check=True)
            status, _, err = run("--quiet", "--coverage", self.folder / "c", bad)
            self.assertIn(status, (0, 2), f"byte {at}: {err}")
            if status == 2:
                self.assertIn("its line table (.debug_line) is damaged", err)

    def test_files_that_cannot_be_written(self):
        for option in ("--coverage", "--profile"):
            self.assertEqual(run(option, "/nonexistent/x", ELF)[0], 2)
            status, _, err = run(option, "/dev/full", ELF)
            self.assertEqual(status, 2)
            self.assertIn("could not be written to its end", err)


class Far(FolderTest):
    def test_parts_far_from_one_another(self):
        """Counts take memory for the parts of a program, not for the 1.5 GiB between ROM and RAM."""
        source, elf, file = (self.folder / name for name in ("far.S", "far.elf", "far.info"))
        source.write_text('.section .far, "ax"\n.globl far\n.type far, @function\nfar: ret\n.size far, . - far\n'
                          ".text\n.globl _start\n_start: lui t1, %hi(far)\njalr t1, %lo(far)\njalr t1, %lo(far)\n"
                          "lui t0, 0x10010\nsw zero, 0(t0)\n")
        subprocess.run(["riscv64-unknown-elf-gcc", "-g", "-march=rv32im", "-mabi=ilp32", "-nostdlib", "-Wl,-n",
                        "-Wl,-Ttext=0x80000000", "-Wl,--section-start=.far=0x20000000", source, "-o", elf], check=True,
                       timeout=PATIENCE)
        done = subprocess.run([DCCVP, "run-elf", "--quiet", "--rom", "0x20000000:1MiB", "--coverage", file, elf],
                              capture_output=True, text=True, timeout=PATIENCE, check=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30)))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("FNDA:2,far\n", file.read_text())


class Programs(FolderTest):
    """Tests coverage and profile of programs on the cores of NICs."""

    def setUp(self):
        super().setUp()
        (self.folder / "small.yaml").write_text(
            "duration: 500us\ntopology: {kind: star, hosts: 5}\n"
            f"nic: {{congestion_control: {{algorithm: program, elf: {FIRMWARE}/programs/halve.elf}}, "
            "cnp: {interval: 20us}}\nhost: {driver: none}\n"
            "traffic: [{kind: incast, senders: 1..4, receiver: 0}]\n", encoding="utf-8")

    def run_network(self, name, *options):
        out = self.folder / name
        done = subprocess.run([DCCVP, "run", self.folder / "small.yaml", "--quiet", "--no-plots", "--out", out,
                               *options], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return out

    def test_every_nic_has_its_counts(self):
        plain = self.run_network("plain")
        out = self.run_network("told", "-c", "output.trace={coverage: true, profile: true}")
        self.assertEqual((out / "flows.csv").read_bytes(), (plain / "flows.csv").read_bytes())
        metrics = json.loads((out / "metrics.json").read_text())
        handlers = {handler["event"]: handler for handler in metrics["programs"][0]["handlers"]}
        self.assertGreater(handlers["cnp"]["handled"], 20)
        self.assertGreater(handlers["timer"]["handled"], 10)
        self.assertEqual(sorted(file.name for file in (out / "trace").iterdir()),
                         sorted(name for n in range(5) for name in (f"coverage.nic{n}.info", f"callgrind.nic{n}.out")))
        calls: dict = {}
        cost: dict = {}
        for n in range(5):
            text = (out / f"trace/coverage.nic{n}.info").read_text()
            for count, name in re.findall(r"^FNDA:(\d+),(\w+)$", text, re.M):
                calls[name] = calls.get(name, 0) + int(count)
            function = None
            for line in (out / f"trace/callgrind.nic{n}.out").read_text().splitlines():
                function = line[3:] if line.startswith("fn=") else function
                if re.match(r"0x[0-9a-f]+ \d+ \d+$", line):
                    cost[function] = cost.get(function, 0) + int(line.split()[2])
        for name, event in (("cut", "cnp"), ("rise", "timer")):
            self.assertEqual(calls[name], handlers[event]["handled"])
            self.assertEqual(cost[name], handlers[event]["instructions"])

    def test_chosen_hosts(self):
        out = self.run_network("one", "-c", "output.trace={profile: true, hosts: 2}")
        self.assertEqual([file.name for file in (out / "trace").iterdir()], ["callgrind.nic2.out"])
        text = (out / "trace/callgrind.nic2.out").read_text()
        self.assertNotIn("cfn=", text, "handlers call nothing and are called by nothing")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
