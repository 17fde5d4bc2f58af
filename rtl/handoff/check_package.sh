#!/bin/sh
# check.sh [DESIGN.json]: checks the hand-off package from inside the package, which needs no other files.
#
# Steps: lint of files.f; elaboration in a second tool, with one clock and one reset everywhere and no latch; golden
# vectors on rtl/ itself with its assertions (Verilator), and on copies flattened afresh from rtl/ in a plain
# Verilog simulator with four states (Icarus), which leaves the copies in vectors/. The golden model is compiled,
# plays the same vectors, runs beside the RTL of controller and pacer in both simulators, and is called from Python.
# Single blocks of pacer and NIC, with memories that lose bits, too, and two application blocks of a NIC with a switch
# run in Verilator; the NIC's block is elaborated; illegal parameters are refused. Logs go to reports/. CHECK_JOBS
# steps run side by side (default: the number of processors); the first step that fails ends the check. CHECK_STEPS:
# the steps to run. Needs verilator with a C++ compiler and make, yosys, iverilog and python3. DESIGN.json: file for
# the elaborated design.
set -eu
cd "$(dirname "$0")"

fail() { echo "$*"; exit 255; }  # exit status 255 makes xargs start no further step

sources_of() { grep -E "$1" files.f | tr '\n' ' '; }
resets_of() {  # resets_of FILES: assertions on the values after reset of these modules' registers
  echo sva/resets/reset_values_sva.sv
  for file in $1; do [ ! -f "sva/resets/${file##*/}" ] || echo "sva/resets/${file##*/}"; done
}

lint() {
  {
    echo "verilator --lint-only -Wall --top-module dcc_top lint/*.vlt -f files.f"
    verilator --version
    verilator --lint-only -Wall --top-module dcc_top lint/*.vlt -f files.f 2>&1 &&
      verilator --lint-only -Wall --top-module dcc_top -GSparseFlows=1 -GFlowW=24 lint/*.vlt -f files.f 2>&1 &&
      verilator --lint-only -Wall --top-module dcc_top -GSecded=1 lint/*.vlt -f files.f 2>&1 &&
      verilator --lint-only -Wall --top-module dcc_top -GSecded=1 -GRebuild=1 lint/*.vlt -f files.f 2>&1 &&
      verilator --lint-only -Wall --top-module dcc_top -GClockGate=1 lint/*.vlt -f files.f 2>&1 &&
      verilator --lint-only -Wall --top-module dcc_top_registered lint/*.vlt -f files.f 2>&1 &&
      verilator --lint-only -Wall --top-module dc_pacer lint/*.vlt -f pacer.f 2>&1 &&
      verilator --lint-only -Wall --top-module dcc_app_block lint/*.vlt -f nic.f 2>&1 &&
      verilator --lint-only -Wall --top-module dcc_app_block -GSecded=1 lint/*.vlt -f nic.f 2>&1 &&
      echo "clean"
  } >reports/lint.log
  [ "$(tail -n 1 reports/lint.log)" = clean ] || { cat reports/lint.log; fail "lint: not clean"; }
  echo "lint: clean"
}

elaboration() {
  yosys -q -p "read_verilog -sv $(tr '\n' ' ' <files.f); hierarchy -check -top dcc_top; proc; \
    write_json $work/dcc_top.json; check -assert; tee -q -o reports/yosys_elaboration.txt stat; \
    flatten; opt_clean; select -assert-none t:\$dlatch t:\$adlatch t:\$dlatchsr t:\$sr; \
    select -set flops t:\$dff t:\$adff t:\$dffe t:\$adffe t:\$sdff t:\$sdffe t:\$sdffce; \
    select -set resets t:\$adff t:\$adffe; \
    select -assert-none @flops w:clk_i %co1:+[CLK] %d; \
    select -assert-none @resets w:rst_ni %co1:+[ARST] %d; \
    select -assert-none t:\$memwr* w:clk_i %co1:+[CLK] %d" \
    >"$work/elaboration.log" 2>&1 || { cat "$work/elaboration.log"; fail "elaboration: not accepted"; }
  echo "elaboration: clean; every flop on clk_i, every reset rst_ni, no latch"
}

nic_elaboration() {
  yosys -q -p "read_verilog -sv $(tr '\n' ' ' <nic.f); hierarchy -check -top dcc_app_block; proc; check -assert; \
    flatten; opt_clean; select -assert-none t:\$dlatch t:\$adlatch t:\$dlatchsr t:\$sr; \
    select -set flops t:\$dff t:\$adff t:\$dffe t:\$adffe t:\$sdff t:\$sdffe t:\$sdffce; \
    select -assert-none @flops w:clk %co1:+[CLK] %d" \
    >"$work/nic_elaboration.log" 2>&1 || { cat "$work/nic_elaboration.log"; fail "nic: not accepted by yosys"; }
  echo "nic: elaborated; every flop on clk, no latch"
}

# in_verilator UNIT PINS SOURCES ASSERTIONS [BENCH VECTORS OPTION PLUSARG]; OPTION is an option of Verilator. PINS may be
# empty for a bench that contains its blocks.
# Without -fno-life Verilator 5.006 treats a value that a testbench's task sets as constant beyond a delay.
# A program that $work contains is not built again: --step with a folder that stays runs one build many times.
in_verilator() {
  bench=${5:-$1}
  # shellcheck disable=SC2046,SC2086
  [ -x "$work/$1/Vtb_$bench" ] || ./verilated.sh "$work/runtime" "$work/$1" --exe --main --timing --assert -O3 -fno-life \
    --x-initial unique -Wno-fatal -Wno-lint -Wno-style --top-module "tb_$bench" ${7:-} $3 $4 $(resets_of "$3") \
    ${2:+"$2.sv"} "vectors/tb_$bench.v" >"$work/$1.log" 2>&1 ||
    { tail "$work/$1.log"; fail "$1: not accepted by Verilator"; }
  for random in 0 1 2; do  # registers start as 0, as 1, at random: a reset that is missing shows
    # shellcheck disable=SC2086
    "$work/$1/Vtb_$bench" "+vectors=${6:-vectors/$bench.vec}" ${8:-} +verilator+rand+reset+$random \
      +verilator+seed+7 >"reports/vectors_$1.log" 2>&1 && grep -q '^PASS' "reports/vectors_$1.log" ||
      { tail "reports/vectors_$1.log"; fail "$1: the golden vectors fail in Verilator"; }
  done
  echo "$1: $(grep '^PASS' "reports/vectors_$1.log") (Verilator, rtl/, assertions on)"
}

# flattened PINS SOURCES: makes vectors/PINS.v from these sources, once although several steps, also side by side, need it.
# Arrays of registers become registers: Icarus 11 may miss words of arrays that are read at constant addresses.
flattened() {
  pins=vectors/$1.sv
  [ -f "$pins" ] || pins=  # the block is itself the top
  {
    flock 8
    [ -f "$work/$1.v" ] || {
      yosys -q -p "read_verilog -sv $2 $pins; hierarchy -check -top $1; proc; \
        flatten; memory_map m:*u_bytes.* m:*u_arbiter.*; opt_clean -purge; write_verilog -noattr $work/$1.flat" \
        >"$work/$1_flat.log" 2>&1 || { tail "$work/$1_flat.log"; fail "$1: not accepted by yosys"; }
      cp "$work/$1.flat" "vectors/$1.v"
      mv "$work/$1.flat" "$work/$1.v"
    }
  } 8>"$work/$1.lock"
}
# in_icarus UNIT PINS SOURCES PLUSARG [KNOWN]; PLUSARG, which limits the number of runs, may be empty. KNOWN: assertions
# that no output is unknown.
in_icarus() {
  flattened "$2" "$3"
  # shellcheck disable=SC2086
  iverilog -g2012 ${5:+-DKNOWN} -o "$work/tb_$1" "vectors/tb_$1.v" "$work/$2.v" ${5:-}
  played_in_icarus "$1" flattened $4
}
played_in_icarus() {  # played_in_icarus UNIT FORM [PLUSARG]: $work/tb_UNIT plays the unit's vectors
  log=reports/vectors_$1_icarus.log
  vvp "$work/tb_$1" "+vectors=vectors/$1.vec" ${3:-} >"$log" 2>&1 && grep -q '^PASS' "$log" ||
    { tail "$log"; fail "$1: the golden vectors fail in Icarus"; }
  echo "$1: $(grep '^PASS' "$log") (Icarus, $2, four states)"
}
# Vectors of the registers for which the testbench reaches into counters and memories: yosys keeps the hierarchy.
registers_inside() {
  yosys -q -p "read_verilog -sv $(sources_of .) vectors/controller_dut.sv; hierarchy -check -top controller_dut; \
    proc; opt_clean; write_verilog -noattr $work/inside.v" >"$work/inside.log" 2>&1 ||
    { tail "$work/inside.log"; fail "registers_inside: not accepted by yosys"; }
  iverilog -g2012 -DINSIDE -DKNOWN -o "$work/tb_registers_inside" vectors/tb_registers.v "$work/inside.v" \
    sva/dcc_top_known_sva.sv
  played_in_icarus registers_inside 'with hierarchy'
}

# variant UNIT PARAMETERS BENCH VECTORS OPTION PLUSARG: runs vectors on the whole block with other parameters.
variant() {
  sed "s/\.Latency(48)/$2/" vectors/controller_dut.sv >"$work/$1_dut.sv"
  grep -q "$2" "$work/$1_dut.sv" || fail "$1: controller_dut.sv has another form"
  in_verilator "$1" "$work/$1_dut" "$(sources_of .)" "$(echo sva/*.sv)" "$3" "$4" "$5" "$6"
}
# Variant with hashed flow numbers: the answers are the same, the sweep is shorter. The flow numbers of crowded.vec
# fill the stash.
sparse() {
  cat vectors/controller.vec vectors/crowded.vec >"$work/sparse.vec"
  variant sparse '.Latency(48), .SparseFlows(1)' controller "$work/sparse.vec" '' +sweep=144
}
# Variant whose memories correct bits and lose some: the answers and their cycles are the same.
secded() { variant secded '.Latency(48), .Secded(1)' controller vectors/controller.vec -DSECDED +caps=10000000; }
# Registers of a block whose memories correct bits: some lost bits are correctable, some are not.
secded_registers() {
  variant secded_registers '.Latency(48), .Secded(1)' registers vectors/registers_secded.vec -DSECDED ''
}
# Variant of the controller with recovery from uncorrectable words.
rebuild() {
  variant rebuild '.Latency(48), .Secded(1), .Rebuild(1)' registers vectors/registers_rebuild.vec \
    '-DSECDED -DREBUILD' ''
}
# Variant with the second least latency, at which an answer waits in a register.
latency() { variant latency '.Latency(33)' controller vectors/latency33.vec '' ''; }
# Variant with clock gates: the same answers in the same cycles.
gated() { variant gated '.Latency(48), .ClockGate(1)' controller vectors/controller.vec '' ''; }

unit() {  # unit UNIT verilator|icarus: golden vectors of one unit
  known=
  case $1 in
    controller | registers) pins=controller_dut; sources=$(sources_of .); sva=$(echo sva/*.sv); short=+runs=2
      known=sva/dcc_top_known_sva.sv ;;
    rate_unit) pins=rate_dut; sources=$(sources_of '^rtl/(common|secded|rate_lut)/')
      sva=sva/rate_unit_sva.sv; short= ;;
    timing_wheel) pins=timing_wheel_dut; sources=$(sources_of '^rtl/(common|secded|timing_wheel)/')
      sva="sva/timing_wheel_sva.sv sva/tw_lists_sva.sv sva/tw_control_sva.sv"; short= ;;
    answers) pins=answers_dut; sva=; short=
      sources=$(sources_of '^rtl/(common|secded)/|dcc_controller_pkg|/dc_(delay|answers)\.sv') ;;
    nic_block) pins=dcc_app_block; sources=$(tr '\n' ' ' <nic.f); sva=; short=
      known=sva/nic/dcc_app_block_known_sva.sv ;;
  esac
  case $2 in
    verilator) in_verilator "$1" "$([ ! -f vectors/$pins.sv ] || echo vectors/$pins)" "$sources" "$sva" ;;
    icarus) in_icarus "$1" $pins "$sources" "$short" "$known" ;;
  esac
}

golden_library() {  # Builds the golden library once, although several parallel steps need it.
  flock "$work" make -s -C golden BUILD="$work/golden" all "$@" >"$work/golden.log" 2>&1 ||
    { tail "$work/golden.log"; fail "golden model: does not compile"; }
}

golden() {
  golden_library
  "$work/golden/golden_replay" vectors/controller.vec >reports/vectors_golden.log ||
    { tail reports/vectors_golden.log; fail "golden model: other answers than the golden vectors"; }
  echo "golden model: $(grep '^PASS' reports/vectors_golden.log)"
  "$work/golden/golden_replay" vectors/latency33.vec 33 >reports/latency33_golden.log ||
    { tail reports/latency33_golden.log; fail "golden model: other answers than the golden vectors"; }
  python3 -B golden/example.py "$work/golden/libdcc_golden.so" >reports/golden_python.log 2>&1 ||
    { tail reports/golden_python.log; fail "golden model: fails in Python"; }
  echo "golden model: $(tail -n 1 reports/golden_python.log) (Python)"
}

beside_rtl() {  # beside_rtl BENCH PINS SOURCES verilator|icarus CYCLES [OPTION of Verilator]
  name=$1${6:+_secded}
  log=reports/${name}_$4.log
  case $4 in
    verilator)
      golden_library
      # shellcheck disable=SC2086
      [ -x "$work/tb_$name/Vtb_$1" ] || ./verilated.sh "$work/runtime" "$work/tb_$name" --exe --main --timing --assert \
        -O3 -fno-life --x-initial unique -Wno-fatal -Wno-lint -Wno-style -Wno-TIMESCALEMOD --top-module "tb_$1" ${6:-} $3 \
        "vectors/$2.sv" golden/dcc_golden_pkg.sv "golden/tb_$1.sv" "$work/golden/libdcc_golden.a" \
        >"$work/tb_$name.log" 2>&1 || { tail "$work/tb_$name.log"; fail "$1: the bench is not accepted by Verilator"; }
      # Registers start as 1, then at random: a reset that is missing shows.
      "$work/tb_$name/Vtb_$1" "+cycles=10000" +verilator+rand+reset+1 >"$log" 2>&1 && grep -q '^PASS' "$log" &&
        "$work/tb_$name/Vtb_$1" "+cycles=$5" +verilator+rand+reset+2 +verilator+seed+7 >"$log" 2>&1 ;;
    icarus)
      golden_library "$work/golden/dcc_golden_vpi.vpi"
      flattened "$2" "$3"
      case $1 in golden) known=sva/dcc_top_known_sva.sv ;; golden_pacer) known=sva/pacer/dc_pacer_known_sva.sv ;; esac
      iverilog -g2012 -DKNOWN -s "tb_$1" -o "$work/tb_$1_icarus" "golden/tb_$1.sv" "$work/$2.v" "$known"
      vvp -M "$work/golden" -m dcc_golden_vpi "$work/tb_$1_icarus" "+cycles=$5" >"$log" 2>&1 ;;
  esac && grep -q '^PASS' "$log" || { tail "$log"; fail "$name: another answer than the RTL in $4"; }
  echo "$name beside the RTL: $(grep '^PASS' "$log") ($4)"
}

# Elaboration must refuse illegal parameters of a module, and accept those at the limits (lint/parameters.txt).
parameters() {
  lint/illegal.sh full verilator >reports/parameters.log 2>&1 ||
    { grep '^must be' reports/parameters.log; fail "parameters: promises fail in elaboration"; }
  tail -n 1 reports/parameters.log
}

nic() {  # nic [OPTION ...]: bench of two application blocks of a NIC and a switch that marks packets
  [ -x "$work/nic/Vnic_app" ] || make -s -C nic BUILD="$work/nic" RUNTIME="$work/runtime" >"$work/nic.log" 2>&1 ||
    { tail "$work/nic.log"; fail "nic: does not compile"; }
  "$work/nic/Vnic_app" "$@" >reports/nic_bench.log 2>&1 ||
    { tail reports/nic_bench.log; fail "nic: promises fail in Verilator"; }
  echo "nic: $(tail -n 1 reports/nic_bench.log)"
}
# The same with a short load, which does not show the shares of the flows: for those who try many mutants; no step of
# the whole check.
nic_short() { nic --cycles 60000; }

# known_refuses: the assertions that no output is unknown see a register without its reset, one for each kind of output.
known_refuses() {
  pins=controller_dut
  sources=$(sources_of .)
  package=$PWD
  while IFS='|' read -r file from; do
    folder=$work/known_refuses
    rm -rf "$folder"
    mkdir "$folder"
    cp -r rtl "$folder"
    sed -i "s/$from//" "$folder/rtl/$file"
    ! cmp -s "rtl/$file" "$folder/rtl/$file" || fail "known_refuses: $file has another form"
    (cd "$folder" && yosys -q -p "read_verilog -sv $sources $package/vectors/$pins.sv; hierarchy -check -top $pins; \
      proc; flatten; opt_clean -purge; write_verilog -noattr dut.v") >"$work/known_refuses.log" 2>&1 ||
      { tail "$work/known_refuses.log"; fail "known_refuses: not accepted by yosys"; }
    iverilog -g2012 -DKNOWN -o "$folder/tb" vectors/tb_controller.v "$folder/dut.v" sva/dcc_top_known_sva.sv
    vvp "$folder/tb" +vectors=vectors/controller.vec +runs=1 >"$work/known_refuses.log" 2>&1 || true
    grep -q 'FAIL:.* unknown' "$work/known_refuses.log" ||
      { tail "$work/known_refuses.log"; fail "known_refuses: promises fail: $file without a reset is not refused"; }
  done <<END
controller/rtl/dc_fifo.sv|count_q <= '0;
controller/rtl/dc_byte_queue.sv|used_q <= '0;
END
  echo "known_refuses: two registers without their reset are refused"
}

# unit_bench NAME: bench of single blocks of pacer and NIC
unit_bench() {
  [ -x "$work/$1/$1_bench" ] || make -s -C units BUILD="$work/$1" RUNTIME="$work/runtime" "$1" >"$work/$1.log" 2>&1 ||
    { tail "$work/$1.log"; fail "$1: does not compile"; }
  "$work/$1/$1_bench" >"reports/$1.log" 2>&1 || { tail "reports/$1.log"; fail "$1: promises fail in Verilator"; }
  echo "$1: $(tail -n 1 "reports/$1.log") (Verilator)"
}
# Register slice and multiplexer of streams, the bridge from AXI4-Lite to APB and the wheel's time, with resets in
# mid-operation; the RAM, with check bits, too.
parts() {
  parts='dcc_mutant_pkg|dc_axis_slice|dc_cnp_mux|dc_axil_apb|ram_pkg|ram_1r1w|ram_1r1w_array|secded_code|ram_guarded|tw_time'
  parts=$(grep -E "/($parts)\.sv$" nic.f | tr '\n' ' ')
  in_verilator parts '' "$parts" "sva/nic/dc_axis_slice_sva.sv sva/nic/dc_cnp_mux_sva.sv" parts none '' ''
}
# registered: dcc_top_registered beside dcc_top, every output of every cycle, with back-pressure and resets.
registered() {
  in_verilator registered '' "$(sources_of .)" "$(echo sva/*.sv)" registered none '' ''
}
# registered_ports: each output of dcc_top_registered is a flip-flop, each input goes into flip-flops only. The same
# check must refuse dcc_top.
registered_ports() {
  sources=$(sources_of .)
  inner=rtl/controller/rtl/dcc_top.sv
  # shellcheck disable=SC2086
  yosys -q -p "read_verilog -sv $(grep _pkg files.f | tr '\n' ' '); read_verilog -sv -lib $inner; \
    read_verilog -sv rtl/common/dc_axis_slice.sv rtl/controller/rtl/dcc_top_registered.sv; \
    hierarchy -check -top dcc_top_registered; proc; flatten; opt_clean; write_json $work/registered.json" \
    >"$work/registered_ports.log" 2>&1 &&
    yosys -q -p "read_verilog -sv $sources; hierarchy -check -top dcc_top; proc; flatten; opt_clean; \
      write_json $work/not_registered.json" >>"$work/registered_ports.log" 2>&1 ||
    { cat "$work/registered_ports.log"; fail "registered_ports: not accepted by yosys"; }
  python3 -B registered_ports.py "$work/registered.json" dcc_top_registered >reports/registered_ports.log ||
    { cat reports/registered_ports.log; fail "registered_ports: promises fail: a port is not registered"; }
  ! python3 -B registered_ports.py "$work/not_registered.json" dcc_top >"$work/not_registered.log" &&
    grep -q '^bytes_ready_o: driven by' "$work/not_registered.log" ||
    { cat "$work/not_registered.log"; fail "registered_ports: promises fail: dcc_top is not refused"; }
  echo "registered_ports: $(tail -n 1 reports/registered_ports.log); dcc_top is refused"
}
# ram_pins: scan_mode_i and ram_cfg_i reach every array.
ram_pins() {
  array=rtl/common/ram_1r1w_array.sv
  yosys -q -p "read_verilog -sv -lib $array; read_verilog -sv $(grep -v "^$array$" files.f | tr '\n' ' '); \
    hierarchy -check -top dcc_top; proc; flatten; opt_clean; select -set arrays t:ram_1r1w_array; \
    select -assert-min 24 @arrays; select -assert-none @arrays w:scan_mode_i %co1:+[ram_pins_i] %d; \
    select -assert-none @arrays w:ram_cfg_i %co1:+[ram_pins_i] %d" >"$work/ram_pins.log" 2>&1 ||
    { cat "$work/ram_pins.log"; fail "ram_pins: promises fail: an array without its pins"; }
  echo "ram_pins: scan_mode_i and ram_cfg_i reach every array"
}
# clock_gate: with ClockGate, every flop and memory has clk_i or the output of one of two clock gates, and the vectors of
# the registers are answered in the same way (Icarus, four states).
clock_gate() {
  gate=rtl/common/dc_clock_gate.sv
  sed 's/\.Latency(48)/.Latency(48), .ClockGate(1)/' vectors/controller_dut.sv >"$work/clock_gate_dut.sv"
  yosys -q -p "read_verilog -sv -lib $gate; read_verilog -sv $(grep -v "^$gate$" files.f | tr '\n' ' ') $work/clock_gate_dut.sv; \
    hierarchy -check -top controller_dut; proc; opt_clean; write_verilog -noattr $work/clock_gate.v; flatten; opt_clean; \
    select -set gates t:dc_clock_gate; select -assert-count 2 @gates; select -assert-none @gates w:clk_i %co1:+[clk_i] %d; \
    select -assert-none t:\$dlatch t:\$adlatch t:\$dlatchsr t:\$sr; \
    select -set clocks w:clk_i @gates %co1:+[clk_o] w:* %i %u; \
    select -set flops t:\$dff t:\$adff t:\$dffe t:\$adffe t:\$sdff t:\$sdffe t:\$sdffce; \
    select -assert-none @flops @clocks %co1:+[CLK] %d; select -assert-none t:\$memwr* @clocks %co1:+[CLK] %d" \
    >"$work/clock_gate.log" 2>&1 || { cat "$work/clock_gate.log"; fail "clock_gate: not accepted by yosys"; }
  iverilog -g2012 -DKNOWN -o "$work/tb_clock_gate" vectors/tb_registers.v "$work/clock_gate.v" $gate \
    sva/dcc_top_known_sva.sv
  vvp "$work/tb_clock_gate" +vectors=vectors/registers.vec >reports/clock_gate.log 2>&1 &&
    grep -q '^PASS' reports/clock_gate.log ||
    { tail reports/clock_gate.log; fail "clock_gate: promises fail: other answers with ClockGate"; }
  echo "clock_gate: $(grep '^PASS' reports/clock_gate.log) (Icarus, ClockGate = 1); two gates, no other clock"
}
packet() { unit_bench packet; }        # parser, byte notifications, notification point
cuckoo() { unit_bench cuckoo; }        # hash table of SparseFlows with 64, 256 and 1024 slots
lost_bits() { unit_bench lost_bits; }  # these, the pacer and the queues of the NIC, in which memories lose bits

golden_bench() {  # golden_bench verilator|icarus: golden model beside the controller's RTL
  case $1 in verilator) cycles=50000 ;; icarus) cycles=6000 ;; esac
  beside_rtl golden controller_dut "$(sources_of .)" "$1" "$cycles"
}

# Pacer whose memories correct bits and lose some: the answers stay the same.
pacer_secded() {
  pacer=$(tr '\n' ' ' <pacer.f)
  beside_rtl golden_pacer pacer_dut "$pacer $(resets_of "$pacer") sva/pacer/dc_pacer_sva.sv" verilator 60000 -DSECDED
}

pacer_bench() {  # pacer_bench verilator|icarus: golden model beside the pacer's RTL
  sources=$(tr '\n' ' ' <pacer.f)
  case $1 in
    verilator) beside_rtl golden_pacer pacer_dut "$sources $(resets_of "$sources") sva/pacer/dc_pacer_sva.sv" "$1" 200000 ;;
    icarus) beside_rtl golden_pacer pacer_dut "$sources" "$1" 20000 ;;
  esac
}

if [ "${1:-}" = --step ]; then
  work=$2
  case $3 in
    golden:*) golden_bench "${3#*:}" ;;
    pacer:*) pacer_bench "${3#*:}" ;;
    *:*) unit "${3%:*}" "${3#*:}" ;;
    *) "$3" ;;
  esac
  exit
fi

refuse() { echo "check.sh: $*" >&2; exit 2; }
# The check steps that find most faults come first, the shortest ones of the others last: no processor waits for long.
steps="controller:verilator registers:verilator sparse secded secded_registers rebuild latency lint elaboration
  controller:icarus rate_unit:verilator timing_wheel:verilator answers:verilator answers:icarus rate_unit:icarus
  timing_wheel:icarus registers:icarus registers_inside golden golden:verilator pacer:verilator pacer_secded
  golden:icarus pacer:icarus parameters nic_block:verilator nic_block:icarus nic lost_bits known_refuses
  nic_elaboration packet cuckoo registered parts gated clock_gate registered_ports ram_pins"
case $#${1:-} in
  0 | 1*.json) ;;
  *) refuse "usage: [CHECK_JOBS=N] [CHECK_STEPS='STEP ...'] ./check.sh [DESIGN.json]" ;;
esac
for step in ${CHECK_STEPS:-}; do
  case " $(echo $steps) nic_short " in *" $step "*) ;; *) refuse "no step '$step'; steps:" $steps ;; esac
done
case ${CHECK_JOBS:-1} in 0* | *[!0-9]*) refuse "CHECK_JOBS is a number of steps, 1 or more" ;; esac
if [ -z "${CHECK_STEPS:-}" ]; then
  missing=
  for tool in verilator yosys iverilog vvp iverilog-vpi python3 make gcc g++ flock; do
    command -v $tool >/dev/null || missing="$missing $tool"
  done
  [ -z "$missing" ] || refuse "not installed:$missing (README.md names the packages; CHECK_STEPS chooses steps)"
fi
! command -v verilator >/dev/null || case $(verilator --version) in
  'Verilator '[0-4].*) refuse "needs Verilator 5 or later, this is $(verilator --version)" ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
case $PWD$work in *[[:space:]]*) refuse "make accepts no space in a path: move '$PWD', or set TMPDIR (now '$work')" ;; esac
for folder in reports vectors; do
  (: >$folder/.writable) 2>/dev/null || refuse "writes to $PWD/$folder, and may not: copy the package elsewhere"
  rm -f $folder/.writable
done
[ $# -eq 0 ] || (: >>"$1") 2>/dev/null || refuse "cannot write $1"

# Logs of an earlier check would look like those of this one. (constraints.log comes from the packaging.)
[ -n "${CHECK_STEPS:-}" ] || find reports -name '*.log' ! -name constraints.log -exec rm -f {} +
# shellcheck disable=SC2086
printf '%s\n' ${CHECK_STEPS:-$steps} |
  xargs -P "${CHECK_JOBS:-$(nproc)}" -n 1 ./check.sh --step "$work" || { echo "check.sh: a step has failed"; exit 1; }
[ $# -eq 0 ] || cp "$work/dcc_top.json" "$1"
# shellcheck disable=SC2086
echo "check.sh: $(printf '%s\n' ${CHECK_STEPS:-$steps} | wc -l) steps passed"
