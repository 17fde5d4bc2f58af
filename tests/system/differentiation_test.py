#!/usr/bin/python3
"""Tests short studies of differentiation: bandwidth follows the weights.

  differentiation_test.py BUILD/dccvp [--full]

The studies in configs/differentiation hold the limits over 20 seeds. This test runs three seeds of the cases that break
most easily, with limits wide enough for three seeds: the greatest share error of twenty seeds is some 1.5 times the
95th percentile's limit of 10 %.
"""

import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from harness import PATIENCE

ROOT = pathlib.Path(__file__).resolve().parents[2]
STUDIES = ROOT / "configs" / "differentiation"
sys.path.insert(0, str(ROOT / "python"))
FULL = "--full" in sys.argv
if FULL:
    sys.argv.remove("--full")
DCCVP = ""

from dccvp.experiments import study, study_measure, study_plan  # noqa: E402


def rows_of(name, case, seeds="1..3", variant="proportional", **settings):
    plan = study_plan.read(STUDIES / f"{name}.study.yml", seeds, [case], [variant])
    for run in plan.runs:
        for path, value in settings.items():
            study_plan.set_path(run.platform, path.replace("__", "."), value)
    with tempfile.TemporaryDirectory() as folder:
        return study.measured(plan, pathlib.Path(DCCVP), pathlib.Path(folder, "out"))


class Weights(unittest.TestCase):
    def check(self, case, error, utilisation):
        for row in rows_of("weights", case):
            self.assertLess(row["share_error"], error)
            self.assertGreater(row["utilisation"], utilisation)
            # PFC pauses occur at the start, before the measurement window, and none within it.
            self.assertEqual(row["pfc_pauses"], 0)

    def test_two_flows_one_to_eight(self):
        self.check("1,8", 0.15, 0.97)

    def test_four_weights(self):
        self.check("1,2,4,8", 0.15, 0.97)

    def test_many_flows_leave_less_to_chance(self):
        self.check("8 of each", 0.10, 0.97)  # the study's own limit without the margin for three seeds

    def test_a_policy_that_cannot_see_its_marks_is_refused(self):
        with self.assertRaises(study_measure.RunError) as refused:
            rows_of("weights", "1,2,4,8", "1", nic__cnp={"carry_marks": False, "interval": "50us"})
        self.assertIn("nic.cnp.carry_marks", str(refused.exception))


def run_with(config, *overrides):
    """Runs the configuration STUDIES/config. Returns the finished process and the metrics."""
    with tempfile.TemporaryDirectory() as folder:
        words = [DCCVP, "run", str(STUDIES / config), "--out", f"{folder}/out", "--no-plots",
                 "--quiet"]
        for override in overrides:
            words += ["-c", override]
        done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE,
                              check=False)
        return done, json.loads(pathlib.Path(folder, "out", "metrics.json").read_text())


class WhereItEnds(unittest.TestCase):
    def test_a_full_slot_table_is_told(self):
        done, metrics = run_with("slots.yaml")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(any("found all 8 slots" in w for w in metrics["warnings"]), metrics["warnings"])
        self.assertLess(metrics["classes"][1]["share"], 0.65)  # entitled to a share of 0.75
        _, metrics = run_with("slots.yaml", "nic.controller.slots=16", "expect=[]")
        # The measurement window begins before the shares have settled, which a diagnosis may report. No diagnosis may
        # report a lack of slots.
        self.assertFalse([w for w in metrics["warnings"] if "slots" in w], metrics["warnings"])
        self.assertAlmostEqual(metrics["classes"][1]["share"], 0.75, delta=0.03)

    def test_weights_beyond_the_link_s_rate_are_scaled(self):
        # At the default scale of weights a port of 25 Gb/s allows a sum of weights of 142
        # (models/core/controller/law/README.md). The sum at this port is 168, so the driver scales weights down, to
        # the same values for any common factor.
        for light, heavy in ((1, 20), (3, 60)):
            with self.subTest(light=light):
                _, metrics = run_with(
                    "share.yaml", "topology.hosts=17", "topology.link.rate=25Gbps", "switch.ecn.kmin=12500B",
                    "switch.ecn.kmax=100KB", f"dscp={{10: {{weight: {light}}}, 46: {{weight: {heavy}}}}}",
                    "traffic=[{kind: incast, senders: 1..8, receiver: 0, dscp: 10}, "
                    "{kind: incast, senders: 9..16, receiver: 0, dscp: 46}]")
                self.assertEqual(metrics["warnings"], [])
                self.assertAlmostEqual(metrics["classes"][1]["share"], 20 / 21, delta=0.02)


class InMotion(unittest.TestCase):
    """Runs one seed of the study `start`, whose cases cover every cause of a delayed start."""

    def row(self, **settings):
        return rows_of("start", "32 over 1 ms", "1", duration="9.2ms", measure={"from": "5.2ms", "to": "9.2ms"},
                       **settings)[0]

    def test_flows_that_start_close_together_leave_the_queue_and_find_their_shares(self):
        row = self.row()
        self.assertLess(row["drain_ms"], 1.6)
        self.assertGreater(row["use_least"], 0.99)
        self.assertGreaterEqual(row["windows_rms"], 0.8)

    def test_without_a_window_the_queue_grows_with_every_newcomer(self):
        row = self.row(nic__congestion_control__free_window=0)
        # drain_ms is NaN for a queue that does not drain within the 3 ms, or at all
        self.assertFalse(row["drain_ms"] < 3)


class Platforms(unittest.TestCase):
    """Tests two bottlenecks in series, links of two rates, and hosts with two algorithms: the limits of each file
    in a shorter run."""

    def check(self, config, spoilt, figure):
        short = ("duration=30ms", "measure={from: 15ms, to: 30ms}")
        done, _ = run_with(config, *short)
        self.assertEqual(done.returncode, 0, done.stderr)
        done, _ = run_with(config, *short, spoilt)
        self.assertEqual(done.returncode, 1)
        self.assertIn(figure, done.stderr)

    def test_long_flow_of_two_bottlenecks(self):
        self.check("parking.yaml", "dscp.10.weight=2", "classes.0.goodput_gbps")

    def test_the_more_congested_of_two_ports_decides(self):
        self.check("max_min.yaml", "switch.ecn.draw=random", "classes.0.goodput_gbps")

    def test_links_of_two_rates(self):
        self.check("mixed.yaml", "dscp.22.weight=8", "classes.6.goodput_gbps")

    def test_beside_flows_of_plain_dcqcn(self):
        self.check("beside_dcqcn.yaml", "nics.0.congestion_control.algorithm=none", "classes.0.goodput_gbps")


class MovingWeights(unittest.TestCase):
    """Tests moving.yaml, in which a weight rises to 4 at 10 ms and returns to 1 at 15 ms."""

    def share(self, begin, end, *overrides):
        done, metrics = run_with("moving.yaml", f"measure={{from: {begin}ms, to: {end}ms}}", "expect=[]", *overrides)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(metrics["warnings"], [])
        return metrics["classes"][0]["share"]

    def test_shares_follow_within_a_millisecond(self):
        for driver in ("none", "native"):
            with self.subTest(driver=driver):
                done, _ = run_with("moving.yaml", f"host.driver={driver}")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertAlmostEqual(self.share(11, 12, f"host.driver={driver}"), 0.8, delta=0.08 * 0.8)
                self.assertAlmostEqual(self.share(16, 17, f"host.driver={driver}"), 0.5, delta=0.08 * 0.5)

    def test_the_preset_s_steps_need_longer(self):
        # sinh(ln(R1/R2)) starts at 15/8 and falls by a factor of e every 0.63 ms, so the share of the link is 0.59
        # after 1 ms and 0.52 after 2 ms.
        self.assertGreater(self.share(16, 17, "nic.congestion_control.r_ai=13700kbps"), 0.53)


class MovingClass(unittest.TestCase):
    """Tests moving_class.yaml, in which a flow moves to a class of weight 4 at 10 ms while the link stays full."""

    def window(self, begin, end, *overrides):
        done, metrics = run_with("moving_class.yaml", f"measure={{from: {begin}us, to: {end}us}}", "expect=[]",
                                 *overrides)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(metrics["warnings"], [])
        return metrics

    def test_shares_follow_within_a_millisecond_without_a_burst(self):
        for driver in ("none", "native"):
            with self.subTest(driver=driver):
                done, _ = run_with("moving_class.yaml", f"host.driver={driver}")
                self.assertEqual(done.returncode, 0, done.stderr)
                moving = self.window(10000, 11000, f"host.driver={driver}")
                after = self.window(11000, 12000, f"host.driver={driver}")
                self.assertAlmostEqual(after["classes"][0]["share"], 0.8, delta=0.08 * 0.8)
                self.assertGreater(moving["aggregate"]["goodput_gbps"], 0.995 * 92.4)
                self.assertLess(moving["queues"][0]["max_bytes"], 220e3)
                self.assertEqual(moving["aggregate"]["pfc_pauses"], 0)

    def test_the_change_is_what_does_it(self):
        kept = self.window(11000, 12000, "traffic.0.new_dscp=10")
        self.assertAlmostEqual(kept["classes"][0]["share"], 0.5, delta=0.08 * 0.5)
        # Moving the flow to another class of the same weight changes no share.
        same = self.window(11000, 12000, "traffic.0.new_dscp=11")
        self.assertAlmostEqual(same["classes"][0]["share"], 0.5, delta=0.08 * 0.5)


class DelayByWeight(unittest.TestCase):
    """Tests messages.yaml, in which a class of high weight sends messages of 200 KB beside long flows of weight 1."""

    SEEDS = (1, 2, 3)
    INCAST = ("topology={kind: star, hosts: 33, link: {rate: 100Gbps, delay: 1us, overhead: 20B}}",
              "switch.ecn.kmin=55KB", "switch.ecn.kmax=440KB", "duration=27ms", "measure.to=27ms",
              "traffic=[{kind: partition_aggregate, senders: 1..16, receiver: 0, bytes: 200KB, dscp: 10, "
              "start: 1ms, period: 1300us, rounds: 20}, {kind: partition_aggregate, senders: 17..32, receiver: 0, "
              "bytes: 200KB, dscp: 46, start: 1ms, period: 1300us, rounds: 20}]")

    def delays(self, *overrides):
        """99th percentile of the completion times in us by DSCP, averaged over SEEDS."""
        sums = {}
        for seed in self.SEEDS:
            done, metrics = run_with("messages.yaml", f"seed={seed}", "expect=[]", *overrides)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(metrics["fct"]["all"]["unfinished"], 0)  # every message completes, so no flow starves
            for one in metrics["fct"]["by_class"]:
                sums[one["dscp"]] = sums.get(one["dscp"], 0) + one["us_p99"] / len(self.SEEDS)
        return sums

    def check(self, *platform):
        equal = self.delays(*platform, "dscp.46.weight=1")
        weighted = self.delays(*platform)
        self.assertLess(weighted[46], 0.7 * equal[46])
        holding = self.delays(*platform, "nic.congestion_control.hold_below=none")
        self.assertGreater(holding[46], 0.7 * equal[46])  # where every flow holds, the weight has too little effect
        return equal, weighted

    def test_messages_beside_long_flows(self):
        self.check()

    def test_an_incast_of_both_classes(self):
        equal, weighted = self.check(*self.INCAST)
        # the weights may lengthen messages of the low class by up to 15 %
        self.assertLess(weighted[10], 1.15 * equal[10])

    def test_equal_weights_change_nothing(self):
        equal = self.delays("dscp.46.weight=1")
        self.assertEqual(self.delays("dscp.46.weight=1", "nic.congestion_control.hold_below=none"), equal)

    def test_short_messages_overtake_as_with_a_threshold(self):
        self.assertEqual(self.delays("nic.congestion_control.hold_below=2"), self.delays())
        # The least weight in use is 4, so that weight 6 is not twice as great.
        for weight, held in ((6, True), (8, False)):
            weights = f"dscp={{10: {{weight: 4}}, 46: {{weight: {weight}}}}}"
            holding = self.delays(weights, "nic.congestion_control.hold_below=none")
            self.assertEqual(self.delays(weights) == holding, held)

    def test_long_flows_hold(self):
        long = ("duration=12ms", "measure.to=12ms",
                "traffic=[{kind: incast, senders: 1..4, receiver: 0, dscp: 10, start: 200us}, "
                "{kind: incast, senders: 5..8, receiver: 0, dscp: 46, start: 200us}, "
                "{kind: incast, senders: 9..10, receiver: 0, dscp: 46, start: 5ms, bytes: 20MB}]")
        runs = [run_with("messages.yaml", "expect=[]", *long, f"nic.congestion_control.hold_below={value}")[1]
                for value in ("auto", "none", 2)]
        queues = [run["queues"] for run in runs]
        self.assertEqual(queues[0], queues[1])
        self.assertNotEqual(queues[0], queues[2])

    def test_classes_below_the_threshold_hold(self):
        holding = self.delays("nic.congestion_control.hold_below=none")
        self.assertEqual(self.delays("nic.congestion_control.hold_below=9"), holding)

    def test_it_is_refused_where_no_flow_holds(self):
        for override, said in (("nic.congestion_control.policy=dcqcn", "policy: dcqcn has no hold"),
                               ("nic.congestion_control.first_cut=0", "first_cut: 0 lets no flow hold")):
            done = subprocess.run([DCCVP, "check", str(STUDIES / "messages.yaml"), "-c", override,
                                   "-c", "nic.congestion_control.hold_below=2"],
                                  capture_output=True, text=True, timeout=PATIENCE, check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("hold_below", done.stderr)
            self.assertIn(said, done.stderr)


class TrainingJobs(unittest.TestCase):
    """Tests training_jobs.yaml, in which two jobs whose weights follow their progress take turns on two links."""

    ROUNDS, SENDS = 20, 4  # each of two ranks sends twice per round

    def iterations(self, first, *overrides):
        """Mean duration in seconds of nine iterations from the iteration `first` on, by DSCP of the job."""
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder, "out")
            done = subprocess.run([DCCVP, "run", str(ROOT / "configs" / "training_jobs.yaml"), "--out", str(out),
                                   "--quiet", "--no-plots",
                                   *(word for override in overrides for word in ("-c", override))],
                                  capture_output=True, text=True, timeout=PATIENCE, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            with (out / "flows.csv").open(encoding="utf-8") as file:
                flows = sorted(csv.DictReader(file), key=lambda flow: int(flow["id"]))
        means = {}
        for dscp in sorted({flow["dscp"] for flow in flows}):
            starts = [float(flow["start_s"]) for flow in flows if flow["dscp"] == dscp]
            self.assertEqual(len(starts), self.ROUNDS * self.SENDS)
            rounds = [min(starts[i:i + self.SENDS]) for i in range(0, len(starts), self.SENDS)]
            means[dscp] = (rounds[first + 9] - rounds[first]) / 9
        return means

    def test_jobs_take_turns(self):
        # The second job begins after the first job has completed its rounds.
        alone = self.iterations(0, "traffic.1.start=400ms", "duration=900ms", "expect=[]")["10"]
        # If the weights follow the bytes of the job, no job leads in one direction of the ring only, with any seed.
        together = [self.iterations(10, f"seed={seed}") for seed in ((1, 2, 3) if FULL else (2,))]
        # If the weights follow the bytes of each rank, with seed 2 each job leads in one direction of the ring.
        of_ranks = self.iterations(10, "seed=2", "expect=[]",
                                   *(f"traffic.{i}.weight_follows=rank" for i in (0, 1)))
        # With fixed weights only the first iterations count: later the sends within a job drift apart, and the jobs
        # compete less.
        fixed = self.iterations(0, "traffic.0.weight_at_end=1", "traffic.1.weight_at_end=1", "expect=[]")
        for dscp in ("10", "12"):
            for job in together:
                self.assertLess(job[dscp], 1.1 * alone)
            # Between the bound of jobs that take turns, 1.1, and the iterations measured here, 1.27 or more.
            self.assertGreater(of_ranks[dscp], 1.2 * alone)
            self.assertGreater(fixed[dscp], 1.4 * alone)


class Policies(unittest.TestCase):
    """Tests priority, guaranteed rate and rate limit with the same tables (policies.yaml and its expectations)."""

    def run_with(self, *overrides):
        return run_with("policies.yaml", "duration=30ms", "measure.to=30ms", *overrides)[0]

    def test_every_class_gets_what_its_entries_say(self):
        done = self.run_with()
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_each_entry_is_what_does_it(self):
        for override, figure in (("dscp.46.weight=1", "classes.3.goodput_gbps"),
                                 ("dscp.34.min_rate=none", "classes.2.goodput_gbps"),
                                 ("dscp.26.max_rate=none", "classes.1.goodput_gbps")):
            done = self.run_with(override)
            self.assertEqual(done.returncode, 1, override)
            self.assertIn(figure, done.stderr, override)


if __name__ == "__main__":
    DCCVP = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
