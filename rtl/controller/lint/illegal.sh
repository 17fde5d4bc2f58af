#!/bin/sh
# illegal.sh some|full VERILATOR YOSYS [IVERILOG], in rtl/: each tool refuses to elaborate a block (the controller, its
# wheel and rate unit, the pacer, the blocks of packets, the NIC's block) with a parameter outside its range, with a
# message that names the parameter, and accepts the smallest and greatest legal parameters. The script skips a
# tool that is missing or does not read the sources (Icarus before 12); `some` tries a few parameters with Verilator
# only.
set -eu
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
failed=0

waivers="pacer/lint/waivers.vlt nic/lint/waivers.vlt"

sources_of() {  # sources_of BLOCK: its sources
  case $1 in
  dcc_top | rate_unit) cat controller/files.f ;;
  timing_wheel) grep -E '^(timing_wheel|common|secded)/' controller/files.f ;;
  dc_pacer) cat pacer/files.f ;;
  dcc_app_block) cat controller/files.f packet/files.f pacer/files.f nic/files.f | awk '!seen[$0]++' ;;
  *) cat packet/files.f ;;
  esac
}
in_icarus() { "$iverilog" -g2012 -o "$work/out" "$@" >"$work/log" 2>&1; }

# try VERDICT BLOCK NAME=VALUE... : expects the verdict (legal or illegal) of every tool on these parameters. The message
# about illegal parameters names the first one (yosys names its place only).
try() {
  verdict=$1 top=$2
  shift 2
  sources=$(sources_of "$top")
  for tool in "$verilator" "$yosys" "$iverilog"; do
    case $tool in
    *verilator*)
      "$tool" --lint-only --top-module "$top" $(printf ' -G%s' "$@") $waivers $sources >"$work/log" 2>&1 &&
        said=legal || said=illegal ;;
    *yosys*)
      set_all=$(printf '%s ' "$@" | sed 's/\([A-Za-z_]*\)=\([0-9]*\) /-set \1 \2 /g')
      "$tool" -q -p "read_verilog -sv $(echo $sources); chparam $set_all $top; hierarchy -check -top $top" \
        >"$work/log" 2>&1 && said=legal || said=illegal ;;
    *iverilog*)
      in_icarus -s "$top" $sources || continue
      in_icarus -s "$top" $(printf " -P$top.%s" "$@") $sources && said=legal || said=illegal ;;
    *) continue ;;
    esac
    if [ $said = illegal ]; then
      case $tool in
      *yosys*) grep -q 'FATAL\|ERROR' "$work/log" ;;  # yosys tells place and not message
      *) grep ' must ' "$work/log" | grep -q "${1%=*}" ;;
      esac || said="illegal, without its reason"
    fi
    if [ "$said" != "$verdict" ]; then
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
  try illegal dcc_top Slots=32
  try illegal dcc_top FlowW=26
  try illegal dcc_top Latency=300
  try illegal dcc_top CnpDepth=3
  try illegal dc_pacer Flows=32768 Width=128
  try illegal dc_pacer Secded=2
  try illegal dc_notifier Flows=3
  exit $failed
fi

try legal dcc_top Slots=64 FlowW=6 Latency=32 CnpDepth=2
try legal dcc_top Slots=16384 FlowW=24 SparseFlows=1 Latency=255
for slots in 0 32 63 65 1000 16383 32768; do try illegal dcc_top Slots=$slots FlowW=16; done
try illegal dcc_top FlowW=9
try illegal dcc_top FlowW=25
try illegal dcc_top SparseFlows=2
try illegal dcc_top Secded=2
try illegal dcc_top Rebuild=2
try illegal dcc_top Rebuild=1 SparseFlows=1
try illegal dcc_top Latency=31
try illegal dcc_top Latency=256
try illegal dcc_top CnpDepth=3
try illegal dcc_top CommandDepth=1
try illegal dcc_top BytesDepth=48
try legal timing_wheel NumTimers=64
for timers in 0 32 63 100; do try illegal timing_wheel NumTimers=$timers; done
try illegal timing_wheel WordBits=1
try illegal timing_wheel TopBits=1
try illegal timing_wheel MiddleBits=0
try illegal timing_wheel LastBits=0
try illegal timing_wheel TimeW=16
try illegal timing_wheel Secded=2
try illegal rate_unit Secded=2
try legal dc_pacer Flows=4 Width=2 Depth=2
try legal dc_pacer Flows=16384 Width=128
for flows in 0 2 1000 32768; do try illegal dc_pacer Flows=$flows Width=2; done
for width in 0 1 3 1024; do try illegal dc_pacer Width=$width; done
for depth in 0 1 3; do try illegal dc_pacer Depth=$depth; done
try illegal dc_pacer Secded=2
for block in dc_parser dc_sent dc_notifier; do
  try legal $block Flows=2
  for flows in 0 1 1023 33554432; do try illegal $block Flows=$flows; done
  try illegal $block Secded=2
done
try illegal dc_notifier Depth=3
try legal dcc_app_block Flows=64
try legal dcc_app_block Flows=4096 Width=64
for flows in 0 32 63 8192; do try illegal dcc_app_block Flows=$flows; done
try illegal dcc_app_block Slots=32
try illegal dcc_app_block Slots=128
try illegal dcc_app_block MaxBeats=256
try illegal dcc_app_block ClockMhz=0
try illegal dcc_app_block ClockMhz=2048
try illegal dcc_app_block AXIL_APP_CTRL_DATA_WIDTH=64
try illegal dcc_app_block AXIL_APP_CTRL_ADDR_WIDTH=20
try illegal dcc_app_block AXIS_SYNC_DATA_WIDTH=256
try illegal dcc_app_block AXIS_IF_TX_ID_WIDTH=5
try illegal dcc_app_block AXIS_IF_TX_DEST_WIDTH=3
try illegal dcc_app_block APP_GPIO_IN_WIDTH=7
try illegal dcc_app_block APP_GPIO_OUT_WIDTH=1
exit $failed
