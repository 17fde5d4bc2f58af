#!/bin/sh
# illegal.sh some|full VERILATOR YOSYS [IVERILOG], in rtl/: each tool refuses to elaborate the controller and the
# wheel with a parameter outside its range, and accepts the smallest legal parameters. The script skips a tool that
# is missing; `some` tries a few parameters with Verilator only.
set -eu
controller=$(cat controller/files.f)
wheel=$(grep -E '^(timing_wheel|common|secded)/' controller/files.f)
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
failed=0

# try VERDICT TOP NAME=VALUE... : expects the verdict (legal or illegal) of every tool on these parameters.
try() {
  verdict=$1 top=$2
  shift 2
  sources=$controller
  [ "$top" = dcc_top ] || sources=$wheel
  for tool in "$verilator" "$yosys" "$iverilog"; do
    case $tool in
    *verilator*)
      "$tool" --lint-only --top-module "$top" $(printf ' -G%s' "$@") $sources >"$work/log" 2>&1 && said=legal || said=illegal ;;
    *yosys*)
      set_all=$(printf '%s ' "$@" | sed 's/\([A-Za-z]*\)=\([0-9]*\) /-set \1 \2 /g')
      "$tool" -q -p "read_verilog -sv $(echo $sources); chparam $set_all $top; hierarchy -check -top $top" \
        >"$work/log" 2>&1 && said=legal || said=illegal ;;
    *iverilog*)
      "$tool" -g2012 -o "$work/out" -s "$top" $(printf " -P$top.%s" "$@") $sources >"$work/log" 2>&1 && said=legal || said=illegal ;;
    *) continue ;;
    esac
    if [ $said != "$verdict" ]; then
      echo "$tool: $top $*: $said, must be $verdict"
      tail -3 "$work/log"
      failed=1
    fi
  done
}
given() { case ${1:-} in *NOTFOUND | "") echo none ;; *) echo "$1" ;; esac }
verilator=$(given "${2:-}") yosys=$(given "${3:-}") iverilog=$(given "${4:-}")

if [ "$1" = some ]; then
  yosys=none iverilog=none
  try illegal dcc_top Slots=1000
  try illegal dcc_top FlowW=26
  try illegal dcc_top Latency=300
  try illegal dcc_top CnpDepth=3
  exit $failed
fi

try legal dcc_top Slots=64 FlowW=6 Latency=32 CnpDepth=2
try illegal dcc_top Slots=1000
try illegal dcc_top Slots=32
try illegal dcc_top Slots=32768 FlowW=16
try illegal dcc_top FlowW=26
try illegal dcc_top FlowW=9
try illegal dcc_top SparseFlows=2
try illegal dcc_top Secded=2
try illegal dcc_top Rebuild=2
try illegal dcc_top Rebuild=1 SparseFlows=1
try illegal dcc_top Latency=31
try illegal dcc_top Latency=300
try illegal dcc_top CnpDepth=3
try illegal dcc_top CommandDepth=1
try illegal dcc_top BytesDepth=48
try legal timing_wheel NumTimers=64
try illegal timing_wheel NumTimers=100
try illegal timing_wheel NumTimers=32
try illegal timing_wheel TopBits=1
try illegal timing_wheel TimeW=16
exit $failed
