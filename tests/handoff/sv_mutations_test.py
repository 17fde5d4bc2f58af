#!/usr/bin/python3 -B
"""Mutations of SystemVerilog: only executed text is mutated, and a seed draws the same mutations again."""
import itertools
import pathlib
import re
import tempfile
import unittest

import package_mutants
import sv_mutations

RTL = pathlib.Path(__file__).resolve().parents[2] / "rtl"
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
            self.assertEqual(package_mutants.recorded(record, "one"), {name: ("other", "refused")})
            self.assertEqual(package_mutants.recorded(record, "two"), {name: ("locks", "survives")})
            self.assertEqual(package_mutants.recorded(record.with_name("none"), "one"), {})


if __name__ == "__main__":
    unittest.main()
