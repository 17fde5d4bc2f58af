"""Tests `dccvp cost`: memories equal those of the elaborated RTL, figures between two measured points are marked as
interpolated, and sweeps use the figures as metrics."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from dccvp import cost  # noqa: E402
from dccvp.handoff import ram_list  # noqa: E402

PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())


def tool(*words):
    return subprocess.run([ROOT / "python/tool.py", *words], capture_output=True, encoding="utf-8", check=False)


class Memories(unittest.TestCase):
    def elaborated(self, **parameters):
        """Returns {instance: (words, bits)} of the memories that yosys finds in the elaborated design."""
        sources = (ROOT / "rtl/controller/files.f").read_text(encoding="utf-8").split()
        values = " ".join(f"-set {name} {value}" for name, value in parameters.items())
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "top.json"
            subprocess.run(["yosys", "-q", "-p", f"read_verilog -sv {' '.join(sources)}; chparam {values} "
                            f"dcc_top; hierarchy -check -top dcc_top; proc; write_json {path}"],
                           cwd=ROOT / "rtl", check=True)
            modules = json.loads(path.read_text(encoding="utf-8"))["modules"]
        top = next(n for n, m in modules.items() if int(m.get("attributes", {}).get("top", "0"), 2))
        rows = []
        ram_list.walk(modules, top, "", rows)
        return {name: (words, bits) for name, words, bits in rows}

    @unittest.skipUnless(shutil.which("yosys"), "no yosys")
    def test_are_those_of_the_rtl(self):
        self.assertEqual(cost.memories(cost.Shape(1024)), self.elaborated(Slots=1024))
        self.assertEqual(cost.memories(cost.Shape(64, latency=40, flow_bits=8, cnps=16, commands=4)),
                         self.elaborated(Slots=64, FlowW=8, Latency=40, CnpDepth=16, CommandDepth=4))

    def test_slots_are_a_power_of_two(self):
        self.assertEqual(cost.Shape(96).slots, 128)
        self.assertEqual(cost.Shape(1).slots, 64)


class Clock(unittest.TestCase):
    def test_beyond_the_longest_path_is_said(self):
        values, _, _ = cost.cost(1024, 5e9)
        self.assertLess(values["osu018_greatest_clock_mhz"], 250)
        self.assertIn("5000 MHz", cost.warnings(values)[0])

    def test_within_the_longest_path_nothing_is_said(self):
        values, _, _ = cost.cost(1024, 20e6)
        self.assertEqual(cost.warnings(values), [])


class Points(unittest.TestCase):
    POINTS = [{"slots": 64, "lut": 1000}, {"slots": 1024, "lut": 1400, "dsp": 9}]

    def test_between_two_is_interpolated_and_said(self):
        self.assertEqual(cost.at_slots(self.POINTS, "lut", 256), (1200, "interpolated between 64 and 1024 slots"))

    def test_measured_is_as_measured(self):
        self.assertEqual(cost.at_slots(self.POINTS, "lut", 1024), (1400, "measured"))

    def test_beyond_is_not_guessed(self):
        self.assertEqual(cost.at_slots(self.POINTS, "lut", 4096), (None, "not measured"))
        self.assertEqual(cost.at_slots(self.POINTS, "dsp", 256), (None, "not measured"))

    def test_shipped_ones_are_of_the_present_rtl_or_it_is_said(self):
        points = cost.measured()
        self.assertGreater(len(points), 1)
        values = cost.cost(1024, 20e6)[0]
        present = points[0]["rtl"]
        self.assertEqual(cost.warnings(values, points, present), [])
        self.assertEqual(cost.warnings(values, points, None), [])
        self.assertIn("64, 1024, 16384 slots are of an earlier RTL", cost.warnings(values, points, "00000000")[0])

    def test_digest_ignores_comments_and_sees_code(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            self.assertIsNone(cost.rtl_digest(root))
            (root / "rtl/controller").mkdir(parents=True)
            (root / "rtl/controller/files.f").write_text("a.sv\n", encoding="utf-8")
            digests = []
            for code in ("wire a; // one\n", "wire a;  /* two\n lines */\n", "wire b;\n"):
                (root / "rtl/a.sv").write_text(code, encoding="utf-8")
                digests.append(cost.rtl_digest(root))
            self.assertEqual(digests[0], digests[1])
            self.assertNotEqual(digests[0], digests[2])


class Command(unittest.TestCase):
    def test_says_what_a_configuration_costs(self):
        config = str(ROOT / "configs/table_full.yaml")
        done = tool("cost", PROGRAM, config, "-c", "nic.controller.slots=1024", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        said = json.loads(done.stdout)
        self.assertAlmostEqual(said["cost"]["ram_kbits"], sum(said["memories"].values()) / 1024)
        self.assertEqual(said["cost"]["greatest_events_per_second"], 250e6)
        self.assertAlmostEqual(said["cost"]["worst_lateness_us"], (16 + 1023 * 8) * 4e-3)

    def test_refuses_what_is_no_configuration(self):
        done = tool("cost", PROGRAM, "/nonexistent.yaml")
        self.assertEqual(done.returncode, 2)
        self.assertIn("nonexistent", done.stderr)
        self.assertNotIn("Traceback", done.stderr)

    def test_is_a_metric_of_a_sweep(self):
        with tempfile.TemporaryDirectory() as folder:
            plan = pathlib.Path(folder) / "plan.yaml"
            plan.write_text(f"platform: {ROOT}/configs/table_full.yaml\n"
                            "set: {expect: [], duration: 100us, measure: {from: 0us, to: 100us}}\n"
                            "grid: {nic.controller.slots: [64, 128]}\n"
                            "metrics: {ram: cost.ram_kbits}\n", encoding="utf-8")
            done = tool("sweep", PROGRAM, str(plan), "--out", folder + "/out", "--no-plots")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            lines = (pathlib.Path(folder) / "out/table.csv").read_text(encoding="utf-8").splitlines()
        found = [float(line.split(",")[-1]) for line in lines[1:]]
        wanted = [sum(w * b for w, b in cost.memories(cost.Shape(n)).values()) / 1024 for n in (64, 128)]
        self.assertEqual(found, wanted)


if __name__ == "__main__":
    unittest.main()
