#!/usr/bin/python3 -B
"""Mutations of SystemVerilog: only executed text is mutated, and a seed draws the same mutations again."""
import argparse
import collections
import itertools
import pathlib
import re
import sys
import tempfile
import unittest

import mutant_schema
import package_mutants
import sv_mutations

RTL = pathlib.Path(__file__).resolve().parents[2] / "rtl"
sys.path.append(str(RTL / "handoff"))
import reset_assertions  # noqa: E402

MODULE = """// Counts a & b.
module counter #(
  parameter int unsigned Width = 8 + 1
) (
  input  logic clk_i,
  input  logic rst_ni,
  output logic [Width - 1:0] count_o
);
  localparam int unsigned Greatest = 7;
  if (Width < 2) begin : g_width
    $fatal(1, "Width == 1");
  end
  logic [Width - 1:0] count_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) count_q <= '0;
    else if (count_q <= 9'd7) count_q <= count_q + 1'b1;
  end
  for (genvar i = 0; i < 2; i++) begin : g_two
    assign count_o[i] = (count_q >= 9'h1FF) || count_q[i];
  end
endmodule
"""


def resolved(text, number):
    """The text with what each choice of mutations is when this number is chosen."""
    chosen = re.escape(sv_mutations.CHOSEN)
    choice = re.compile(rf"\({chosen} == \d+ \?|begin if \({chosen} == \d+\)")
    while (found := choice.search(text)):
        sides, at = [], found.start() + (1 if found[0][0] == "(" else len("begin "))
        while (case := re.compile(rf"(?:if \()?{chosen} == (\d+)(?: \?|\)) ").match(text, at)):
            end = sv_mutations.end_of(text, case.end()) if found[0][0] == "(" else text.index(";", case.end()) + 1
            sides.append((int(case[1]), text[case.end():end]))
            at = end + len(" : " if found[0][0] == "(" else " else ")
        end = sv_mutations.end_of(text, at) if found[0][0] == "(" else text.index(";", at) + 1
        side = dict(sides).get(number, text[at:end])
        after = end + len(")" if found[0][0] == "(" else " end")
        text = text[:found.start()] + (side[1:-1] if found[0][0] == "(" else side) + text[after:]
    return text


def plain(text):
    return "".join(sv_mutations.without_comments(text).split())


class Mutations(unittest.TestCase):
    def setUp(self):
        self.found = sv_mutations.mutations("rtl/counter.sv", MODULE)

    def test_all_of_a_module(self):
        said = {(one.line, one.operator, one.old, one.new) for one in self.found}
        self.assertEqual(said, {
            (9, "parameter", "7", "8"),
            (15, "not", "!", ""), (15, "never", "!rst_ni", "1'b0 && (!rst_ni)"),
            (15, "always", "!rst_ni", "1'b1 || (!rst_ni)"), (15, "constant", "'0", "'1"),
            (15, "assignment gone", "count_q <= '0", ""),
            (16, "less", " <= ", " < "), (16, "constant", "9'd7", "9'd8"),
            (16, "never", "count_q <= 9'd7", "1'b0 && (count_q <= 9'd7)"),
            (16, "always", "count_q <= 9'd7", "1'b1 || (count_q <= 9'd7)"),
            (16, "assignment gone", "count_q <= count_q + 1'b1", ""),
            (16, "arithmetic", " + ", " - "), (16, "constant", "1'b1", "1'b0"),
            (19, "less", " >= ", " > "), (19, "constant", "9'h1FF", "9'h0"), (19, "logic", "||", "&&")})
        for one in self.found:
            self.assertEqual(MODULE[one.start:one.end], one.old)
            self.assertNotEqual(one.applied(MODULE), MODULE)

    def test_areas(self):
        self.assertEqual({one.area for one in self.found if one.line == 15 and one.start > MODULE.index("<= '0") - 9},
                         {"resets"})
        self.assertEqual({one.area for one in self.found if one.line == 16}, {"counters"})

    def test_what_chooses_between_a_mutation_and_what_is_there(self):
        chosen = {one.operator + one.new: sv_mutations.selectable(MODULE, one) for one in self.found
                  if one.operator != "parameter" and (one.line, one.operator) != (15, "assignment gone")}
        self.assertIn("<= (mutant_i ? (count_q ) : ( count_q + 1'b1));", chosen["assignment gone"])
        self.assertIn("<= (mutant_i ? ( count_q - 1'b1) : ( count_q + 1'b1));", chosen["arithmetic - "])
        self.assertIn("( (mutant_i ? (count_q >= 9'h0) : (count_q >= 9'h1FF))) ||", chosen["constant9'h0"])
        self.assertIn("= (mutant_i ? ( (count_q >= 9'h1FF) && count_q[i]) : ( (count_q >= 9'h1FF) || count_q[i]));",
                      chosen["logic&&"])
        for text in chosen.values():
            self.assertRegex(text, r"8 \+ 1\n\) \( input logic mutant_i, ")

    def test_many_mutations_in_one_text(self):
        """Each number selects its mutation and no other, and 0 none, although places are within others."""
        numbered = {number: one for number, one in enumerate(self.found, 1) if one.operator != "parameter"}
        text = sv_mutations.with_choices(MODULE, numbered)
        self.assertEqual(plain(resolved(text, 0)), plain(MODULE))
        self.assertEqual(text.count("\n"), MODULE.count("\n"))
        for number, one in numbered.items():
            self.assertEqual(plain(resolved(text, number)), plain(one.applied(MODULE)), one.name)

    def test_all_mutations_of_the_rtl_in_one_text(self):
        single = collections.Counter()
        for path in sorted(RTL.glob("*/rtl/*.sv")) + sorted(RTL.glob("regs/generated/*.sv")):
            text, numbered = path.read_text(encoding="utf-8"), {}
            for number, one in enumerate(sv_mutations.mutations(str(path), text), 1):
                try:
                    sv_mutations.extent(text, one)
                    numbered[number] = one
                except ValueError:
                    single[one.operator] += 1
            chosen = sv_mutations.with_choices(text, numbered)
            self.assertEqual(sorted(map(int, re.findall(r"::chosen == (\d+)", chosen))), sorted(numbered))
            self.assertEqual(plain(resolved(chosen, 0)), plain(text), path)
            for number in list(numbered)[::40]:
                self.assertEqual(plain(resolved(chosen, number)), plain(numbered[number].applied(text)), path)
        self.assertEqual(set(single), {"constant", "parameter"})
        self.assertLess(single["constant"], 40)  # half of them are memories' unused pins

    def test_what_has_no_choice(self):
        for line in ("assign a = '0;", "u_b b (.c_i('0));", "localparam int unsigned C = 3;"):
            text = f"module m;\n  {line}\nendmodule\n"
            one, = sv_mutations.mutations("m.sv", text)
            with self.assertRaises(ValueError):
                sv_mutations.extent(text, one)

    def test_no_mutation_twice_and_every_module(self):
        with tempfile.TemporaryDirectory() as folder:
            package = pathlib.Path(folder)
            paths = []
            for block in ("controller", "pacer"):
                files = (RTL / block / "files.f").read_text(encoding="utf-8").split()
                (package / f"{block}.f").write_text("\n".join(f"rtl/{path}" for path in files), encoding="utf-8")
                paths += files
            paths = list(dict.fromkeys(paths))
            for path in paths:
                place = package / "rtl" / path
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text((RTL / path).read_text(encoding="utf-8"), encoding="utf-8")
            found = list(package_mutants.drawn(package, "seed"))
            again = list(itertools.islice(package_mutants.drawn(package, "seed"), 50))
            other = list(itertools.islice(package_mutants.drawn(package, "another"), 50))
        self.assertEqual(len({(one.path, one.start, one.end, one.new) for one in found}), len(found))
        self.assertEqual(len({one.name for one in found}), len(found), "names do not tell mutations apart")
        self.assertEqual(again, found[:50])
        self.assertNotEqual(other, again)
        modules = {pathlib.Path(path).stem for path in paths} - {"dcc_rate_regs", "dcc_top_pkg"}
        self.assertEqual({one.module for one in found[:len(modules)]}, modules)

    def test_a_comment_changes_no_seed(self):
        with tempfile.TemporaryDirectory() as folder:
            package, seeds = pathlib.Path(folder), []
            (package / "files.f").write_text("counter.sv\n", encoding="utf-8")
            (package / "CHANGES.md").write_text("| 0.1 | first |\n", encoding="utf-8")
            for text in (MODULE, MODULE.replace("Counts a & b.", "A counter."), MODULE.replace("9'd7", "9'd6")):
                (package / "counter.sv").write_text(text, encoding="utf-8")
                seeds.append(package_mutants.seed_of(package))
        self.assertEqual(seeds[0], seeds[1])
        self.assertNotEqual(seeds[0], seeds[2])

    def test_the_list_of_known_ones_can_be_read(self):
        for name in package_mutants.known_mutants():
            self.assertTrue(re.fullmatch(r"\w+ \| .* \| [a-z ]+ at \d+: .* -> .*", name), name)


CHECK = """#!/bin/sh
case $CHECK_STEPS in
  *quick*)
    if grep -q -- "- 1'b1" "$(dirname "$0")/rtl/counter.sv"; then
      echo "the golden vectors fail in Verilator"
      exit 1
    fi ;;
  *slow*) sleep 60 ;;
esac
exit 0
"""


class Verdicts(unittest.TestCase):
    """Verdicts on a package whose check.sh refuses one mutation in one step and gives no answer in another."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.package = pathlib.Path(folder.name)
        (self.package / "rtl").mkdir()
        (self.package / "rtl/counter.sv").write_text(MODULE, encoding="utf-8")
        (self.package / "check.sh").write_text(CHECK, encoding="utf-8")
        (self.package / "check.sh").chmod(0o755)
        seconds, package_mutants.SECONDS = package_mutants.SECONDS, 1
        self.addCleanup(setattr, package_mutants, "SECONDS", seconds)
        found = sv_mutations.mutations("rtl/counter.sv", MODULE)
        self.refused, = [one for one in found if one.operator == "arithmetic"]
        self.other, = [one for one in found if one.operator == "logic"]

    def test_a_step_without_an_answer_refuses_nothing(self):
        self.assertEqual(package_mutants.judged(self.package, self.other, ("slow", "quick")), ("stands still", "slow"))
        self.assertEqual(package_mutants.judged(self.package, self.other, ("quick",)), ("survives", ""))

    def test_another_step_may_still_refuse(self):
        self.assertEqual(package_mutants.judged(self.package, self.refused, ("slow", "quick")), ("refused", "quick"))
        self.assertEqual((self.package / "rtl/counter.sv").read_text(encoding="utf-8"), MODULE)

    def test_a_record_is_read_again(self):
        """What was recorded counts for its seed alone, also if the line of text has the fields' separator."""
        name = "dc_x | assign a = b | c; | logic at 3: | -> &"
        with tempfile.TemporaryDirectory() as folder:
            record = pathlib.Path(folder) / "record.txt"
            record.write_text(f"# version | seed\n0.1 | one | 7 | other | {name} | refused | nic\n"
                              f"0.1 | two | 7 | locks | {name} | survives | \n", encoding="utf-8")
            self.assertEqual(package_mutants.recorded(record, "one"), {name: ("other", "refused", "nic")})
            self.assertEqual(package_mutants.recorded(record, "two"), {name: ("locks", "survives", "")})
            self.assertEqual(package_mutants.recorded(record.with_name("none"), "one"), {})

    def test_what_waits_is_judged_finally_in_this_run_or_the_next(self):
        """The first steps of a batch, then the others; a later run of what waits leaves out the first steps, and its
        verdict takes the place of the line in the record."""
        for name, value in (("quick_steps", lambda path: ("none",)), ("late_steps", lambda path: ("quick",)),
                            ("proved", lambda package, mutation: None)):
            self.addCleanup(setattr, package_mutants, name, getattr(package_mutants, name))
            setattr(package_mutants, name, value)
        options = argparse.Namespace(jobs=2, singly=True, first=False, seconds=5)
        both, known = [self.refused, self.other], {self.other.name: "survives: no vectors"}

        def said(early):
            return [(one.operator, verdict, by) for one, verdict, by, _ in
                    package_mutants.verdicts(self.package, both, known, options, early)]

        waits = [("arithmetic", "waits", "survives"), ("logic", "waits", "survives")]
        final = [("arithmetic", "refused", "quick"), ("logic", "survives", "survives: no vectors")]
        whole = said({})
        self.assertEqual((sorted(whole[:2]), sorted(whole[2:])), (waits, final))
        self.assertEqual(sorted(said({one.name: ("survives", "") for one in both})), final)
        options.first = True
        self.assertEqual(sorted(said({})), waits)
        record = self.package / "record.txt"
        for verdict in ("waits | survives", "refused | quick"):
            package_mutants.write_line(record, f"0.1 | one | 7 | other | {self.refused.name} | {verdict}",
                                       self.refused.name, "one")
            package_mutants.write_line(record, f"0.1 | two | 7 | other | {self.refused.name} | waits | survives",
                                       self.refused.name, "two")
        self.assertEqual([line.split(" | ")[1] + line.split(" | ")[-1] for line in
                          record.read_text(encoding="utf-8").splitlines()], ["onequick", "twosurvives"])

    def test_mutants_that_a_record_names(self):
        (self.package / "files.f").write_text("rtl/counter.sv\n", encoding="utf-8")
        record = self.package / "record.txt"
        record.write_text(f"0.1 | x | 7 | other | {self.other.name} | survives | \n"
                          f"0.1 | x | 7 | other | gone | no text has it | logic at 1: & -> | | survives | \n",
                          encoding="utf-8")
        self.assertEqual(package_mutants.named(self.package, record), [self.other])


class ResetAssertions(unittest.TestCase):
    def test_each_register_that_a_reset_sets_has_its_value(self):
        text = """module m (input logic clk_i, input logic rst_ni);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      a_q <= '0;  // b_q <= '1;
      for (int unsigned i = 0; i < 4; i++) c_q[i] <= 2'd1;
      {d_q, e_q} <= '0;
    end else a_q <= b_q;
  end
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) f_q <= Idle;
    else f_q <= g;
  if (N != 0) begin : g_inner
    always_ff @(posedge clk_i or negedge rst_ni) if (!rst_ni) h_q <= '0;
  end
  always_ff @(posedge clk_i) i_q <= '0;
endmodule
"""
        found = reset_assertions.assertions(text)
        self.assertEqual(re.findall(r"^    (.*?)[,}]", found, re.M),
                         ["a_q == ('0)", "c_q[0] == 2'd1 && c_q[1] == 2'd1", "{d_q", "f_q == (Idle)"])
        self.assertIn("bind m reset_values_sva #(.Count(4))", found)
        self.assertEqual(reset_assertions.assertions("module m; endmodule"), "")


# A bench that looks at the count until it is 7, and a function that computes a constant as well as a signal.
BENCH = """module bench;
  logic clk = 0, rst_n = 0;
  logic [7:0] count;
  counter u_counter (.clk_i(clk), .rst_ni(rst_n), .count_o(count));
  initial begin
    #1 clk = 1; #1 clk = 0; rst_n = 1;
    while (count != 8'd7) begin
      #1 clk = 1; #1 clk = 0;
    end
    #1 clk = 1; #1 clk = 0;
    if (count == 8'd7) $display("PASS");
    $finish;
  end
endmodule
"""
COUNTER = """module counter (
  input  logic       clk_i,
  input  logic       rst_ni,
  output logic [7:0] count_o
);
  function automatic logic [7:0] last(input logic [7:0] over);
    return over - 8'd1;
  endfunction
  localparam logic [7:0] Last = last(8'd8);
  logic [7:0] count_q;
  logic       high;
  assign count_o = count_q;
  assign high    = {!count_q} != 1'b0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) count_q <= '0;
    else if (count_q < Last || (high && count_q > 8'd200)) count_q <= count_q + 8'd1;
  end
endmodule
"""
BUILDS = """#!/bin/sh
cd "$(dirname "$0")"
[ -x "$2/bench/Vbench" ] || {
  echo built >>"$2/builds"
  verilator --binary --timing -Wno-fatal -Wno-lint --top-module bench --Mdir "$2/bench" $(cat files.f) bench.sv \
    >"$2/log" 2>&1 || { cat "$2/log"; exit 255; }
}
"$2/bench/Vbench" >reports/log 2>&1 && grep -q PASS reports/log ||
  { echo "the golden vectors fail in Verilator"; exit 255; }
"""


class ManyInOneBuild(unittest.TestCase):
    def test_verdicts(self):
        """A schema of all mutations: what is no choice is left out, the bench is built once, and each mutant answers
        as it does alone: right, wrong, or never."""
        for name, value in (("TOPS", (("counter", "files.f"),)), ("LEAST_SECONDS", 2)):
            before = getattr(mutant_schema, name)
            setattr(mutant_schema, name, value)
            self.addCleanup(setattr, mutant_schema, name, before)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        package = pathlib.Path(folder.name) / "package"
        for place, text in (("rtl/counter.sv", COUNTER), ("bench.sv", BENCH), ("files.f", "rtl/counter.sv\n"),
                            ("check.sh", BUILDS), ("lint/none.vlt", "`verilator_config\n"), ("rtl/common/x", ""),
                            ("reports/x", "")):
            (package / place).parent.mkdir(parents=True, exist_ok=True)
            (package / place).write_text(text, encoding="utf-8")
        (package / "check.sh").chmod(0o755)
        found = sv_mutations.mutations("rtl/counter.sv", COUNTER)
        schema = mutant_schema.Schema(package, {"rtl/counter.sv": COUNTER}, found, pathlib.Path(folder.name), 2)
        schema.leave_out_what_is_no_choice()
        outside = {(one.line, one.operator) for one in found if one not in schema.numbers}
        self.assertEqual(outside, {(7, "arithmetic"), (7, "constant"), (13, "not"), (13, "equal"), (13, "constant")})
        said = collections.defaultdict(set)
        for one in schema.numbers:
            if one.operator in ("always", "never", "less") and one.line == 16:
                verdict = package_mutants.judged(package, one, ("counter:verilator",), schema=schema)[0]
                said[verdict].add((one.operator, one.old))
        condition = "count_q < Last || (high && count_q > 8'd200)"
        self.assertEqual(said, {"refused": {("always", condition), ("less", " < ")}, "survives": {("less", " > ")},
                                "stands still": {("never", condition)}})
        built = [path.read_text(encoding="utf-8") for path in pathlib.Path(folder.name).glob("**/builds")]
        self.assertEqual(built, ["built\n"])


if __name__ == "__main__":
    unittest.main()
