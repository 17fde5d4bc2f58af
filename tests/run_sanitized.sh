#!/bin/sh
# Address and undefined-behaviour sanitizers over what carries the risk: the unit tests, the tests of
# configurations and the coverage-guided targets from their seeds. With --full also the checks of every
# pointer (DCCVP_SANITIZE_ACCESSES) and shipped configurations, shortened, which must end as in the release
# build, byte for byte (from another compiler, at that): the whole program has to be compiled for them, two
# minutes.
set -eu
full=
accesses=OFF
case "$#:${1-}" in
  0:) ;;
  1:--full) full=dccvp accesses=ON ;;
  *) echo "usage: run_sanitized.sh [--full]" >&2; exit 2 ;;
esac
cd "$(dirname "$0")/.."
cmake --preset sanitize -DDCCVP_TESTS=ON -DDCCVP_SANITIZE_ACCESSES=$accesses >/dev/null
# shellcheck disable=SC2086
ninja -C build-sanitize sanitized_tests guided $full
# The reader's random texts are fewer here, with a coverage-guided target beside them.
[ -n "$full" ] || export DCC_FUZZ_ROUNDS=3000
ctest --test-dir build-sanitize -L 'unit|config|guided' -j "$(nproc)" --output-on-failure
[ -n "$full" ] || exit 0
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
status=0
for config in demo incast_8x25g thousand_flows table_full rdma_write reproduce/fbhadoop_hpcc; do
  case $config in
    rdma_write) limits="" ;;
    reproduce/*) limits="-c duration=200us --threads 2" ;;
    *) limits="-c duration=3ms -c measure.from=1ms -c measure.to=3ms -c expect=[]" ;;
  esac
  for build in build build-sanitize; do
    # shellcheck disable=SC2086
    $build/dccvp run configs/$config.yaml $limits --no-plots --quiet --out "$out/$build-$config" >/dev/null
    /usr/bin/python3 tests/system/strip_wall_clock.py "$out/$build-$config/metrics.json" >"$out/$build-$config.json"
  done
  if cmp "$out/build-$config.json" "$out/build-sanitize-$config.json"; then
    echo "sanitized $config: same as release"
  else
    status=1
  fi
done
exit $status
