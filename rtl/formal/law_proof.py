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
from law.rules import BROKEN  # noqa: E402
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

# Name of a broken rule: the property that this rule must make fail, and the case in which that property fails.
KILLED_BY = {
    "no_least_rate": ("proportional_limits", "binding"),
    "no_least_target": ("proportional_limits", "binding"),
    "no_greatest_rate": ("dcqcn_limits", "timer"),
    "account_wraps": ("proportional_widths", "CNP: account"),
    "cut_twice": ("proportional_climbs", None),
    "cut_lasts": ("proportional_climbs", None),
    "cut_saturates": ("proportional_fast_as_steady", None),
    "hold_for_ever": ("proportional_hold_ends", "timer"),
    "hold_anew": ("proportional_hold_ends", "CNP"),
    "hold_cuts_always": ("proportional_hold_keeps_delivery", "timer"),
    "no_silence": ("proportional_rises", "timer"),
    "brisk_96": ("proportional_phases", "CNP"),
    "slow_without_end": ("proportional_rises", "timer"),
    "patience_20_bits": ("proportional_widths", "timer: patience"),
    "packets_not_limited": ("proportional_widths", "timer: packets of an increase"),
    "debt_is_paid": ("proportional_widths", "timer: whole packets"),
    "mark_costs_two": ("proportional_mark_costs_less", "CNP"),
    "rounds_down": ("dcqcn_rises", "timer"),
    "recovery_at_f": ("dcqcn_rises", "timer"),
    "alpha_not_limited": ("dcqcn_alpha", "CNP"),
    "count_wraps": ("dcqcn_counts", "timer"),
    "bytes_wrap": ("dcqcn_widths", "sent: sum of bytes"),
    "target_is_cut": ("dcqcn_cut_keeps_the_rate", "CNP"),
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
    name, case = KILLED_BY[broken]
    wanted = PROPERTIES[name]
    begin = time.process_time()
    for query in wanted.queries(broken, quick=True):
        if case not in (None, query.case):
            continue
        status, model = ask(query, EFFORT, exact=True)
        if status == "false":
            more = [f"{BROKEN[broken]}; {query.case}:", *explain(wanted.law, model, query.told)]
            report.line(True, "mutant", broken, f"fails {name}", time.process_time() - begin, more)
            return
    report.line(False, "mutant", broken, f"does not fail {name}", time.process_time() - begin, [BROKEN[broken]])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="the program law_step of the build")
    parser.add_argument("--quick", action="store_true", help="what is decided within seconds")
    parser.add_argument("--full", action="store_true", help="three times the vectors")
    parser.add_argument("--vectors", type=int, default=100_000)
    parser.add_argument("--only", nargs="+", choices=["vectors", *PROPERTIES, *KILLED_BY], default=[])
    options = parser.parse_args()
    report = Report()
    if not options.only or "vectors" in options.only:
        if options.model is None:
            parser.error("--model is missing: build/tests/cosim/law/law_step")
        check_vectors(report, options.model, options.vectors * (3 if options.full else 1))
    for name, wanted in PROPERTIES.items():
        if name in options.only or (not options.only and (wanted.quick or not options.quick)):
            check_property(report, name, options.quick)
    for broken, (name, _) in KILLED_BY.items():
        quick = PROPERTIES[name].quick and broken not in SLOW
        if broken in options.only or (not options.only and (quick or not options.quick)):
            check_mutant(report, broken)
    counted = ", ".join(f"{number} {kind}" for kind, number in report.count.items())
    print(f"{counted}; {report.wrong} not as they must be")
    return 1 if report.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
