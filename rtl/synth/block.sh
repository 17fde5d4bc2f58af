#!/bin/sh
# block.sh FOLDER TOP [chparam arguments]: cells and flops of a block that stands alone (its sources: FOLDER/files.f),
# in generic gates, RAM arrays black boxes. Example: block.sh packet dc_parser -set Flows 16384
set -eu
cd "$(dirname "$0")/.."
folder=$1
top=$2
shift 2
array=common/ram_1r1w_array.sv
logic=$(grep -v "^$array$" "$folder/files.f" | tr '\n' ' ')
parameters=
[ $# -eq 0 ] || parameters="chparam $* $top;"
yosys -p "read_verilog -sv -lib $array; read_verilog -sv $logic; $parameters hierarchy -check -top $top; \
  script synth/netlist.ys; stat" | sed -n '/^=== /,/^End of script/p' | sed '$d'
