#!/bin/sh
# make_handoff.sh [--unchecked] BUILD_DIR [OUT_DIR]: makes the hand-off package, a folder and its tarball.
#
# Collects the files that a hardware team needs without this repository, makes the golden vectors, and lets a copy
# of the package in another folder check itself (check.sh). check.sh must also refuse a copy with a broken line.
# Long reports (coverage, mutation, formal, synthesis, timing) are those that make_reports.sh left in BUILD_DIR/reports;
# reports/MISSING lists missing ones. --unchecked: makes only the folder, within seconds.
set -eu
unchecked=
[ "${1:-}" != --unchecked ] || { unchecked=yes; shift; }
[ $# -ge 1 ] && [ -d "$1" ] || { echo "usage: make_handoff.sh [--unchecked] BUILD_DIR [OUT_DIR]" >&2; exit 2; }
root=$(cd "$(dirname "$0")/../.." && pwd)
begin=$(date +%s)
build=$(cd "$1" && pwd)
out=${2:-$build/handoff}/dcc_handoff
cosim=$build/tests/cosim
cosim_sources=$root/tests/cosim
rate_vectors=$cosim/rate_lut/rate_vectors
wheel_vectors=$cosim/wheel/wheel_vectors
controller_vectors=$cosim/controller/controller_vectors
nic_bench=$cosim/nic_app/nic_app_bench
for program in "$rate_vectors" "$wheel_vectors" "$controller_vectors" "$nic_bench"; do
  [ -x "$program" ] || { echo "make_handoff.sh: build $(basename "$program") first" >&2; exit 2; }
done
for tool in xmllint ${unchecked:-verilator yosys iverilog sta}; do
  [ $tool = yes ] || command -v $tool >/dev/null ||
    { echo "make_handoff.sh: $tool is not installed" >&2; exit 2; }
done

# copy_with_headers FOLDER SOURCE…: copies sources, which are named from models/core, and the headers of models/core, sw
# and the registers that these sources include.
generated=$build/generated
copy_with_headers() {
  folder=$1
  shift
  cd "$root/models/core"
  files=$(g++ -std=c++17 -MM -I. -I../../sw -I"$generated" -I../../rtl/golden "$@")
  printf '%s\n' "$files" | tr ' \\' '\n\n' | grep '\.\(h\|cpp\|c\)$' | grep -v rtl/golden | sort -u |
    while read -r file; do
      place=${file#../../sw/}
      place=$folder/${place#"$generated/"}
      mkdir -p "$(dirname "$place")"
      cp "$file" "$place"
    done
  cd - >/dev/null
}

rm -rf "$out"
for folder in doc registers constraints vectors reports lint sva golden/model; do mkdir -p "$out/$folder"; done
out=$(cd "$out" && pwd)

# Copies the RTL in its folders, and the list of files in order of compilation.
sed 's|^|rtl/|' "$root/rtl/controller/files.f" >"$out/files.f"
while read -r file; do
  mkdir -p "$out/rtl/$(dirname "$file")"
  cp "$root/rtl/$file" "$out/rtl/$file"
done <"$root/rtl/controller/files.f"
# The pacer is a block of its own with its own list of files.
sed 's|^|rtl/|' "$root/rtl/pacer/files.f" >"$out/pacer.f"
mkdir -p "$out/rtl/pacer/rtl" "$out/sva/pacer"
cp "$root"/rtl/pacer/rtl/*.sv "$out/rtl/pacer/rtl"
cp "$root"/rtl/pacer/sva/*.sv "$out/sva/pacer"
# The application block of a NIC is a block of its own, too, and contains all other blocks.
mkdir -p "$out/rtl/nic/rtl" "$out/rtl/packet/rtl" "$out/sva/nic" "$out/nic"
(cd "$root/rtl" && cat controller/files.f packet/files.f pacer/files.f nic/files.f) |
  awk '!seen[$0]++ {print "rtl/" $0}' >"$out/nic.f"
cp "$root"/rtl/nic/rtl/*.sv "$out/rtl/nic/rtl"
cp "$root"/rtl/packet/rtl/*.sv "$out/rtl/packet/rtl"
cp "$root"/rtl/nic/sva/*.sv "$root"/rtl/packet/sva/*.sv "$out/sva/nic"
cp "$root"/rtl/timing_wheel/sva/*.sv "$root"/rtl/rate_lut/sva/*.sv "$root"/rtl/controller/sva/*.sv "$out/sva"
sed "s|^rtl/|$root/rtl/|" "$out/nic.f" | xargs "$root/rtl/handoff/reset_assertions.py" "$out/sva/resets"
for block in timing_wheel rate_lut controller pacer packet nic; do
  cp "$root/rtl/$block/lint/waivers.vlt" "$out/lint/$block.vlt"
done
cp "$root/rtl/controller/lint/illegal.sh" "$root/rtl/controller/lint/parameters.txt" "$out/lint"

# Copies the package's documents and register files.
cp "$root/rtl/handoff/README.md" "$root/rtl/handoff/CHANGES.md" "$out"
cp "$root/docs/controller-contract.md" "$out/doc/controller_contract.md"
cp "$root/rtl/controller/README.md" "$out/doc/controller.md"
cp "$root/rtl/timing_wheel/doc/theory.md" "$out/doc/timing_wheel.md"
cp "$root/rtl/rate_lut/doc/theory.md" "$out/doc/rate_unit.md"
cp "$root/rtl/pacer/doc/contract.md" "$out/doc/pacer.md"
cp "$root/rtl/nic/doc/contract.md" "$out/doc/nic_block.md"
cp "$root/rtl/packet/doc/contract.md" "$out/doc/packet.md"
[ ! -f "$root/rtl/timing_wheel/doc/testplan.md" ] ||
  cp "$root/rtl/timing_wheel/doc/testplan.md" "$out/doc/timing_wheel_testplan.md"
cp "$root/rtl/regs/README.md" "$out/doc/register_block.md"
cp "$root/docs/driver.md" "$out/doc/programmers_guide.md"
cp "$root/docs/formats.md" "$out/doc/formats.md"
cp "$root"/rtl/controller/doc/*.md "$out/doc"
cp "$root/LICENSE" "$out"
cp "$root/docs/registers/dcc.md" "$generated/driver/dcc_regs.h" "$out/registers"
cp "$root/rtl/regs/generated/dcc_regs_pkg.sv" "$out/registers"
"$root/python/tool.py" regtool --forms "$out/registers" "$root/rtl/regs/dcc.yaml"
xmllint --noout "$out/registers/dcc.xml" "$out/registers/dcc.svd"
cp "$root/rtl/handoff/dcc_top.sdc" "$root/rtl/controller/upf/dcc_top.upf" "$out/constraints"
(cd "$root/rtl" && "$root/python/tool.py" interface-tables controller/rtl/dcc_top.sv \
  timing_wheel/rtl/timing_wheel.sv rate_lut/rtl/rate_unit.sv common/ram_1r1w_array.sv) \
  >"$out/doc/interfaces.md"

# Makes the golden vectors and copies their testbenches.
"$rate_vectors" 200 1 >"$out/vectors/rate_unit.vec"
"$wheel_vectors" 2000 1 >"$out/vectors/timing_wheel.vec"
"$controller_vectors" >"$out/vectors/controller.vec"
"$root/rtl/handoff/register_vectors.py" "$root/docs/registers/dcc.md" >"$out/vectors/registers.vec"
"$root/rtl/handoff/register_vectors.py" "$root/docs/registers/dcc.md" --inside >"$out/vectors/registers_inside.vec"
"$controller_vectors" 1500 3 33 >"$out/vectors/latency33.vec"
"$controller_vectors" 3000 11 48 crowded >"$out/vectors/crowded.vec"
"$nic_bench" --vectors "$out/vectors/nic_block.vec"
"$root/rtl/handoff/register_vectors.py" "$root/docs/registers/dcc.md" --secded >"$out/vectors/registers_secded.vec"
"$root/rtl/handoff/register_vectors.py" "$root/docs/registers/dcc.md" --rebuild >"$out/vectors/registers_rebuild.vec"
cp "$root"/rtl/handoff/tb_*.v "$root/rtl/handoff/answers_dut.sv" "$out/vectors"
{
  echo '# Golden vectors'
  echo
  echo 'What each file contains, from the programs that write them; these programs are in the repository.'
  for vectors in 'whole block/controller/controller_vectors' 'rate unit/rate_lut/rate_vectors' 'wheel/wheel/wheel_vectors'; do
    printf '\n## Vectors of the %s\n' "${vectors%%/*}"
    sed -n '/^\/\/ Writes golden/,/^#include/{/^#include/!s|^// \{0,1\}||p}' "$cosim_sources/${vectors#*/}.cpp"
  done
  printf '\n## Vectors of the application block\n'
  sed -n '/^\/\/\/ Writes the pins/,/^class/{/^class/!s|^/// \{0,1\}||p}' "$cosim_sources/nic_app/vector_writer.h"
  printf '\n## Vectors of the registers\n'
  sed -n '/^"""Writes/,/^"""$/{/^"""$/!{s/^"""//;p}}' "$root/rtl/handoff/register_vectors.py"
} >"$out/vectors/README.md"
for pins in rate_lut/rate_dut timing_wheel/timing_wheel_dut controller/controller_dut pacer/pacer_dut; do
  cp "$root/rtl/verilated/$pins.sv" "$out/vectors"
done

# Copies the golden model: its interface, the sources that its makefile names, and the headers that these sources
# include.
cp "$root"/rtl/golden/* "$out/golden"
sources=$(make -s -C "$out/golden" sources | sed "s|registers/generated/|$generated/&|g")
# shellcheck disable=SC2086
copy_with_headers "$out/golden/model" $sources ../../rtl/golden/dcc_golden.cpp

# Copies the bench of the NIC's application block: its sources, and the driver and headers that these sources
# include.
cp "$cosim_sources"/nic_app/*.h "$cosim_sources"/nic_app/*.cpp "$root/rtl/verilated/single_thread_context.h" "$out/nic"
cp "$root/rtl/handoff/nic_bench.mk" "$out/nic/Makefile"
cp -r "$root/rtl/handoff/crc" "$out/nic"
copy_with_headers "$out/nic" wire/roce_headers.cpp ../../sw/driver/dcc_driver.c ../../sw/driver/dcc_tables.c

# Copies the benches of single blocks of pacer and NIC.
units=$out/units
mkdir -p "$units/packet" "$units/secded" "$units/cuckoo" "$units/model" "$units/gtest"
cp "$cosim_sources"/packet/*.h "$cosim_sources"/packet/*.cpp "$units/packet"
cp "$cosim_sources"/secded/lost_bits.h "$units/secded"
cp "$cosim_sources"/controller/flow_cuckoo_test.cpp "$units/cuckoo"
for test in packet pacer queues app_regs; do cp "$cosim_sources/secded/${test}_secded_test.cpp" "$units/secded"; done
cp "$cosim_sources/block_pins.h" "$cosim_sources/turned_bits.h" "$root/rtl/verilated/single_thread_context.h" \
  "$root/rtl/verilated/memories.vlt" "$root/rtl/verilated/flow_cuckoo.vlt" "$units"
cp "$root/rtl/handoff/gtest/"* "$units/gtest"
cp "$root/rtl/handoff/unit_benches.mk" "$units/Makefile"
copy_with_headers "$units/model" nic/notification_point.h

cp "$root/rtl/handoff/check_package.sh" "$out/check.sh"
cp "$root/rtl/handoff/registered_ports.py" "$root/rtl/handoff/verilated.sh" "$out"
"$root/python/tool.py" component "$out"
xmllint --noout "$out/dcc_top.xml"
"$root/python/tool.py" package-links "$root" "$out"
"$root/python/tool.py" stamp-license "$out"
if [ -n "$unchecked" ]; then
  echo "hand-off package, not checked: $out"
  exit
fi

# Checks a copy of the package in a place without files of this repository.
alone=$(mktemp -d)
trap 'rm -rf "$alone"' EXIT
cp -r "$out" "$alone/package"
(cd / && "$alone/package/check.sh" "$alone/dcc_top.json")
cp "$alone/package/reports/"* "$out/reports"
cp "$alone/package/vectors/"*_dut.v "$out/vectors"  # rate unit and timing wheel in plain Verilog
# The check itself is tested: check.sh must refuse a broken line (ctest -R handoff_broken tries many).
"$root/tests/handoff/broken_lines.py" "$out" --only rate_unit
"$root/python/tool.py" ram-list "$alone/dcc_top.json" >"$out/doc/rams.md"

cd "$out"
"$root/rtl/handoff/check_sdc.sh" "$build/constraints" >reports/constraints.log ||
  { cat reports/constraints.log; exit 1; }

# Copies the reports that other commands have made.
: >reports/MISSING
for report in synthesis.txt timing.txt coverage.txt controller.txt mutation.txt formal.txt; do
  if [ -f "$build/reports/$report" ]; then
    cp "$build/reports/$report" reports
  else
    echo "$report: not made before this package was" >>reports/MISSING
  fi
done
[ -s reports/MISSING ] || rm reports/MISSING

"$root/python/tool.py" stamp-license "$out"
tar -C "$(dirname "$out")" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner \
  -czf "$out.tar.gz" "$(basename "$out")"
echo "hand-off package: $out and $out.tar.gz, $(($(date +%s) - begin)) s"
[ ! -f reports/MISSING ] || { echo "not in it:"; cat reports/MISSING; }
