#!/bin/sh
# check.sh: the package checked from inside itself, nothing else needed: lint of files.f, elaboration
# in a second tool, golden vectors on rtl/ itself (Verilator), and in a plain Verilog simulator (Icarus)
# on copies of both units flattened afresh from rtl/, which are left in vectors/. Logs go to reports/.
# Needs verilator with a C++ compiler, yosys and iverilog.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

{
  echo "verilator --lint-only -Wall --top-module dcc_top lint/*.vlt -f files.f"
  verilator --version
  verilator --lint-only -Wall --top-module dcc_top lint/*.vlt -f files.f 2>&1
  echo "clean"
} >reports/lint.log || { cat reports/lint.log; exit 1; }
echo "lint: clean"

yosys -q -p "read_verilog -sv $(tr '\n' ' ' <files.f); hierarchy -check -top dcc_top; proc; \
  write_json $work/dcc_top.json; check -assert; tee -q -o reports/yosys_elaboration.txt stat"
echo "elaboration: clean"
[ $# -eq 0 ] || cp "$work/dcc_top.json" "$1"

passed() {  # UNIT LOG SIMULATOR
  grep -q '^PASS' "$2" || { tail "$2"; echo "$1: the golden vectors fail in $3"; exit 1; }
  echo "$1: $(grep '^PASS' "$2") ($3)"
}
for unit in rate_unit:rate_dut:rate_lut timing_wheel:timing_wheel_dut:timing_wheel; do
  name=${unit%%:*}
  folder=${unit##*:}
  pins=${unit#*:}
  pins=${pins%:*}
  sources=$(grep -E "^rtl/(common|$folder)/" files.f | tr '\n' ' ')
  vectors=+vectors=vectors/$name.vec

  # shellcheck disable=SC2086
  verilator --binary --timing -O3 -Wno-fatal -Wno-lint -Wno-style --top-module "tb_$name" \
    --Mdir "$work/$name" $sources "vectors/$pins.sv" "vectors/tb_$name.v" >"$work/build.log" 2>&1 ||
    { tail "$work/build.log"; exit 1; }
  "$work/$name/Vtb_$name" "$vectors" >"reports/vectors_$name.log"
  passed "$name" "reports/vectors_$name.log" "Verilator, rtl/"

  yosys -q -p "read_verilog -sv $sources vectors/$pins.sv; hierarchy -check -top $pins; proc; \
    flatten; opt_clean -purge; write_verilog -noattr vectors/$pins.v"
  iverilog -o "$work/tb_$name" "vectors/tb_$name.v" "vectors/$pins.v"
  vvp "$work/tb_$name" "$vectors" >"reports/vectors_${name}_icarus.log"
  passed "$name" "reports/vectors_${name}_icarus.log" "Icarus, flattened"
done
