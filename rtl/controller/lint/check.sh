#!/bin/sh
# check.sh VERILATOR YOSYS, in rtl/: the controller is clean in Verilator and elaborates in yosys, with dense flow
# numbers, with sparse ones, with an error-correcting code, and with clock gates; without these it has no latch.
set -eu
sources=$(cat controller/files.f)
"${1:-verilator}" --lint-only -Wall --top-module dcc_top \
  controller/lint/waivers.vlt rate_lut/lint/waivers.vlt $sources
"${1:-verilator}" --lint-only -Wall --top-module dcc_top_registered \
  controller/lint/waivers.vlt rate_lut/lint/waivers.vlt $sources
"${1:-verilator}" --lint-only -Wall --top-module dcc_top_registered -GClockGate=1 \
  controller/lint/waivers.vlt rate_lut/lint/waivers.vlt $sources
"${1:-verilator}" --lint-only -Wall --top-module dcc_top -GSecded=1 -GRebuild=1 -GClockGate=1 \
  controller/lint/waivers.vlt rate_lut/lint/waivers.vlt $sources
"${1:-verilator}" --lint-only -Wall --top-module dcc_top -GSecded=1 -GRebuild=1 \
  controller/lint/waivers.vlt rate_lut/lint/waivers.vlt $sources
for secded in 0 1; do
  "${1:-verilator}" --lint-only -Wall --top-module dcc_top -GSparseFlows=1 -GFlowW=24 -GSecded=$secded \
    controller/lint/waivers.vlt rate_lut/lint/waivers.vlt $sources
done
case ${2:-yosys} in
*NOTFOUND | "") echo "yosys is not installed: elaboration not checked" ;;
*) "${2:-yosys}" -q -p "read_verilog -sv $(echo $sources); hierarchy -check -top dcc_top; proc; check -assert; \
    select -assert-none t:\$dlatch"
  "${2:-yosys}" -q -p "read_verilog -sv $(echo $sources); chparam -set SparseFlows 1 -set FlowW 24 -set Secded 1 dc_lookup; \
    hierarchy -check -top dc_lookup; proc; check -assert" ;;
esac
echo "dcc_top: the whole controller is clean"
