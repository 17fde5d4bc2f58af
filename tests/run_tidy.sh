#!/bin/sh
# Runs clang-tidy (.clang-tidy) on all of models, vp and sw with their headers. It reads the sanitized build's
# compile_commands.json, where several files are compiled as one, so that every header is read once per eight files.
# The analyser must be told to follow paths in included files. Nothing must be compiled first.
set -eu
cd "$(dirname "$0")/.."
command -v clang-tidy >/dev/null || { echo "clang-tidy is not installed: make deps-test"; exit 1; }
cmake --preset sanitize -DDCCVP_TESTS=ON >/dev/null
files=$(sed -n 's/^ *"file": "\(.*\)"$/\1/p' build-sanitize/compile_commands.json |
  sed "s|^$PWD/||" | grep -E '^(sw/|build-sanitize/(models|vp)/)' | sort -u)
for folder in sw models/core models/core/riscv models/tlm vp; do
  if ! printf '%s\n' "$files" | grep -q "$folder/"; then
    echo "clang-tidy: no files of $folder in build-sanitize/compile_commands.json"
    exit 1
  fi
done
said=$(mktemp)
trap 'rm -f "$said"' EXIT
status=0
printf '%s\n' "$files" | xargs -P "$(nproc)" -n 1 clang-tidy --quiet -p build-sanitize \
  --extra-arg=-Xclang --extra-arg=-analyzer-opt-analyze-headers >"$said" 2>/dev/null || status=1
# Prints a warning once, although clang-tidy repeats it for every file that includes the header.
awk '/: (error|warning): / { show = !seen[$0]++ } show' "$said"
exit $status
