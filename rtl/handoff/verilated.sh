#!/bin/sh
# verilated.sh RUNTIME FOLDER OPTION ...: Verilator with these options writes C++ into FOLDER, and make compiles it there.
#
# The result is that of `verilator --build`, in less than half of the compiler's time. The compiler reads what Verilator
# wrote as two files, so it reads the headers twice instead of a dozen times: what runs in every cycle with -Og (-O1 and
# above compile longer than they save in runs as short as those of check.sh), the rest without optimisation. RUNTIME is
# a folder that several builds share, also side by side: the first one leaves the objects of Verilator's runtime library
# there. OBJCACHE, for example ccache, runs the compiler. FOLDER must not have a space in its path.
set -eu
mkdir -p "$1" "$2"
runtime=$(cd "$1" && pwd)
folder=$2
shift 2
verilator --cc --Mdir "$folder" -CFLAGS -DVL_TIME_CONTEXT "$@"
cd "$folder"
prefix=$(echo V*_classes.mk)
prefix=${prefix%_classes.mk}
listed() { sed -nE "/^VM_$1 /,/^\$/s/^[[:space:]]+([A-Za-z0-9_]+) .*/\1/p" "${prefix}_classes.mk"; }
for kind in FAST SLOW; do
  listed "(CLASSES|SUPPORT)_$kind" | sed 's/.*/#include "&.cpp"/' >"joined_$kind.new"
  cmp -s "joined_$kind.new" "joined_$kind.cpp" || cp "joined_$kind.new" "joined_$kind.cpp"
done
build() {
  make -f "$prefix.mk" VM_PARALLEL_BUILDS=1 VM_CLASSES_FAST=joined_FAST VM_CLASSES_SLOW=joined_SLOW VM_SUPPORT_FAST= \
    VM_SUPPORT_SLOW= OPT_FAST=-Og "$@"
}
{
  flock 9
  for object in $(listed 'GLOBAL_[A-Z]+'); do
    [ -f "$runtime/$object.o" ] || { build "$object.o"; cp "$object.o" "$runtime"; }
    # A copy that is newer than the makefile is not compiled again.
    # shellcheck disable=SC3013
    [ "$object.o" -nt "$prefix.mk" ] || cp "$runtime/$object.o" .
  done
} 9<"$runtime"
build
