#!/usr/bin/python3
"""Tests the runner of studies: its figures on results written by hand, and its refusals.

  study_runner_test.py BUILD/dccvp [--full]

With --full every platform of every study is checked, else every fourth.
"""

import csv
import dataclasses
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import yaml

from harness import PATIENCE

ROOT = pathlib.Path(__file__).resolve().parents[2]
STUDIES = ROOT / "configs" / "differentiation"
sys.path.insert(0, str(ROOT / "python"))
FULL = "--full" in sys.argv
if FULL:
    sys.argv.remove("--full")
DCCVP = ""

from dccvp.common import statistics  # noqa: E402
from dccvp.experiments import study_measure, study_motion, study_plan, study_sizes, study_table  # noqa: E402


class Measuring(unittest.TestCase):
    """Tests the figures of a study on hand-made results, without a simulation."""

    def test_share_error_is_the_worst_flow_s(self):
        self.assertAlmostEqual(study_measure.share_error([10, 20], [1, 2]), 0)
        # The shares 1/4 and 3/4 have errors of -25 % and +12.5 % against the entitlements 1/3 and 2/3.
        self.assertAlmostEqual(study_measure.share_error([10, 30], [1, 2]), 0.25)
        self.assertEqual(study_measure.share_error([0, 0], [1, 2]), 1)

    def test_errors_of_all_flows_and_of_classes(self):
        # The goodputs add up to 96. Divided by the weights 1, 1, 2 and 4, they would be 12, 12, 24 and 48.
        goodput, weights = [10, 14, 24, 48], [1, 1, 2, 4]
        self.assertAlmostEqual(study_measure.share_rms(goodput, weights), math.sqrt(2 * (1 / 6) ** 2 / 4))
        self.assertAlmostEqual(study_measure.class_error(goodput, weights), 0)
        self.assertAlmostEqual(study_measure.class_error([10, 10, 24, 52], weights), 1 / 6)
        self.assertEqual(study_measure.share_rms([0, 0], [1, 2]), 1)

    def test_ceiling_counts_headers_and_gap(self):
        platform = {"topology": {"link": {"rate": "100Gbps", "overhead": "20B"}}}
        self.assertAlmostEqual(study_measure.ceiling_gbps(platform), 100 * 1000 / 1082)

    def test_percentile_is_a_value_that_was_seen(self):
        self.assertEqual(statistics.percentile(range(1, 21), 95), 19)
        self.assertEqual(statistics.percentile([3], 95), 3)
        self.assertEqual(statistics.percentile([1, 2], 50), 1)

    def test_drain_time_counts_from_the_first_crossing(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "queue.csv"

            def drain(*lengths):
                file.write_text("t_s,port,bytes\n" + "".join(
                    f"{i * 1e-3},p,{length}\n" for i, length in enumerate(lengths)))
                return study_measure.drain_ms(file, 400)

            self.assertAlmostEqual(drain(0, 500, 900, 300, 500), 2)
            self.assertEqual(drain(0, 400, 10), 0)
            self.assertTrue(math.isnan(drain(0, 500, 600)))

    def test_figures_of_a_run_by_hand(self):
        aggregate = {"goodput_gbps": 80.0, "jain": 0.9, "ecn_marks": 5, "cnps_sent": 4,
                     "cnps_dropped_no_slot": 3, "pfc_pauses": 2, "rtt_us_p99": 7.5}
        metrics = {"aggregate": aggregate, "measure": {"from_s": 0, "to_s": 1}, "flows": [
            {"dscp": 10, "weight": 1, "goodput_gbps": 30.0},
            {"dscp": 11, "weight": 2, "goodput_gbps": 50.0},
            {"dscp": 46, "weight": 9, "goodput_gbps": None}], "queues": [
            {"mean_bytes": 1000, "p99_bytes": 9000, "max_bytes": 9000},
            {"mean_bytes": 5000, "p99_bytes": 6000, "max_bytes": 7000}]}
        run = study_plan.Run("v", "c", 1, {}, {"topology": {"link": {"rate": "100Gbps"}},
                                               "switch": {"ecn": {"kmax": "4KB"}}})
        plan = study_plan.Plan("s", pathlib.Path(), ("v",), ("c",), True, 46, None, {}, ("v",), (run,))
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder)
            (out / "series").mkdir()
            (out / "series/queue.csv").write_text("t_s,bytes\n0,4000\n0.001,4001\n0.004,3999\n")
            (out / "flows.csv").write_text("dscp,fct_s\n46,2e-6\n46,1e-6\n46,\n10,9e-6\n46,3e-6\n")

            def figures():
                (out / "metrics.json").write_text(json.dumps(metrics))
                return study_measure.figures_of(run, plan, out)

            found = figures()
            # The shares are 3/8 and 5/8 against the entitlements 1/3 and 2/3; goodput per weight is 30 and 25.
            for name, value in (("share_error", 0.125), ("share_rms", math.sqrt((0.125**2 + 0.0625**2) / 2)),
                                ("class_error", 0.125), ("utilisation", 80 / (100 * 1000 / 1082)),
                                ("jain", 0.9), ("jain_weighted", 3025 / 3050), ("queue_mean_kb", 5),
                                ("queue_p99_kb", 6), ("queue_max_kb", 7), ("drain_ms", 3),
                                ("ecn_marks", 5), ("cnps", 4), ("dropped_no_slot", 3),
                                ("pfc_pauses", 2), ("rtt_p99_us", 7.5), ("message_p50_us", 2),
                                ("message_p99_us", 3)):
                self.assertAlmostEqual(found[name], value, msg=name)
            self.assertEqual(found["by_weight"], {"1": 30, "2": 50})
            self.assertEqual((found["tenant_error"], found["tenant_swing"]), (None, None))
            self.assertEqual(set(found), {*study_measure.FIGURES, "by_size", "by_weight"})
            # The flows of the closed loop have no weights of their own.
            (out / "series/class.csv").write_text("t_s,dscp,goodput_gbps\n")
            metrics["qos"], metrics["tenants"] = {}, [
                {"share_error_window": None}, {"share_error_window": 0.02},
                {"share_error_window": 0.03}]
            found = figures()
            self.assertEqual((found["share_error"], found["jain_weighted"]), (None, None))
            self.assertEqual(found["tenant_error"], 0.03)
            (out / "flows.csv").write_text("dscp,fct_s\n46,\n")
            with self.assertRaisesRegex(study_measure.RunError, "no message of DSCP 46"):
                figures()

    def test_slowdowns_by_size_by_hand(self):
        def metrics(*bins, left=0):
            return {"flow_count": 100 + left, "flows_completed": 100, "slowdown": {"all": {"mean": 2.5}, "bins": [
                {"above_bytes": above, "up_to_bytes": up_to, "flows": flows, "p50": p50}
                for above, up_to, flows, p50 in bins]}}

        found = metrics((0, 1000, 60, 1.5), (300_000, 1_000_000, 19, 3.0), (10_000_000, None, 20, 8.0), left=2)
        self.assertEqual(study_sizes.slowdown_figures(found), {"slowdown_mean": 2.5, "unfinished": 2})
        # 19 flows are too few for a median
        self.assertEqual(study_sizes.by_size(found),
                         {"to 1 KB": {"flows": 60, "p50": 1.5}, "over 10 MB": {"flows": 20, "p50": 8.0}})

        def row(variant, seed, **p50):
            return {name: math.nan for name in study_measure.FIGURES} | {
                "variant": variant, "case": "c", "seed": seed, "slowdown_mean": p50.pop("of_all"), "unfinished": 0,
                "by_size": {size: {"flows": 30, "p50": value} for size, value in p50.items()}}

        rows = [row("a", 1, of_all=2, small=1.0, great=6.0, odd=9.0), row("a", 2, of_all=4, small=1.0, great=3.0),
                row("b", 1, of_all=4, small=2.0, great=4.0, odd=1.0), row("b", 2, of_all=4, small=1.0, great=4.0)]
        limits = {"slowdown_ratio_max": 0.75, "size_ratio_max": 1.12, "unfinished_max": 0}
        plan = study_plan.Plan("s", pathlib.Path(), ("a", "b"), ("c",), False, None, "b", {"c": limits}, ("a",), (),
                               True)
        line = study_table.table(plan, rows)[0]
        # Means are 3 of 4. Medians of great flows are 1.5 and 0.75 of b's; the second seed of either lacks odd ones.
        self.assertEqual((line["slowdown_ratio"], line["size_ratio"], line["missed"]), (0.75, 1.125, "size_ratio_max"))
        sizes = study_sizes.compared(plan, rows)
        self.assertEqual([(n["size"], n["flows"], n["quotient"], n["worst"]) for n in sizes],
                         [("small", 60, 0.75, 1.0), ("great", 60, 1.125, 1.5)])
        self.assertEqual(study_sizes.markdown(sizes).splitlines()[-1], "| c | a | 0.75 (1.00) | 1.12 (1.50) |")
        alone = dataclasses.replace(plan, variants=("a",))
        self.assertTrue(math.isnan(study_table.table(alone, rows)[0]["size_ratio"]))
        self.assertEqual(study_sizes.markdown(study_sizes.compared(alone, rows)), "")

    def test_motion_by_hand(self):
        platform = {"traffic": [{"kind": "flow"}, {"kind": "flow", "start": "1ms"},
                                {"kind": "flow", "stop": "4ms"}]}
        motion = {"use_from": 2e-3, "use_window": 1e-3, "shares_from": 1e-3, "share_window": 2e-3,
                  "tolerance": 0.2, "interval": 1e-3}
        # Goodput in Gb/s of three flows of weights 1, 2 and 1 in each millisecond.
        rates = ((10, 0, 10), (2, 9, 9), (4, 11, 5), (5, 9, 6), (5, 10, 0), (7, 10, 0), (5, 6, 0))
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "flow_rates.csv"
            lines = ["t_s,flow,rate_gbps,goodput_gbps", "0,0,9,0"]
            for i, row in enumerate(rates, 1):
                lines += [f"{i / 1e3},{flow},99,{rate}" for flow, rate in enumerate(row)]
            file.write_text("\n".join(lines) + "\n")
            found = study_motion.motion_figures(motion, platform, [1, 2, 1], 20.0, file)
            # Use of the link of 20 Gb/s per millisecond from 2 ms on: 20, 20, 15, 17 and 11 Gb/s.
            self.assertAlmostEqual(found["use_least"], 11 / 20)
            # From 1 to 3 ms the flows get 6, 20 and 14 of 40 Gb/s instead of 10, 20 and 10: an error of 40 %, 33 %
            # root mean square. From 3 to 5 ms, without the third flow, they get 10 and 19 of 29 Gb/s. From 5 to 7 ms
            # they get 12 and 16 of 28 Gb/s: errors of 28.6 % and 14.3 %, 22.6 % root mean square.
            self.assertAlmostEqual(found["windows_every"], 1 / 3)
            self.assertAlmostEqual(found["windows_rms"], 1 / 3)
            found = study_motion.motion_figures(motion | {"tolerance": 0.25}, platform, [1, 2, 1], 20.0, file)
            self.assertAlmostEqual(found["windows_every"], 1 / 3)
            self.assertAlmostEqual(found["windows_rms"], 2 / 3)
        self.assertEqual(study_motion.left_before(platform, 4e-3), {2})

    def test_spread_starts_are_drawn_by_the_seed_and_stay_within(self):
        def starts(seeds):
            plan = study_plan.read(STUDIES / "start.study.yml", seeds, ["8 over 1 ms"])
            return [[study_motion.number(f["start"]) for f in run.platform["traffic"]] for run in plan.runs]

        first, second = starts("1..2")
        self.assertEqual(first, starts("1")[0])
        self.assertNotEqual(first, second)
        self.assertEqual(len(set(first)), 8)
        self.assertTrue(all(200e-6 <= start <= 1200e-6 for start in first + second))

    def test_a_limit_that_is_missed_is_named(self):
        line = {"error_p95": 0.2, "utilisation_min": 0.99, "drain_ms_max": math.nan,
                "tenant_error_max": 0.04, "message_gain": 3.1}
        limits = {"share_error_p95": 0.1, "utilisation_min": 0.97, "drain_ms_max": 2}
        self.assertEqual(study_table.judged(line, limits), ["share_error_p95", "drain_ms_max"])
        limits = {"tenant_error_max": 0.03, "message_gain_min": 3}
        self.assertEqual(study_table.judged(line, limits), ["tenant_error_max"])

    def test_a_limit_that_is_just_met_holds(self):
        line = {"error_p95": 0.1, "utilisation_min": 0.97}
        limits = {"share_error_p95": 0.1, "utilisation_min": 0.97}
        self.assertEqual(study_table.judged(line, limits), [])

    def test_a_line_is_the_sum_of_its_seeds(self):
        row = dict.fromkeys(study_measure.FIGURES, 1.0)
        line = study_table.line_of("v", "c", [row | {"share_error": e, "utilisation": u} for e, u in
                                              ((0.4, 0.7), (0.1, 0.9), (0.2, 0.8))])
        for name, value in (("seeds", 3), ("error_p50", 0.2), ("error_p95", 0.4), ("error_max", 0.4),
                            ("utilisation_mean", 0.8), ("utilisation_min", 0.7), ("jain", 1)):
            self.assertAlmostEqual(line[name], value, msg=name)
        low, high = line["intervals"]["utilisation_mean"]
        self.assertAlmostEqual((high - low) / 2, statistics.confidence([0.7, 0.8, 0.9]))
        self.assertNotIn("error_p95", line["intervals"], "three seeds say nothing of a percentile's interval")
        self.assertEqual(study_table.shown(line, "utilisation_mean", 100, 1), "80 ± 25")
        self.assertAlmostEqual(line["intervals"]["utilisation_mean"][0], 0.8 - statistics.confidence([0.7, 0.8, 0.9]))
        self.assertNotIn("error_p95", line["intervals"], "three seeds say nothing of a percentile's interval")
        self.assertEqual(study_table.shown(line, "utilisation_mean", 100, 1), "80 ± 25")

    def test_swing_is_that_of_the_worst_class_that_stays(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "class.csv"
            lines = ["t_s,dscp,goodput_gbps"]
            for i in range(1, 61):  # only the last 40 ms count, in a part of which class 12 is active
                first = 40 if i <= 20 else 10 if i <= 40 else 30
                lines += [f"{i / 1e3},10,{first}", f"{i / 1e3},11,{40 - first}",
                          f"{i / 1e3},12,{5 if i < 30 else 0}"]
            file.write_text("\n".join(lines) + "\n")
            # Class 10 has the shares 1/4, 1/4, 3/4 and 3/4, which are 1/4 from their mean of 1/2. Class 11 has the
            # other halves.
            self.assertAlmostEqual(study_measure.tenant_swing(file, 0.02, 0.06), 0.5)
            self.assertTrue(math.isnan(study_measure.tenant_swing(file, 0.05, 0.06)))

    def test_a_table_leaves_out_what_no_run_has(self):
        row = {name: math.nan for name in study_measure.FIGURES} | {
            "variant": "a", "case": "c", "utilisation": 0.98, "queue_mean_kb": 1.0,
            "queue_p99_kb": 2.0, "message_p50_us": 1.0, "message_p99_us": 2.0}
        plan = study_plan.Plan("s", pathlib.Path(), ("a", "b"), ("c",), False, 46, "b",
                               {"c": {"message_gain_min": 3}}, ("a",), ())
        rows = [row, row | {"variant": "b", "message_p99_us": 7.0}]
        text = study_table.markdown(study_table.table(plan, rows)).splitlines()
        self.assertEqual(text[0], "| case | variant | utilisation % (least) | queue mean / p99 KB "
                                  "| message p50 / p99 us | gain of p99 |")
        self.assertEqual(text[2], "| c | a | 98.0 (98.0) | 1 / 2 | 1.00 / 2.00 | 3.5 |")
        self.assertIn("message_gain_min", study_table.markdown(
            study_table.table(plan, [row, row | {"variant": "b"}])))


class Studies(unittest.TestCase):
    def test_every_platform_of_every_study_is_accepted(self):
        for study in sorted(STUDIES.glob("*.study.yml")):
            plan = study_plan.read(study, "1")
            with tempfile.TemporaryDirectory() as folder:
                for i, run in enumerate(plan.runs[::1 if FULL else 4]):
                    file = pathlib.Path(folder) / f"{i}.yaml"
                    file.write_text(yaml.safe_dump(run.platform))
                    done = subprocess.run([DCCVP, "check", str(file)], capture_output=True,
                                          text=True, check=False)
                    self.assertEqual(done.returncode, 0, f"{study.name}, {run.case}: {done.stderr}")

    def study(self, text, *arguments):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "share.yaml").write_text((STUDIES / "share.yaml").read_text())
            (folder / "s.study.yml").write_text(text)
            done = subprocess.run(
                [DCCVP, "study", str(folder / "s.study.yml"), "--out", str(folder / "out"),
                 *arguments],
                capture_output=True, text=True, timeout=PATIENCE, check=False)
            table = folder / "out" / "table.csv"
            text = table.read_text() if table.exists() else ""
            lines = list(csv.DictReader(text.splitlines()))
            return done, lines, sorted(p.name for p in (folder / "out").glob("*"))

    SHORT = """
platform: share.yaml
seeds: 1..2
variants: {one: {duration: 2ms, measure: {from: 1ms, to: 2ms}}}
cases: {pair: {flows: {1: 1, 2: 1}, set: {switch.ecn.kmin: 50KB}}}
"""

    def test_a_study_leaves_table_and_pictures_and_fails_by_its_limits(self):
        done, lines, files = self.study(self.SHORT + "limits: {share_error_p95: 0.000001}\n")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual([(n["case"], n["seeds"], n["missed"]) for n in lines],
                         [("pair", "2", "share_error_p95")])
        for name in ("runs.csv", "table.md", "share_error.png", "share_weight.png", "use.png"):
            self.assertIn(name, files)
        done, _, _ = self.study(self.SHORT, "--no-plots")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_slowdowns_by_size_are_compared(self):
        random = """
platform: share.yaml
seeds: 1..2
slowdowns: true
against: slow
variants: {fast: {}, slow: {nic.congestion_control: {algorithm: dcqcn, initial_rate: 25Gbps, r_max: 25Gbps}}}
cases:
  random:
    set:
      duration: 6ms
      measure: {from: 0ms, to: 6ms}
      topology: {kind: leaf_spine, leaves: 2, spines: 1, hosts_per_leaf: 2, host_link: {rate: 100Gbps}}
      traffic: [{kind: poisson, hosts: 0..3, load: 0.2, sizes: fbhadoop, flows_per_host: 60}]
limits: {slowdown_ratio_max: 1, size_ratio_max: 1.2}
"""
        done, lines, files = self.study(random + "limits_for: [fast]\n")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual([name for name in files if name.startswith("s")], ["sizes.csv", "sizes.png"])
        fast, slow = lines
        self.assertLess(float(fast["slowdown_ratio"]), 0.9)
        self.assertLess(float(fast["size_ratio"]), 1)
        self.assertEqual((slow["slowdown_ratio"], slow["size_ratio"], slow["utilisation_mean"]), ("1", "1", "nan"))
        self.assertIn("Quotients of the medians by size of flow", done.stdout)
        done, lines, _ = self.study(random.replace("against: slow", "against: fast"), "--no-plots")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(lines[1]["missed"], "slowdown_ratio_max size_ratio_max")

    def test_runs_that_the_folder_holds_are_not_repeated(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "share.yaml").write_text((STUDIES / "share.yaml").read_text())
            (folder / "s.study.yml").write_text(self.SHORT)

            def markers(*arguments):
                done = subprocess.run([DCCVP, "study", "s.study.yml", "--no-plots", "--out", "out", *arguments],
                                      cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(list((folder / "out/points").iterdir()), [])
                return {file.name: file.stat().st_mtime_ns for file in (folder / "out/done").iterdir()}

            first = markers()
            self.assertEqual(len(first), 2)
            self.assertEqual(markers(), first)
            self.assertTrue(all(markers("--again")[file] > time for file, time in first.items()))
            changed = self.SHORT.replace("50KB", "60KB")
            (folder / "s.study.yml").write_text(changed)
            self.assertEqual(len(markers()), 4)

    def test_unusable_studies_are_refused_with_the_place(self):
        for text, words in (
                (self.SHORT.replace("1..2", "x"), "s.study.yml:3:8: seeds are written 1..20"),
                (self.SHORT + "limit: {}\n", "s.study.yml:6:1: unknown key 'limit'"),
                (self.SHORT + "limits: {share: 1}\n", "s.study.yml:6:10: limits: unknown limit 'share'"),
                (self.SHORT + "limits: {drain_ms_max: x}\n", "s.study.yml:6:24: limits: a limit is"),
                (self.SHORT + "slowdowns: 1\n", "s.study.yml:6:12: 'slowdowns' is true or false"),
                (self.SHORT + "against: two\n", "s.study.yml:6:10: against: no variant 'two'"),
                (self.SHORT + "limits_for: [one, two]\n", "s.study.yml:6:19: limits_for: no variant"),
                (self.SHORT.replace("{1: 1, 2: 1}", "{0: 1}"), "s.study.yml:5:23: cases.pair: a weight"),
                (self.SHORT.replace("set", "sets"), "s.study.yml:5:37: unknown key 'sets'"),
                (self.SHORT.replace("share.yaml", "none.yaml"), "s.study.yml:2:11: no such file"),
                (self.SHORT.replace("duration", "durations"), "s.study.yml: one, pair, seed 1: unknown"),
                (self.SHORT + "motion: {use: 1ms}\n", "s.study.yml:6:10: cases.pair: unknown key 'use'"),
                (self.SHORT + "motion: {use_from: 1ms}\n", "s.study.yml:6:9: cases.pair: motion without"),
                (self.SHORT + "motion: {use_from: 1ms, use_window: 2ms, shares_from: 1ms, share_window: 3ms,"
                 " tolerance: 20%}\n", "s.study.yml:6:9: cases.pair: one window is a multiple"),
                (self.SHORT.replace("set", "spread: x, set"), "s.study.yml:5:45: cases.pair: 'spread' is"),
                (self.SHORT + "seeds: 1\n", "s.study.yml:6:1: 'seeds' is there twice"),
                ("[", "s.study.yml:1:2: not valid YAML"), ("", "s.study.yml:1:1: empty")):
            with self.subTest(text=text):
                done, lines, _ = self.study(text, "--no-plots")
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertRegex(done.stderr, rf"\Adccvp: \S*{re.escape(words)}.*\n\Z")
                self.assertEqual(lines, [])

    def test_a_folder_of_other_things_is_left_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            letter = pathlib.Path(folder, "letter.txt")
            letter.write_text("keep me")
            done = subprocess.run(
                [DCCVP, "study", str(STUDIES / "weights.study.yml"), "--out", folder],
                capture_output=True, text=True, timeout=PATIENCE, check=False)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(list(pathlib.Path(folder).iterdir()), [letter])


if __name__ == "__main__":
    DCCVP = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
