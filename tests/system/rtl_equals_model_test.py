#!/usr/bin/python3
"""Tests that a network whose blocks are verilated RTL gives the same results, byte for byte, as with the models.

  rtl_equals_model_test.py BUILD/dccvp [--full]

Every configuration runs with the model, then with timer and rate_lut as rtl and lockstep, then with the whole
controller (engine) as rtl and lockstep. Some configurations also run with the notification point (np.engine), the
parser (parser.engine), the pacer (pacer.engine), or all blocks as rtl and lockstep. flows.csv and metrics.json
(without values that depend on the machine) must not differ. The runs are shortened. With --full the runs have their
own duration, and some continue until the model has used one second of processor time. In these runs the ratio to the
model's processor time has a bound. The test prints the processor time of each run and its ratio to the model's.
"""

import pathlib
import resource
import subprocess
import sys
import tempfile

from harness import PATIENCE, SKIPPED, figures

ROOT = pathlib.Path(__file__).resolve().parents[2]
PARTS = ("controller.timer", "controller.rate_lut")
WHOLE = ("controller.engine",)
NOTIFICATION = ("np.engine",)
PARSER = ("parser.engine",)
# Each case: configuration, duration and beginning of the measurement in the shortened run, counters that the run must
# have raised.
CASES = [
    ("incast_8x25g", "4ms", "0ms", {"rate_decreases": 8, "rate_increases": 100}),
    ("thousand_flows", "2ms", "0ms", {"rate_decreases": 2000, "rate_increases": 2000}),
    ("differentiation/share", "15ms", "0ms", {"rate_decreases": 100, "rate_increases": 50}),
    # The factor tables are rewritten while flows run.
    ("tenants", "6ms", "0ms", {"rate_decreases": 50, "rate_increases": 100}),
    ("table_full", "4ms", "0ms", {"cnps_dropped_no_slot": 10, "rate_increases": 100}),
]

# Runs with the whole block as RTL, which are shorter because every cycle is simulated: (configuration, overrides,
# duration of the short run and with --full, counters that the run with --full must have raised).
NEW_CLASS = ("traffic.0.new_dscp_at=250us",)
FIRMWARE = ("host={driver: firmware, elf: %s}",)
WHOLE_CASES: list[tuple[str, tuple, str | None, str, dict[str, int]]] = [
    ("incast_8x25g", (), "300us", "4ms", {"rate_decreases": 8, "rate_increases": 100}),
    ("demo", (), "350us", "3ms", {"rate_decreases": 50}),
    ("demo", FIRMWARE, None, "3ms", {}),
    ("thousand_flows", (), "200us", "2ms", {"rate_decreases": 2000, "rate_increases": 2000}),
    ("table_full", (), "300us", "4ms", {"cnps_dropped_no_slot": 10, "rate_increases": 100}),
    ("differentiation/share", (), "300us", "15ms", {"rate_decreases": 100, "rate_increases": 50}),
    # A flow changes its class during the run.
    ("differentiation/moving_class", NEW_CLASS, "400us", "15ms", {"rate_decreases": 50, "rate_increases": 100}),
    # The factor tables are rewritten while flows run.
    ("tenants", (), "300us", "6ms", {"rate_decreases": 50, "rate_increases": 100}),
    # Flows of the FBHadoop distribution between 60 hosts of a fat tree.
    ("differentiation/traffic", (), None, "1ms", {}),
]

# Runs with the notification point as RTL: (configuration, overrides, duration of the short run and with --full).
NOTIFICATION_CASES: list[tuple[str, tuple, str, str]] = [
    ("incast_8x25g", (), "1ms", "40ms"),
    ("incast_8x25g", ("nic.cnp={interval: 0us, carry_marks: false}",), "500us", "10ms"),
    ("demo", (), "400us", "20ms"),
    ("thousand_flows", (), "200us", "20ms"),
]

# Runs with the parser as RTL: (configuration, overrides, duration of the short run and with --full). Each sender gets
# CNPs with counts from one receiver and CNPs without counts from another.
BOTH_KINDS = ("nic.cnp={interval: 4us, carry_marks: true}",
              "nics=[{hosts: 8, cnp: {interval: 4us, carry_marks: false}}]",
              "traffic=[{kind: incast, senders: 1..7, receiver: 0, dscp: 10}, "
              "{kind: incast, senders: 1..7, receiver: 8, dscp: 10}]")
PARSER_CASES: list[tuple[str, tuple, str, str]] = [
    ("incast_8x25g", (), "1ms", "40ms"),
    ("incast_8x25g", BOTH_KINDS, "300us", "10ms"),
    ("incast_8x25g", ("nic.congestion_control={algorithm: dcqcn}",), "300us", "10ms"),
    ("demo", (), "400us", "20ms"),
    ("demo", FIRMWARE, "1500us", "20ms"),
    ("thousand_flows", (), "200us", "20ms"),
    ("differentiation/share", (), "300us", "15ms"),
    ("differentiation/moving_class", NEW_CLASS, "400us", "15ms"),
]

# Runs with the pacer, or with every block, as RTL. Their reference has `model` for the same key, because without the
# key the NIC paces without clock cycles: (configuration, keys, duration of the short run and with --full).
PACER = ("pacer.engine",)
ALL_BLOCKS = ("engine",)
PACER_CASES: list[tuple[str, tuple, str | None, str]] = [
    ("incast_8x25g", PACER, "40us", "2ms"),
    ("thousand_flows", PACER, "150us", "1ms"),
    ("demo", ALL_BLOCKS, None, "1ms"),
    ("incast_8x25g", ALL_BLOCKS, "40us", "2ms"),
    ("thousand_flows", ALL_BLOCKS, "150us", "1ms"),
    ("differentiation/share", ALL_BLOCKS, None, "1ms"),
]

# Runs whose processor time is compared: (configuration, keys, duration, bound). The duration is so long that the model
# alone takes a second or more. The bound is the greatest processor time of a run with RTL, and of one in lock-step,
# divided by that of the run with the model; the aim is 3 for the controller alone. By instructions it takes 4.1 to 4.5
# times the model's. Bounds above 5 only keep what was reached. Other work on the machine adds time, and more of it to
# the larger code of the RTL, so the least times of up to ROUNDS rounds count.
ROUNDS = 5
LONG: list[tuple[str, tuple, str, float]] = [
    ("incast_8x25g", PARTS, "400ms", 5.0), ("table_full", PARTS, "200ms", 5.0), ("thousand_flows", PARTS, "80ms", 10.0),
    ("incast_8x25g", ALL_BLOCKS, "10ms", 5.0), ("thousand_flows", ALL_BLOCKS, "10ms", 12.0),
    ("incast_8x25g", WHOLE, "400ms", 5.0), ("thousand_flows", WHOLE, "60ms", 5.0)]


def run(dccvp, config, out, keys, implementation, shortened, changed=()):
    options = []
    for override in changed:
        options += ["-c", override.replace("%s", str(dccvp.parent / "firmware/traffic.elf"))]
    for part in keys:
        options += ["-c", f"nic.{part}={implementation}"]
    if shortened:
        duration, start = shortened
        options += ["-c", f"duration={duration}", "-c", f"measure.from={start}",
                    "-c", f"measure.to={duration}", "-c", "expect=[]"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([dccvp, "run", ROOT / f"configs/{config}.yaml", *options, "--out", out,
                           "--quiet", "--no-plots"], capture_output=True, text=True, check=False,
                          timeout=PATIENCE, cwd=out.parent)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def results(out):
    return (out / "flows.csv").read_bytes(), figures(out)


def compare(dccvp, config, shortened, others, least, changed=(), reference=(), times=None):
    """Runs the model (`reference`: keys that select it) and the other engines. Returns the number of failures. `times`:
    the least processor time so far of each engine, which is updated."""
    failures, wanted, model_cpu = 0, None, 0.0
    with tempfile.TemporaryDirectory() as scratch:
        for keys, implementation in ((reference, "model"), *others):
            name = "+".join((*keys, implementation))
            out = pathlib.Path(scratch) / name
            done, cpu = run(dccvp, config, out, keys, implementation, shortened, changed)
            if done.returncode != 0:
                print(f"{config} {name}: exit {done.returncode}\n{done.stderr}")
                return failures + 1
            got = results(out)
            metrics = got[1]
            if implementation == "model":
                wanted, model_cpu = got, cpu
                for figure, count in least.items():
                    if metrics["aggregate"][figure] < count:
                        print(f"{config}: {figure} is {metrics['aggregate'][figure]}, too few to tell "
                              "anything")
                        failures += 1
            same = [a == b for a, b in zip(got, wanted)]
            shown = config + (" firmware" if changed == FIRMWARE else "")
            print(f"{shown:23} {metrics['sim_time_s'] * 1e3:6.1f} ms {name:23} "
                  f"processor {cpu:7.2f} s  x{cpu / model_cpu:5.2f}"
                  f"  flows.csv {'same' if same[0] else 'DIFFERS'}"
                  f"  metrics.json {'same' if same[1] else 'DIFFERS'}", flush=True)
            failures += same.count(False)
            if times is not None:
                times[implementation] = min(cpu, times.get(implementation, cpu))
    return failures


def compare_times(dccvp, config, keys, duration, most):
    """Repeats a comparison until the least processor times are within the bound. Returns the number of failures."""
    times: dict[str, float] = {}
    for _ in range(ROUNDS):
        failures = compare(dccvp, config, (duration, "0ms"), [(keys, "rtl"), (keys, "lockstep")], {}, times=times,
                           reference=keys if keys == ALL_BLOCKS else ())
        slowest = max(times.values()) / times["model"]
        if failures or slowest <= most:
            return failures
    print(f"{config}: {slowest:.2f} times the model's time, in the best of {ROUNDS} rounds")
    return 1


def main():
    dccvp = pathlib.Path(sys.argv[1]).resolve()
    full = "--full" in sys.argv[2:]
    with tempfile.TemporaryDirectory() as scratch:
        done, _ = run(dccvp, CASES[0][0], pathlib.Path(scratch) / "out", WHOLE, "rtl", ("10us", "0us"))
        if "no RTL" in done.stderr:
            print("skipped: this build has no RTL")
            return SKIPPED
    failures = 0
    for config, duration, start, least in CASES:
        failures += compare(dccvp, config, None if full else (duration, start),
                            [(PARTS, "rtl"), (PARTS, "lockstep")], least)
    for config, changed, short, long, counted in WHOLE_CASES:
        span = long if full else short
        if span is not None:
            failures += compare(dccvp, config, (span, "0ms"), [(WHOLE, "rtl"), (WHOLE, "lockstep")],
                                counted if full else {}, changed=changed)
    for config, changed, short, long in NOTIFICATION_CASES:
        failures += compare(dccvp, config, (long if full else short, "0ms"),
                            [(NOTIFICATION, "rtl"), (NOTIFICATION, "lockstep")], {"cnps_sent": 20},
                            changed=changed)
    for config, changed, short, long in PARSER_CASES:
        failures += compare(dccvp, config, (long if full else short, "0ms"),
                            [(PARSER, "rtl"), (PARSER, "lockstep")], {"cnps_received": 20}, changed=changed)
    for config, keys, short, long in PACER_CASES:
        span = long if full else short
        if span is not None:
            failures += compare(dccvp, config, (span, "0ms"), [(keys, "rtl"), (keys, "lockstep")],
                                {"data_received": 100}, reference=keys)
    for config, keys, duration, most in LONG if full else []:
        failures += compare_times(dccvp, config, keys, duration, most)
    return 1 if failures else 0


if __name__ == "__main__":
    if len(sys.argv) < 2 or not pathlib.Path(sys.argv[1]).is_file():
        sys.exit(__doc__)
    sys.exit(main())
