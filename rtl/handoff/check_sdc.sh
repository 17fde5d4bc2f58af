#!/bin/sh
# check_sdc.sh [WORK_DIR]: OpenSTA must read the timing constraints without an error, on the top mapped to OSU018
# with its parts as black boxes. So every name in the constraints exists, and every input except the reset (a false
# path) has a delay. Delays at inputs and outputs and the clock's uncertainty must leave a quarter of the period at least
# for combinational paths through the block.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
work=${1:-$(mktemp -d)}
mkdir -p "$work"
liberty=/usr/share/qflow/tech/osu018/osu018_stdcells.lib
[ -f "$liberty" ] || { echo "check_sdc.sh: qflow-tech-osu018 is not installed" >&2; exit 2; }
cd "$root/rtl"
yosys -q -p "read_verilog -sv common/ram_pkg.sv regs/generated/dcc_regs_pkg.sv rate_lut/rtl/rate_lut_pkg.sv \
    rate_lut/generated/dcc_rate_pkg.sv controller/rtl/dcc_controller_pkg.sv; \
  read_verilog -sv -lib regs/generated/dcc_regs_apb.sv controller/rtl/dc_apb_gate.sv \
    controller/rtl/dc_manager.sv; \
  read_verilog -sv controller/rtl/dcc_top.sv; synth -top dcc_top; dfflibmap -liberty $liberty; \
  abc -liberty $liberty; opt_clean -purge; \
  setparam -unset Caps -unset SlotsEntries t:dcc_regs_apb; \
  setparam -unset Slots -unset FlowW -unset SparseFlows -unset Latency -unset CnpDepth -unset CommandDepth \
    -unset BytesDepth -unset Secded -unset Rebuild -unset ClockGate -unset TopBits -unset MiddleBits \
    -unset LastBits t:dc_manager; \
  write_verilog -noattr $work/top.v"
# OpenSTA accepts no concatenation on the left side of an assignment; the deleted assignment only joins ports to a
# unit.
sed -i '/^  assign {/d' "$work/top.v"
cat >"$work/load.tcl" <<END
read_liberty $liberty
read_verilog $work/top.v
link_design dcc_top
source $root/rtl/handoff/dcc_top.sdc
report_clock_properties
check_setup -verbose -no_input_delay -no_clock
puts "through [expr round(100 * (1 - 2 * \$outside / \$period - 0.05))] percent"
exit
END
sta -no_splash -exit "$work/load.tcl" >"$work/sta.log" 2>&1
fail() { cat "$work/sta.log"; echo "check_sdc.sh: $1"; exit 1; }
! grep -q '^Error' "$work/sta.log" || fail "the constraints or the netlist are not read"
grep -q '^clk  *4.00 ' "$work/sta.log" || fail "no clock of 4 ns"
[ "$(sed -n 's/^through \(-*[0-9]*\) percent$/\1/p' "$work/sta.log")" -ge 25 ] ||
  fail "no time is left for paths from inputs to outputs"
[ "$(grep -c '^  ' "$work/sta.log")" = 1 ] && grep -q '^  rst_ni$' "$work/sta.log" ||
  fail "inputs without a delay, or flops without a clock"
echo "constraints read by OpenSTA: one clock of 4 ns, a delay on every input but the reset, and" \
  "$(sed -n 's/^through \(.*\) percent$/\1 %/p' "$work/sta.log") of the period for paths through the block"
