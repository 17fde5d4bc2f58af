#!/usr/bin/python3
"""Tests how long interrupts wait for a hart, against a program that masks interrupts for known times and traces of a
network's host.

  interrupt_latency_test.py DCCVP FIRMWARE_FOLDER SOURCE_FOLDER
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "system"))
from harness import PATIENCE  # noqa: E402

DCCVP, FIRMWARE = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
PROGRAM = FIRMWARE / "test_interrupt_latency.elf"
NETWORK = f"""\
duration: 1ms
topology: {{kind: star, hosts: 3}}
nic: {{congestion_control: {{algorithm: none}}}}
host: {{driver: firmware, elf: {PROGRAM}, clock: 1GHz}}
hosts: {{"2": {{driver: native}}}}
"""
TRAFFIC = f"""\
duration: 400us
topology: {{kind: star, hosts: 2, link: {{rate: 100Gbps}}}}
nic: {{congestion_control: {{algorithm: dcc}}, payload: real}}
host: {{driver: firmware, elf: {FIRMWARE}/traffic.elf, clock: 400MHz}}
traffic: [{{kind: flow, from: 1, to: 0, dscp: 46, bytes: 64KiB, message: 4KiB, start: 100us}}]
output: {{trace: {{cpu: true, signals: true, transactions: text}}}}
"""
CYCLE = 2500  # clock period in ps of the hosts in TRAFFIC
NIC = 2  # number of the NIC's interrupt source
CLAIM, COMPLETE = 0x0C000008, 0x0C00000C


def command(*words):
    return subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=PATIENCE, check=False)


def bounds_in(text):
    """Returns {source: [(minimum, maximum latency) of each interrupt]} as the program printed them."""
    found = {}
    for name, least, greatest in re.findall(r"\b(timer|software|uart) (\d+) (\d+)$", text, re.MULTILINE):
        found.setdefault(name, []).append((int(least), int(greatest)))
    return found


class Masked(unittest.TestCase):
    def check(self, bounds, source, **told):
        """Checks order statistics of the latencies. Each must lie between the order statistics of the minima and
        the maxima, up to the width of a histogram bucket."""
        low, high = (sorted(pair[side] for pair in bounds) for side in (0, 1))
        ranks = {"least": 0, "median": (len(bounds) + 1) // 2 - 1, "greatest": -1}
        for name, value in told.items():
            with self.subTest(source, name=name):
                self.assertGreaterEqual(value, low[ranks[name]] * 31 / 32)
                self.assertLessEqual(value, high[ranks[name]] * 33 / 32)

    def test_masked_for_known_times(self):
        for quantum in ("1us", "20ns"):
            with self.subTest(quantum), tempfile.NamedTemporaryFile("w") as heard:
                heard.write("x")
                heard.flush()
                done = command(DCCVP, "run-elf", "--interrupt-latency", "--quantum", quantum, "--uart-in", heard.name,
                               PROGRAM)
                self.assertEqual(done.returncode, 0, done.stderr)
                bounds = bounds_in(done.stdout)
                self.assertEqual({name: len(list_) for name, list_ in bounds.items()},
                                 {"timer": 8, "software": 7, "uart": 7})
                self.assertIn("claimed 7\n", done.stdout)
                told = re.findall(r"interrupts, (\w+): (\d+) taken, (\d+) withdrawn, (\d+) waiting; latency in ns: "
                                  r"least (\d+), p50 (\d+), p99 \d+, greatest (\d+)", done.stdout)
                self.assertEqual([name for name, *_ in told], ["timer", "software", "uart"])
                for name, taken, withdrawn, waiting, least, median, greatest in told:
                    self.assertEqual(int(taken), len(bounds[name]))
                    self.assertEqual((withdrawn, waiting), ("1", "1") if name == "software" else ("0", "0"))
                    self.check(bounds[name], name, least=int(least), median=int(median), greatest=int(greatest))

    def test_hosts_of_a_network(self):
        with tempfile.TemporaryDirectory() as folder:
            config = pathlib.Path(folder) / "network.yaml"
            config.write_text(NETWORK, encoding="utf-8")
            done = command(DCCVP, "run", config, "--quiet", "--no-plots", "--out", f"{folder}/out")
            self.assertEqual(done.returncode, 0, done.stderr)
            told = json.loads((pathlib.Path(folder) / "out/metrics.json").read_text())["interrupts"]
            self.assertEqual([(row["host"], row["source"]) for row in told],
                             [(host, name) for host in (0, 1) for name in ("timer", "software")])
            for row in told:
                bounds = bounds_in("\n".join(line[8:] for line in done.stderr.splitlines()
                                             if line.startswith(f"host {row['host']}: ")))[row["source"]]
                self.assertEqual(row["taken"], len(bounds))
                self.check(bounds, row["source"], median=row["us_p50"] * 1000, greatest=row["us_max"] * 1000)
                self.assertEqual(sum(bin_["count"] for bin_ in row["histogram"]), row["taken"])
                below = row["histogram"][-1]["below_us"]
                self.assertTrue(below / 2 <= row["us_max"] < below, row)
                self.assertLessEqual(row["us_p99"], row["us_max"])


class Traced(unittest.TestCase):
    """Compares the interrupt latencies of NICs with the traces of their hosts: signals, instructions and register
    accesses."""

    def events(self, trace, host):
        """Returns [(time in ps, kind, value)] of one host in order: interrupt line of the NIC, traps, claims and
        completions."""
        found = []
        text = (trace / "signals.vcd").read_text(encoding="utf-8")
        scope = text[text.index(f"$scope module host{host} $end"):]
        code = re.search(r"\$var wire 1 (\S+) nic \$end", scope)[1]
        now = 0
        for line in text.splitlines():
            if line.startswith("#"):
                now = int(line[1:])
            elif line in ("0" + code, "1" + code):
                found.append((now, "line", int(line[0])))
        lines = (trace / f"cpu.host{host}.txt").read_text(encoding="utf-8").splitlines()
        for mark, after in zip(lines, lines[1:]):
            if "-- machine external interrupt" in mark:
                # A line of the instruction trace has the time at which the instruction ended, in whole nanoseconds.
                found.append((int(after.split()[0]) * 1000 - CYCLE, "trap", 0))
        for line in (trace / "transactions.txt").read_text(encoding="utf-8").splitlines():
            match = re.match(rf" *([0-9.]+) ns  host{host}\.cpu  (RD|WR) 0x(\w+) .* = 0x(\w+)  ok", line)
            if match and int(match[3], 16) in (CLAIM, COMPLETE) and int(match[4], 16) == NIC:
                found.append((round(float(match[1]) * 1000), match[2], 0))
        return sorted(found)

    def latencies(self, events):
        """Computes the latencies in ps from the events, by the definition of the latency."""
        level, served, request, trap, found = 0, False, None, -1, []
        for at_ps, kind, value in events:
            if kind == "trap":
                trap = at_ps
            elif kind == "RD":
                found.append((trap if trap + 2 * CYCLE >= request else at_ps) - request)
                request, served = None, True
            else:
                served = served and kind != "WR"
                level = value if kind == "line" else level
                request = (at_ps if request is None else request) if level and not served else None
        return sorted(max(0, one) for one in found)

    def test_against_the_traces(self):
        with tempfile.TemporaryDirectory() as folder:
            config, out = pathlib.Path(folder) / "network.yaml", pathlib.Path(folder) / "out"
            config.write_text(TRAFFIC, encoding="utf-8")
            done = command(DCCVP, "run", config, "--quiet", "--no-plots", "--out", out)
            self.assertEqual(done.returncode, 0, done.stderr)
            told = {row["host"]: row for row in json.loads((out / "metrics.json").read_text())["interrupts"]
                    if row["source"] == "nic"}
            for host, row in told.items():
                expected = self.latencies(self.events(out / "trace", host))
                self.assertGreater(len(expected), 10)
                self.assertEqual((row["taken"], row["withdrawn"], row["waiting"]), (len(expected), 0, 0))
                self.assertIn(f"{len(expected)} interrupts", done.stderr)
                self.assertAlmostEqual(row["us_max"] * 1e6, expected[-1], delta=2 * CYCLE)
                self.assertAlmostEqual(row["us_mean"] * 1e6, sum(expected) / len(expected), delta=2 * CYCLE)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
