#!/bin/sh
# illegal.sh some|full VERILATOR [YOSYS [IVERILOG]], in rtl/ or in a hand-off package: each tool refuses to elaborate a
# module with a parameter outside its range, by the module's own check and with a message that names the parameter, and
# accepts the smallest and greatest legal parameters. The sets of parameters are those of parameters.txt beside this
# script; `some` tries the first of each module with Verilator alone. The script skips a tool that is missing or does
# not read the sources (Icarus before 12). Prints what each tool did, then a count; exit status 1 after another verdict
# than the list's.
set -eu
list=$(dirname "$0")/parameters.txt
given() { case ${1:-} in *NOTFOUND | "") echo none ;; *) echo "$1" ;; esac }
sets=$1 verilator=$(given "${2:-}") yosys=$(given "${3:-}") iverilog=$(given "${4:-}")
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

if [ -f nic.f ]; then  # The NIC's block contains all other blocks.
  sources=$(cat nic.f) waivers=lint/*.vlt
else
  sources=$(cat controller/files.f packet/files.f pacer/files.f nic/files.f | awk '!seen[$0]++')
  waivers='*/lint/waivers.vlt'
fi
# Verilator takes packages as files, and looks for modules by name in the folders: it reads a part of the sources faster.
packages=$(printf '%s\n' $sources | grep _pkg)
folders=$(dirname $sources | sort -u | sed 's/^/-y /')
in_icarus() { "$iverilog" -g2012 -o "$work/out" "$@" >"$work/log" 2>&1; }
[ "$iverilog" = none ] || in_icarus -s dcc_app_block $sources || iverilog=none

# elaborated TOOL MODULE NAME=VALUE...: the tool's exit status; what it says is in $work/log.
elaborated() {
  tool=$1 top=$2
  shift 2
  case $tool in
  verilator) "$verilator" --lint-only --top-module "$top" $(printf ' -G%s' "$@") $waivers $folders $packages \
    $(printf '%s\n' $sources | grep "/$top\.sv\$") >"$work/log" 2>&1 ;;
  yosys)
    set_all=$(printf '%s ' "$@" | sed 's/\([A-Za-z_]*\)=\([0-9]*\) /-set \1 \2 /g')
    "$yosys" -q -p "read_verilog -sv $(echo $sources); chparam $set_all $top; hierarchy -check -top $top" \
      >"$work/log" 2>&1 ;;
  iverilog) in_icarus -s "$top" $(printf " -P$top.%s" "$@") $sources ;;
  esac
}
# by_name TOOL MODULE NAME: what refused is a check of this module, or of a part on its behalf, and its message names the
# parameter (yosys tells places alone).
by_name() {
  case $1 in
  verilator) grep -q "USERFATAL.*\<$2: .*\<$3\>" "$work/log" ;;
  yosys) grep -q 'FATAL\|ERROR' "$work/log" ;;
  iverilog) grep -q "\<$2: .*\<$3\>" "$work/log" ;;
  esac
}

failed=0 seen=' '
while read -r expected module names; do
  case $expected in '#'*) continue ;; esac
  tools='verilator yosys iverilog'
  if [ "$sets" = some ]; then
    case $seen in *" $module "*) continue ;; esac
    seen="$seen$module " tools=verilator
  fi
  for tool in $tools; do
    eval "[ \"\$$tool\" != none ]" || continue
    # shellcheck disable=SC2086
    elaborated $tool "$module" $names </dev/null && said=accepted || said=refused
    [ $said = accepted ] || by_name $tool "$module" "${names%%=*}" || said="refused, without its reason"
    echo "$tool: $module $names: $said" | tee -a "$work/said"
    if [ "$said" != "$expected" ]; then
      echo "must be $expected: $tool: $module $names: $said"
      tail -3 "$work/log"
      failed=1
    fi
  done
done <"$list"
echo "parameters: $(grep -c 'refused$' "$work/said") times refused, $(grep -c 'accepted$' "$work/said") times accepted"
exit $failed
