#!/usr/bin/python3 -B
"""Proves what the laws of the controller keep to, with z3, on the integers of the rate unit.

law_proof.py --model PROGRAM [--quick | --full] [--only NAME ...] [--vectors N]

Three parts, each can be left out by --only:
- vectors: the terms that the solver is given, against the C++ model (PROGRAM, tests/cosim/law/law_step.cpp), exactly
- properties: each must be proved; those called false_ must have a counterexample
- mutants: a law with one broken rule must fail the property that is named for it, and the counterexample is printed
--quick takes the properties and mutants that are decided within seconds and one setting of several, --full three
times the vectors. Exit 1 if
anything is not as it must be. docs/formal-laws.md says what follows from the properties, and within which bounds.
"""
import argparse
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from law import flows, invariants  # noqa: E402
from law.queries import ask, explain  # noqa: E402
from law.vectors import compare  # noqa: E402

EFFORT = 100_000_000  # limit of a query, in steps of the solver


class Property:
    def __init__(self, law, make, quick=True, holds=True, **limits):
        self.law, self.make, self.quick, self.holds, self.limits = law, make, quick, holds, limits

    def queries(self, broken="", quick=False):
        return self.make(self.law, broken, **(self.limits if quick else {}))


PROPERTIES = {
    "proportional_limits": Property("proportional", invariants.limits_of_a_class),
    "proportional_limits_of_all_classes": Property("proportional", invariants.limits_of_all_classes, quick=False),
    "proportional_account": Property("proportional", invariants.slot_is_well_formed),
    "proportional_phases": Property("proportional", invariants.phases_in_order),
    "proportional_widths": Property("proportional", invariants.nothing_is_cut_off),
    "proportional_hold_ends": Property("proportional", invariants.hold_ends),
    "proportional_hold_keeps_delivery": Property("proportional", invariants.hold_keeps_what_is_delivered),
    "proportional_rises": Property("proportional", invariants.rises_without_marks),
    "proportional_mark_costs_less": Property("proportional", invariants.mark_costs_less_than_its_packet),
    "proportional_climbs": Property("proportional", flows.climbs_though_all_is_marked, weights=(1,),
                                    settings=("100 Gb/s",)),
    "proportional_fast_as_steady": Property("proportional", flows.fast_as_steady),
    "proportional_not_apart": Property("proportional", flows.not_apart),
    "dcqcn_limits": Property("dcqcn", invariants.limits_of_a_class),
    "dcqcn_limits_of_all_classes": Property("dcqcn", invariants.limits_of_all_classes, quick=False),
    "dcqcn_alpha": Property("dcqcn", invariants.slot_is_well_formed),
    "dcqcn_counts": Property("dcqcn", invariants.counts_stay),
    "dcqcn_widths": Property("dcqcn", invariants.nothing_is_cut_off),
    "dcqcn_rises": Property("dcqcn", invariants.rises_without_marks),
    "dcqcn_cut_keeps_the_rate": Property("dcqcn", invariants.cut_keeps_the_rate),
    "dcqcn_not_apart": Property("dcqcn", flows.dcqcn_not_apart),
    "false_dcqcn_leaves_the_floor": Property("dcqcn", flows.dcqcn_leaves_the_floor, holds=False),
}

# Name of a broken rule: how the rule is broken, the property that this rule must make fail, and the case in which that
# property fails. Rules before `rounds_down` belong to the proportional law or to both laws.
BROKEN = {
    "no_least_rate": ("a cut's rate is not held up at the least rate", "proportional_limits", "binding"),
    "no_least_target": ("a cut's target is not held up at the least rate", "proportional_limits", "binding"),
    "no_greatest_rate": ("an increase is not held down at the greatest rate", "dcqcn_limits", "timer"),
    "account_wraps": ("the account does not saturate", "proportional_widths", "CNP: account"),
    "cut_twice": ("every mark is counted twice in a cut", "proportional_climbs", None),
    "cut_lasts": ("all of a cut is taken off the target (shift by 0 instead of 2)", "proportional_climbs", None),
    "cut_saturates": ("marks beyond those that take the whole rate do not count for the target",
                      "proportional_fast_as_steady", None),
    "mark_costs_two": ("a mark takes two packets off the account, not G of one", "proportional_mark_costs_less", "CNP"),
    "hold_for_ever": ("a hold has no greatest length", "proportional_hold_ends", "timer"),
    "hold_anew": ("a mark in a hold begins the hold anew", "proportional_hold_ends", "CNP"),
    "hold_cuts_always": ("a hold halves the target whatever the marks say",
                         "proportional_hold_keeps_delivery", "timer"),
    "no_silence": ("a flow that sends nothing does not rise", "proportional_rises", "timer"),
    "brisk_96": ("the fast phase may be 96 intervals long", "proportional_phases", "CNP"),
    "slow_without_end": ("steps are halved with every octave below 512 Mb/s, not seven times at most",
                         "proportional_rises", "timer"),
    "patience_20_bits": ("the patience of a hold is kept in 20 bits", "proportional_widths", "timer: patience"),
    "packets_not_limited": ("four times the packets are not limited to 2^20 - 1",
                            "proportional_widths", "timer: packets of an increase"),
    "debt_is_paid": ("the whole packets are taken from an account below 0 as well",
                     "proportional_widths", "timer: whole packets"),
    "rounds_down": ("DCQCN: half way to the target is rounded down", "dcqcn_rises", "timer"),
    "recovery_at_f": ("DCQCN: fast recovery lasts while a count is at most F", "dcqcn_rises", "timer"),
    "alpha_not_limited": ("DCQCN: a cut adds G to alpha, not G of what is missing to 1", "dcqcn_alpha", "CNP"),
    "count_wraps": ("DCQCN: the count of timer events wraps after 255", "dcqcn_counts", "timer"),
    "bytes_wrap": ("DCQCN: the sum of the bytes is kept in 32 bits before it is compared",
                   "dcqcn_widths", "sent: sum of bytes"),
    "target_is_cut": ("DCQCN: a cut sets the target to the rate after the cut", "dcqcn_cut_keeps_the_rate", "CNP"),
}


SLOW = {"slow_without_end"}  # broken rules whose counterexamples take the solver longer


class Report:
    def __init__(self):
        self.wrong = 0
        self.count = {}

    def line(self, good, kind, name, result, seconds, more=()):
        self.wrong += not good
        self.count[kind] = self.count.get(kind, 0) + 1
        print(f"{'ok  ' if good else 'FAIL'} {kind:8} {name:34} {result}  ({seconds:.1f} s of a core)", flush=True)
        for text in more:
            print(f"       {text}", flush=True)


def check_vectors(report, program, amount):
    begin = time.process_time()
    done, differ = compare(program, amount)
    report.line(not differ, "vectors", "terms equal the model", f"{done} events, {len(differ)} differ",
                time.process_time() - begin, differ[:5])


def check_property(report, name, quick):
    wanted = PROPERTIES[name]
    begin = time.process_time()
    results, more = [], []
    for query in wanted.queries(quick=quick):
        status, model = ask(query, EFFORT)
        results.append(status)
        if status == "open" or (status == "false" and wanted.holds):
            more.append(f"{query.case}: {status}")
        if status == "false":
            more += explain(wanted.law, model, query.told)
    if wanted.holds:
        good = bool(results) and all(r == "proved" for r in results)
        result = f"proved, {len(results)} queries" if good else "not proved"
    else:
        good = "false" in results
        result = "refuted, as it must be" if good else "not refuted"
    report.line(good, "property", name, result, time.process_time() - begin, more)


def check_mutant(report, broken):
    text, name, case = BROKEN[broken]
    wanted = PROPERTIES[name]
    begin = time.process_time()
    for query in wanted.queries(broken, quick=True):
        if case not in (None, query.case):
            continue
        status, model = ask(query, EFFORT, exact=True)
        if status == "false":
            more = [f"{text}; {query.case}:", *explain(wanted.law, model, query.told)]
            report.line(True, "mutant", broken, f"fails {name}", time.process_time() - begin, more)
            return
    report.line(False, "mutant", broken, f"does not fail {name}", time.process_time() - begin, [text])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="the program law_step of the build")
    parser.add_argument("--quick", action="store_true", help="what is decided within seconds")
    parser.add_argument("--full", action="store_true", help="three times the vectors")
    parser.add_argument("--vectors", type=int, default=100_000)
    parser.add_argument("--only", nargs="+", choices=["vectors", *PROPERTIES, *BROKEN], default=[])
    options = parser.parse_args()
    report = Report()
    if not options.only or "vectors" in options.only:
        if options.model is None:
            parser.error("--model is missing: build/tests/cosim/law/law_step")
        check_vectors(report, options.model, options.vectors * (3 if options.full else 1))
    for name, wanted in PROPERTIES.items():
        if name in options.only or (not options.only and (wanted.quick or not options.quick)):
            check_property(report, name, options.quick)
    for broken, (_, name, _) in BROKEN.items():
        quick = PROPERTIES[name].quick and broken not in SLOW
        if broken in options.only or (not options.only and (quick or not options.quick)):
            check_mutant(report, broken)
    counted = ", ".join(f"{number} {kind}" for kind, number in report.count.items())
    print(f"{counted}; {report.wrong} not as they must be")
    return 1 if report.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
