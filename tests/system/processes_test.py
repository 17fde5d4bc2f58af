"""Tests that a run shared by several MPI processes writes the same bytes as a run in one process.

  processes_test.py BUILD/dccvp [--full]

Two processes share every fourth run, and with --full every run. Four processes share some of the runs, and with
--full all runs that can be divided into four. Other kinds of packets at the partition boundary are tested between
threads, which start faster.
"""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import harness
from divisible_runs import RUNS

FULL = "--full" in sys.argv
if FULL:
    sys.argv.remove("--full")
DCCVP = sys.argv.pop(1)
CONFIGS = pathlib.Path(__file__).resolve().parents[2] / "configs"
FBHADOOP = CONFIGS / "reproduce" / "fbhadoop_dcqcn.yaml"
FOUR = ("telemetry", "the controller", "losses")
# Open MPI must be allowed to run as root and with more processes than processors, as in containers.
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}

TREE = """\
duration: 2us
topology: {kind: fat_tree, k: 32, fabric_link: {rate: 100Gbps}}
nic: {congestion_control: {algorithm: dcqcn}}
host: {driver: none}
traffic: [{kind: permutation, hosts: 0..8191, bytes: 1GB}]
output: {series: {interval: 1us, flows: none, queues: all, classes: false}}
"""
# Runs a command and writes its peak memory to a separate file.
WATCH = """\
import os, resource, subprocess, sys
subprocess.run(sys.argv[2:], check=True)
with open(f"{sys.argv[1]}.{os.getpid()}", "w") as file:
    file.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
"""


def is_built_with_mpi():
    libraries = subprocess.run(["ldd", DCCVP], capture_output=True, text=True, check=True).stdout
    return "libmpi" in libraries


class Processes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def words(self, processes, config, overrides, *launcher):
        out = self.folder / f"{processes}"
        words = [DCCVP, "run", str(config), "--no-plots", "--force", "--out", str(out)]
        for override in ["expect=[]", *overrides]:
            words += ["-c", override]
        if processes == 1:
            return out, [*words, "--threads", "1"]
        return out, ["mpirun", "-n", str(processes), *launcher, *words]

    def start(self, processes, config, overrides, *launcher):
        out, words = self.words(processes, config, overrides, *launcher)
        done = subprocess.run(words, capture_output=True, text=True, check=False,
                              env=ENVIRONMENT, timeout=harness.PATIENCE)
        return out, done

    def results(self, processes, config, overrides, *launcher):
        out, done = self.start(processes, config, overrides, *launcher)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout.count("Results: "), 1)  # only one of the processes writes results
        return harness.figures(out), {f.relative_to(out): f.read_bytes() for f in out.rglob("*.csv")}

    def test_results_are_the_same(self):
        runs = list(RUNS) if FULL else [what for i, what in enumerate(RUNS) if i % 4 == 0 or what in FOUR]
        for what in runs:
            config, overrides = RUNS[what]
            with self.subTest(what):
                expected = self.results(1, CONFIGS / config, overrides)
                # A network of two switches cannot be divided into four partitions.
                four = "fbhadoop" in config and (FULL or what in FOUR)
                for processes in (2, 4) if four else (2,):
                    self.assertEqual(self.results(processes, CONFIGS / config, overrides), expected)

    def test_series_of_flows_classes_and_queues_are_the_same(self):
        overrides = ["duration=100us", "traffic=[{kind: permutation, hosts: 0..319, bytes: 1MB}]",
                     "output.series={interval: 10us, flows: all, queues: all, classes: true}"]
        expected = self.results(1, FBHADOOP, overrides)
        self.assertIn(pathlib.Path("series/flow_rates.csv"), expected[1])
        self.assertEqual(self.results(3, FBHADOOP, overrides), expected)

    def test_a_process_builds_ports_of_its_own_switches_only(self):
        (self.folder / "tree.yaml").write_text(TREE)
        one, words = self.words(1, self.folder / "tree.yaml", [])
        whole = self.most_memory(words)
        self.assertEqual(len(whole), 1)
        two, words = self.words(2, self.folder / "tree.yaml", [])
        shared = self.most_memory(words)
        self.assertEqual(len(shared), 2)
        self.assertEqual(harness.figures(two), harness.figures(one))
        for table in one.rglob("*.csv"):
            self.assertEqual((two / table.relative_to(one)).read_bytes(), table.read_bytes(), table.name)
        self.assertNotIn(pathlib.Path("counters.csv"), {table.relative_to(one) for table in one.rglob("*.csv")})
        # If both processes kept every port, they would take 1.58 times the memory of one process together; they take
        # 1.44 times.
        self.assertLess(sum(shared), 1.5 * whole[0])

    def test_counters_of_each_port_are_the_same_in_a_large_network(self):
        """The counters of a port include those of the link that leads to it, although another process may simulate
        that link."""
        (self.folder / "tree.yaml").write_text(TREE.replace("k: 32", "k: 22").replace("8191", "2661"))
        overrides = ["duration=5us", "output.counters=all", "output.series.queues=none"]
        expected = self.results(1, self.folder / "tree.yaml", overrides)
        self.assertIn(pathlib.Path("counters.csv"), expected[1])
        figures, tables = self.results(2, self.folder / "tree.yaml", overrides)
        # assertEqual would compare megabytes of text for minutes if they differed.
        self.assertEqual([key for key in expected[0] if figures.get(key) != expected[0][key]], [])
        self.assertEqual(tables.keys(), expected[1].keys())
        self.assertEqual([name for name in tables if tables[name] != expected[1][name]], [])

    def most_memory(self, words):
        """Peak memory of each process that this command starts."""
        own = words.index(DCCVP)
        watched = [*words[:own], sys.executable, "-c", WATCH, str(self.folder / "memory"), *words[own:]]
        subprocess.run(watched, check=True, env=ENVIRONMENT, timeout=harness.PATIENCE, stdout=subprocess.DEVNULL)
        found = list(self.folder.glob("memory.*"))
        most = [int(one.read_text()) for one in found]
        for one in found:
            one.unlink()
        return most

    def test_goes_over_tcp(self):
        overrides = ["duration=100us"]
        self.assertEqual(self.results(2, FBHADOOP, overrides, "--mca", "btl", "tcp,self"),
                         self.results(1, FBHADOOP, overrides))

    def test_refuses_what_cannot_be_divided(self):
        for config, overrides, reason in (
            ("reproduce/ib_parking_lot.yaml", ["host.driver=native"], "hosts run software"),
            ("demo.yaml", ["host.driver=none", "nic.payload=virtual"],
             "the traffic crosses too few switches with hosts"),
            ("reproduce/fbhadoop_dcqcn.yaml", ["output.trace.perfetto=true"],
             "a trace, a debugger or a prompt watches single events"),
            ("reproduce/fbhadoop_dcqcn.yaml", ["routing.kind=hedera"],
             "one scheduler (routing: hedera) reads all switches"),
            ("two_ports.yaml", ["nic.port_failover.detection=100us"],
             "flows that move between ports (nic.port_failover) have hosts in all parts"),
            ("training_jobs.yaml", ["host.driver=none"], "a process knows the bytes of its own ranks only (traffic."),
        ):
            with self.subTest(reason):
                out, done = self.start(2, CONFIGS / config, overrides)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(f"cannot be divided among 2 processes: {reason}", done.stderr)
                self.assertEqual(done.stderr.count("cannot be divided"), 1)
                self.assertFalse(out.exists())

    def test_bad_input_is_told_once(self):
        _, done = self.start(2, FBHADOOP, ["duration=minus"])
        self.assertEqual(done.returncode, 2)
        self.assertEqual(len(re.findall("^dccvp: ", done.stderr, re.MULTILINE)), 1, done.stderr)

    def test_a_folder_in_the_way_ends_all(self):
        (self.folder / "2").mkdir()
        (self.folder / "2" / "mine").write_text("", encoding="utf-8")
        _, done = self.start(2, FBHADOOP, [])
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("dccvp: ", done.stderr)

    def test_a_killed_process_ends_all(self):
        _, words = self.words(2, FBHADOOP, ["duration=1s", "traffic=[{kind: permutation, hosts: 0..319}]"])
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env=ENVIRONMENT) as run:
            children = []
            until = time.monotonic() + harness.PATIENCE
            while len(children) < 2 and time.monotonic() < until:
                time.sleep(0.2)
                found = subprocess.run(["ps", "-o", "pid=,comm=", "--ppid", str(run.pid)],
                                       capture_output=True, text=True, check=False).stdout
                children = [int(line.split()[0]) for line in found.splitlines() if "dccvp" in line]
            time.sleep(1)
            os.kill(children[1], signal.SIGKILL)
            said, _ = run.communicate(timeout=harness.PATIENCE)
            self.assertNotEqual(run.returncode, 0)
            self.assertRegex(said, r"signal 9 \(Killed\)")
        self.assertFalse((self.folder / "2").exists())


if __name__ == "__main__":
    if shutil.which("mpirun") is None or not is_built_with_mpi():
        print("skipped: without MPI")
        sys.exit(harness.SKIPPED)
    unittest.main()
