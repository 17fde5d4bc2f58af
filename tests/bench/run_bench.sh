#!/bin/sh
# Measures the speed of whole runs and of single blocks. Usage: run_bench.sh BUILD. The script repeats whole runs and
# prints the median. On a machine with other load only ratios of its figures are meaningful.
set -eu
build=$1
cd "$(dirname "$0")/../.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

echo "link traversals a second, median of 5 (configs/incast_32x100g.yaml):"
for algorithm in dcc dcqcn none; do
  for i in 1 2 3 4 5; do
    "$build"/dccvp run configs/incast_32x100g.yaml --quiet --no-plots --force --out "$out/run" \
      -c nic.congestion_control.algorithm=$algorithm >/dev/null
    /usr/bin/python3 -c 'import json, sys
print(json.load(open(sys.argv[1]))["speed"]["link_traversals_per_s"])' "$out/run/metrics.json"
  done | sort -n | sed -n 3p | awk -v a=$algorithm '{printf "  %-6s %.2f M/s\n", a, $1 / 1e6}'
done
if [ -e "$build/firmware/test_speed.elf" ]; then
  echo "host CPU in the platform, median of 5:"
  for program in speed speed_memory; do
    for i in 1 2 3 4 5; do
      "$build"/dccvp run-elf "$build/firmware/test_$program.elf" | sed -n 's/.*, \(.*\) MIPS$/\1/p'
    done | sort -n | sed -n 3p | awk -v p=$program '{printf "  %-12s %.0f MIPS\n", p, $1}'
  done
fi
echo "memory of a 9-host star with drivers (configs/demo.yaml):"
/usr/bin/python3 - "$build" "$out" <<'PY'
import resource, subprocess, sys
subprocess.run([f"{sys.argv[1]}/dccvp", "run", "configs/demo.yaml", "--quiet", "--no-plots", "--force",
                "--out", f"{sys.argv[2]}/run"], check=True, stdout=subprocess.DEVNULL)
print(f"  {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024:.0f} MiB")
PY
for bench in "$build"/tests/bench/dccvp_bench_*; do
  [ -x "$bench" ] || continue
  echo "$(basename "$bench"):"
  "$bench" --benchmark_min_time=0.2 2>/dev/null | grep -v '^-'
done
