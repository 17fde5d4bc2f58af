#!/bin/sh
# Address and undefined-behaviour sanitizers over the platform: shipped configurations, shortened,
# must end as in the release build, byte for byte.
set -eu
cd "$(dirname "$0")/.."
# With the sanitizers the headers cost far more than the code that uses them: the files of a library
# are compiled together.
cmake --preset sanitize -DCMAKE_UNITY_BUILD=ON -DDCCVP_TESTS=OFF -DDCCVP_RTL=OFF -DDCCVP_FIRMWARE=OFF >/dev/null
ninja -C build-sanitize dccvp
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
