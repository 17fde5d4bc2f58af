#!/bin/sh
# block.sh FOLDER TOP [chparam arguments]: prints cells and flip-flops of a block in generic gates, with RAM arrays
# as black boxes. The block's sources are FOLDER/files.f and, from other folders, FOLDER/synth.f, where a line "box
# FILE" names a part that becomes a black box and is counted elsewhere. Example: block.sh packet dc_parser -set
# Flows 16384
set -eu
cd "$(dirname "$0")/.."
folder=$1
top=$2
shift 2
array=common/ram_1r1w_array.sv
others=/dev/null
[ ! -f "$folder/synth.f" ] || others=$folder/synth.f
boxes=$(sed -n 's/^box //p' "$others" | tr '\n' ' ')
logic=$(grep -hv -e "^$array$" -e '^box ' "$others" "$folder/files.f" | tr '\n' ' ')
packages=$(echo "$logic" | tr ' ' '\n' | grep '_pkg\.sv$' | tr '\n' ' ') || true
logic=$(echo "$logic" | tr ' ' '\n' | grep -v '_pkg\.sv$' | tr '\n' ' ')
parameters=
[ $# -eq 0 ] || parameters="chparam $* $top;"
read_packages=
[ -z "$packages" ] || read_packages="read_verilog -sv $packages;"
yosys -p "$read_packages read_verilog -sv -lib $array $boxes; read_verilog -sv $logic; $parameters \
  hierarchy -check -top $top; script synth/netlist.ys; stat" | sed -n '/^=== /,/^End of script/p' | sed '$d'
