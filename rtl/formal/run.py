#!/usr/bin/python3 -B
"""Proves properties of a shrunk wheel, of the rate unit and of the controller's small modules, and finds
what must be false to be false.

run.py [--ci | --full] [--unit NAME] [--only NAME] [--keep DIR]. Each property goes through
pdr (a proof for all time) and bmc3 (bounded search), with seconds for each; --full gives three times
as many, --ci takes the properties that are decided within seconds. Exit 1 if a property has a
counterexample, or a known-false one has none, or (--ci) a property is not decided.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
import time

RTL = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, RTL)
from sources import sources  # noqa: E402

FREE = ("ram_1r1w_array.sv", "ram_1r1w.sv", "rl_mul.sv")  # the modules that free_units.sv replaces


def must_hold(name):
    return not name.startswith("false_")


class Unit:
    """A unit to prove: source files, top module with the parameter Property, wires that the top's probe_… signals
    observe, names of the properties in the order of their numbers."""

    def __init__(self, files, top, probes, properties, ci, mapped=False, cycles=0):
        self.files, self.top, self.probes = files, top, probes
        # true: the probes observe single words of memories, so memories are mapped to flip-flops first
        self.mapped = mapped
        # properties span this many cycles from any state, so a bounded search of this depth is a proof
        self.cycles = cycles
        # property name: value of Property. Properties that must hold count from 0, those that must be false from 20 on.
        names = properties.split()
        holding = [name for name in names if must_hold(name)]
        self.properties = {name: number if must_hold(name) else 20 + number - len(holding)
                           for number, name in enumerate(names)}
        # names of properties decided within seconds, which continuous integration proves
        self.ci = names if ci == "all" else ci.split()


GUARDED = ["common/ram_pkg.sv", "common/ram_1r1w_array.sv", "common/ram_1r1w.sv", "secded/secded_code.sv",
           "secded/ram_guarded.sv", "secded/ram_reports.sv"]

UNITS = {
    "wheel": Unit(
        sources("timing_wheel") + ["formal/wheel_formal.sv"], "wheel_formal",
        {"hold_starts": "u_wheel.hold_starts", "step": "u_wheel.step",
         "move_read": "u_wheel.move_read", "move_middle": "u_wheel.move_middle",
         "append": "u_wheel.u_lists.append_i", "append_used": "u_wheel.u_lists.append_used",
         "level": "u_wheel.level_q", "tail": "u_wheel.u_lists.tail", "slot": "u_wheel.slot_q",
         "record_held": "u_wheel.record_held", "record_list": "u_wheel.record_list",
         "middle_open": "u_wheel.middle_open", "top_used": "u_wheel.top_used", "top_list": "u_wheel.top_list",
         "middle_list": "u_wheel.middle_list"},
        """offered_was_started offered_on_its_tick late_by_the_lag never_passed offer_stays command_wins
           idle_is_honest command_bounded no_self_link pointer_behind_time entry_knows_its_list written_before_used
           one_list_at_a_time false_never_expires false_never_moves false_offer_stays_always false_always_keeps_up
           false_no_skip_with_top_level""",
        """late_by_the_lag offer_stays command_wins command_bounded pointer_behind_time false_never_expires
           false_always_keeps_up"""),
    "rate": Unit(
        [source for source in sources("rate_lut") if not source.endswith(FREE)] +
        ["formal/free_units.sv", "formal/from_reset.sv", "formal/rate_formal.sv"], "rate_formal", {},
        """response_stays answered_once_in_order response_of_its_kind cut_returns_its_rate
           cut_never_raises_the_target target_not_below_the_least one_request_a_cycle not_below_the_least
           alpha_is_a_fraction sweep_ends swept_for_good write_at_once read_bounded idle_is_empty
           false_never_answers false_never_full false_reads_delay_nobody false_never_seventy_seven false_never_waits""",
        "answered_once_in_order response_of_its_kind one_request_a_cycle idle_is_empty"),
    "fifo": Unit(
        [*GUARDED, "controller/rtl/dc_fifo.sv",
         "formal/from_reset.sv", "formal/watched_word.sv", "formal/fifo_formal.sv"], "fifo_formal", {},
        "in_order_and_whole none_lost room_for_all false_fifo_never_full false_clear_keeps false_nobody_waits",
        "in_order_and_whole none_lost room_for_all false_fifo_never_full"),
    "free": Unit(
        [*GUARDED, "controller/rtl/dc_free_list.sv",
         "formal/from_reset.sv", "formal/watched_word.sv", "formal/free_list_formal.sv"], "free_list_formal", {},
        """no_slot_twice counts_what_is_not_out one_as_long_as_one_is_free first_come_first_served
           false_slot_never_reached false_never_runs_out false_in_numerical_order""",
        "no_slot_twice counts_what_is_not_out false_never_runs_out"),
    "parity": Unit(
        ["common/ram_pkg.sv", "formal/flipping_array.sv", "common/ram_1r1w.sv", "secded/secded_code.sv",
         "secded/ram_guarded.sv",
         "formal/from_reset.sv", "formal/parity_formal.sv"], "parity_formal",
        {"flipped": "u_ram.u_ram.u_array.flipped_q", "bypassed": "u_ram.u_ram.collision_q"},
        "lost_bit_is_told whole_word_is_not untold_is_as_written false_nothing_told false_all_told",
        "all"),
    # What standstill.py takes for granted of a RAM whose clock stands still.
    "stands": Unit(
        ["common/ram_pkg.sv", "common/ram_1r1w_array.sv", "common/ram_1r1w.sv", "formal/ram_stands_formal.sv"],
        "ram_stands_formal", {},
        "same_word output_stands false_any_read_skipped false_any_write_skipped false_never_again", "all"),
    "cuckoo": Unit(
        [*GUARDED, "common/lowest_bit.sv",
         "controller/rtl/dc_cuckoo_table.sv", "controller/rtl/dc_flow_stash.sv", "controller/rtl/dc_flow_cuckoo.sv",
         "formal/cuckoo_formal.sv"], "cuckoo_formal",
        {**{f"{copy}{table}_{i}": f"u_table.u_table{table}.u_{copy}.u_ram.u_array.mem[{i}]"
            for copy in ("match", "change") for table in range(2) for i in range(4)},
         **{f"stash_{field}{i}": f"u_table.u_stash.{field}_q[{i}]"
            for field in ("flow", "slot", "from") for i in range(2)},
         **{f"op_{field}": f"u_table.op_{field}_q"
            for field in ("bind", "unbind", "walk", "from", "at", "flow", "slot")},
         **{name: f"u_table.{name}" for name in ("match0", "match1", "read0", "read1", "hit0", "hit1", "in_stash",
                                                 "used", "put", "kick")},
         "match": "u_table.match_q", "match_flow": "u_table.match_flow_q", "op0": "u_table.op0_q",
         "op1": "u_table.op1_q", "claimed": "u_table.claimed_q", "room": "u_table.room_q"},
        """flows_stay_found found_as_bound promised_place_is_there swept_is_empty no_needless_refusal
           copies_stay_equal slots_stay_apart promises_stay_kept look_ups_stay_right false_stash_never_used
           false_never_kicked false_stash_never_asked false_never_refused""",
        "", mapped=True, cycles=6),
    # Since CNPs join in a ring of places, only one property of the arbiter is decided in seconds. Runs without --ci
    # try the other properties and may leave them bounded.
    "arbiter": Unit(
        ["controller/rtl/dcc_controller_pkg.sv", "controller/rtl/dc_arbiter.sv",
         "formal/from_reset.sv", "formal/arbiter_formal.sv"], "arbiter_formal", {},
        """flows_are_apart no_needless_wait one_of_what_is_there held quiet_is_honest joined_without_loss
           second_round_at_the_latest in_turn false_always_issued false_never_again false_never_joined_cnps""",
        "one_of_what_is_there"),
    # Nobody starves, order within a flow: by induction, so for all time.
    "starve": Unit(
        ["controller/rtl/dcc_controller_pkg.sv", "controller/rtl/dc_arbiter.sv", "formal/arbiter_step_formal.sv"],
        "arbiter_step_formal",
        {**{name: f"u_arbiter.{name}_q" for name in ("at", "busy", "after", "joined", "waited", "turn")},
         "round": "u_arbiter.round", **{f"flow_{i}": f"u_arbiter.flow_q[{i}]" for i in range(32)}},
        """places_stay_known apart_for_ever no_head_starves reset_begins_well who_waited_is_not_passed
           joined_stay_in_place flags_stay_right waits_stay_bounded free_head_waits_for_higher
           free_head_no_idle_edge no_flow_has_two_places false_never_waits_long false_cnp_never_yields
           false_bytes_never_first""",
        "all", mapped=True, cycles=4),
    "bytes": Unit(
        ["controller/rtl/dc_byte_queue.sv",
         "formal/from_reset.sv", "formal/byte_queue_formal.sv"], "byte_queue_formal",
        {"joins": "u_queue.joins", "used": "u_queue.used_q", "adds": "u_queue.adds_q",
         "add_at": "u_queue.add_at_q", "add_length": "u_queue.add_length_q",
         **{f"{field}_{i}": f"u_queue.{field}_q[{i}]"
            for field in ("flow", "length", "packets") for i in range(4)}},
        """one_entry_a_flow sums_are_exact comes_out_as_summed who_waits_is_not_refused refused_only_when_full
           false_never_refused false_never_joined false_never_saturates""",
        "false_never_refused false_never_joined", mapped=True),
    "gate": Unit(
        ["regs/generated/dcc_regs_pkg.sv", "controller/rtl/dcc_controller_pkg.sv", "controller/rtl/dc_apb_gate.sv",
         "formal/from_reset.sv", "formal/gate_formal.sv"],
        "gate_formal", {},
        """protocol_is_kept waits_for_quiet nothing_issued_meanwhile plain_reads_pass ends_with_the_block
           holds_for_an_access_only recovers word_is_the_blocks false_nothing_held false_no_wait_state
           false_held_to_the_end""",
        "protocol_is_kept waits_for_quiet nothing_issued_meanwhile plain_reads_pass false_no_wait_state"),
}


def to_aiger(unit, number, directory):
    """Writes the unit with one property as an AIGER circuit, whose output is the property's bad condition."""
    path = os.path.join(directory, f"{unit.top}{number}.aig")
    connect = "; ".join(f"connect -set probe_{name} {wire}" for name, wire in unit.probes.items())
    script = f"""
        read_verilog -sv -formal {' '.join(unit.files)}
        chparam -set Property {number} {unit.top}
        hierarchy -check -top {unit.top}; rename -top {unit.top}; proc; flatten
        {"memory_map" if unit.mapped else ""}
        {connect}; prep -top {unit.top}
        memory_map; opt -full; async2sync; setundef -undriven -anyseq; opt -full
        techmap; dfflegalize -cell $_DFF_P_ 01; abc -g AND -fast; opt_clean
        setundef -anyseq; write_aiger -zinit {path}"""
    run = subprocess.run(["yosys", "-q", "-p", script], cwd=RTL, capture_output=True, text=True,
                         check=False)
    output = run.stdout + run.stderr
    if run.returncode != 0 or "implicitly declared" in output or "no driver" in output:
        sys.exit(f"run.py: yosys does not take property {number}:\n{output}")
    return path


QUICK = 10  # seconds for the first attempt with pdr, which decides most properties at once or never


def check(path, seconds, prove, cycles=0):
    """Returns (status, detail): 'proved', 'false' or 'bounded', after pdr, bmc3 and pdr again."""
    text = abc(f"read {path}; fold; strash; pdr -T {QUICK}") if prove else ""
    if "Property proved" in text:
        return "proved", "for ever, by pdr"
    if prove and cycles:
        text = abc(f"read {path}; fold; strash; dc2; dc2; bmc3 -F {cycles} -T {5 * seconds[1]}")
        if f"No output asserted in {cycles} frames" in text:
            return "proved", f"all {cycles} cycles of it, by bmc3"
    text = abc(f"read {path}; fold; strash; bmc3 -T {seconds[0]}")
    found = re.search(r"asserted in frame (\d+)", text)
    if found:
        return "false", f"counterexample of {int(found.group(1)) + 1} cycles"
    depth = max([int(n) for n in re.findall(r"No output (?:was )?asserted in (\d+) frames", text)] +
                [int(n) for n in re.findall(r"^\s*(\d+) [+.] :", text, re.M)] + [0])
    if not prove:
        return "bounded", f"no counterexample in {depth} cycles"
    text = abc(f"read {path}; fold; strash; dc2; scorr; dc2; pdr -T {seconds[1]}")
    if "Property proved" in text:
        return "proved", "for ever, by pdr"
    found = re.search(r"asserted in frame (\d+)", text)
    if found:
        return "false", f"counterexample of {int(found.group(1)) + 1} cycles (pdr)"
    return "bounded", f"no counterexample in {depth} cycles; pdr gave up after {seconds[1]} s"


def abc(script):
    run = subprocess.run(["yosys-abc", "-c", script], capture_output=True, text=True, check=False)
    if run.returncode != 0 or "cmd error" in run.stdout + run.stderr:
        sys.exit(f"run.py: abc failed:\n{run.stdout}{run.stderr}")
    return run.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ci", action="store_true", help="the quickly decided properties only")
    parser.add_argument("--full", action="store_true", help="three times the seconds a property")
    parser.add_argument("--unit", choices=sorted(UNITS))
    parser.add_argument("--only", choices=sorted(n for u in UNITS.values() for n in u.properties))
    parser.add_argument("--keep", help="directory for the AIGER files")
    options = parser.parse_args()
    # Time limits are wall-clock seconds. A quiet machine proves a --ci property in at most half a minute; 1200 s leave
    # room for a loaded machine. An undecided property uses all its seconds, and six of the wheel's properties stay
    # undecided, so ten minutes each would make the run hours long.
    seconds = (60, 180) if options.full else (1, 1200) if options.ci else (20, 60)
    failures = 0
    count = {}
    with tempfile.TemporaryDirectory() as scratch:
        directory = options.keep or scratch
        os.makedirs(directory, exist_ok=True)
        for unit_name, unit in UNITS.items():
            for name, number in unit.properties.items():
                if (options.only not in (None, name) or options.unit not in (None, unit_name) or
                        (options.ci and name not in unit.ci)):
                    continue
                begin = time.monotonic()
                holds = must_hold(name)
                status, detail = check(to_aiger(unit, number, directory),
                                       seconds if holds else (60, 0), prove=holds, cycles=unit.cycles)
                if holds:
                    good = status == "proved" if options.ci else status != "false"
                else:
                    good = status == "false"
                failures += not good
                count[status] = count.get(status, 0) + 1
                print(f"{'ok  ' if good else 'FAIL'} {unit_name:7} {name:28} {status:8} {detail}"
                      f"  ({time.monotonic() - begin:.1f} s)", flush=True)
    print(", ".join(f"{number} {status}" for status, number in sorted(count.items())) +
          f"; {failures} not as they must be")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
