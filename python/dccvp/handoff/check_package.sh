#!/bin/sh
# check.sh: the package checked from inside itself, nothing else needed: lint of files.f, elaboration
# in a second tool, golden vectors in a plain Verilog simulator. Logs go to reports/. Needs verilator,
# yosys and iverilog.
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

for unit in rate_unit:rate_dut timing_wheel:timing_wheel_dut; do
  name=${unit%:*}
  iverilog -o "$work/tb_$name" "vectors/tb_$name.v" "vectors/${unit#*:}.v"
  vvp "$work/tb_$name" "+vectors=vectors/$name.vec" >"reports/vectors_$name.log"
  grep -q '^PASS' "reports/vectors_$name.log" || { tail "reports/vectors_$name.log"; exit 1; }
  echo "$name: $(grep '^PASS' "reports/vectors_$name.log")"
done
