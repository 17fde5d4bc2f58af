#!/bin/sh
# Runs the timing wheel's bench: wheel_cosim.sh PROGRAM rtl [netlist]. Without a netlist (no yosys) only the
# RTL is run.
set -eu
program=$1
shift
for dut in "$@"; do
  case $dut in
    rtl)
      "$program" --ops 3000000 --full-coverage
      for seed in 1 2 3; do "$program" --ops 200000 --seed "$seed" --random-init; done ;;
    netlist) "$program" --ops 100000 --dut netlist ;;
    *) echo "wheel_cosim.sh: '$dut': rtl or netlist" >&2; exit 2 ;;
  esac
done
