#!/bin/sh
# Installs the Debian packages a target needs, and only those that are missing.
# Usage: install_packages.sh run|firmware|rtl|deb|docs|test|handoff [--list]
# --list: prints the packages and installs none.
set -eu

program="g++ cmake ninja-build pkg-config libsystemc-dev libyaml-cpp-dev libcli11-dev libfmt-dev
 nlohmann-json3-dev zlib1g-dev libdeflate-dev python3-yaml python3-jsonschema"
run="$program python3-matplotlib"
firmware="$program gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf gdb-multiarch"
rtl="$program verilator"
deb="$run dpkg-dev file"
docs="$run mkdocs mkdocs-material"
test="$docs dpkg-dev file libgtest-dev libgmock-dev libbenchmark-dev ccache verilator yosys berkeley-abc python3-z3 clang lld clang-format clang-tidy libclang-rt-14-dev
 gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf gdb-multiarch libunicorn-dev
 libopenmpi-dev openmpi-bin procps qemu-system-misc device-tree-compiler libxml2-utils tshark gtkwave snakemake zsh git chromium chromium-driver python3-selenium
 python3-pandas python3-venv python3-setuptools python3-wheel python3-nbconvert python3-ipykernel flake8 mypy"
handoff="$test iverilog lcov opensta fpga-icestorm nextpnr-ice40 qflow-tech-osu018"

case "${1:-}" in
  run) wanted=$run ;;
  firmware) wanted=$firmware ;;
  rtl) wanted=$rtl ;;
  deb) wanted=$deb ;;
  docs) wanted=$docs ;;
  test) wanted=$test ;;
  handoff) wanted=$handoff ;;
  *) echo "usage: $0 run|firmware|rtl|deb|docs|test|handoff [--list]" >&2; exit 2 ;;
esac
if [ "${2:-}" = --list ]; then
  # shellcheck disable=SC2086
  printf '%s\n' $wanted
  exit 0
fi

missing=""
for package in $wanted; do
  if ! dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed'; then
    missing="$missing $package"
  fi
done
[ -n "$missing" ] || exit 0

as_root=""
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "missing packages:$missing; install them as root, or install sudo" >&2
    exit 1
  fi
  as_root=sudo
fi
echo "installing:$missing"
$as_root apt-get update -qq
# tshark's package asks whether users may capture packets; no tool of the project captures packets, so the answer is
# no.
echo "wireshark-common wireshark-common/install-setuid boolean false" | $as_root debconf-set-selections || true
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null
