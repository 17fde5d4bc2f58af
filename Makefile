# One word for each thing a newcomer wants. Every target installs what it needs (as root or through
# sudo) and may be run from a fresh clone.
JOBS ?= $(shell nproc)
BUILD := build
CMAKE_FLAGS ?=
# One job more than processors, or a long unit that begins last keeps one processor busy and the others idle.
NINJA := ninja -C $(BUILD) -j $(shell expr $(JOBS) + 1)

# A tree that was copied or moved as it was built: CMake refuses a cache that names another place.
.PHONY: own-cache
own-cache:
	@if [ -f $(BUILD)/CMakeCache.txt ] && \
	  ! grep -q '^CMAKE_HOME_DIRECTORY:INTERNAL=$(CURDIR)$$' $(BUILD)/CMakeCache.txt; then \
	  rm -rf $(BUILD)/CMakeCache.txt $(BUILD)/CMakeFiles; fi

.PHONY: run program firmware rtl install deb fast docs test handoff test-full build scale software-cost deps deps-firmware deps-rtl deps-deb deps-test deps-docs deps-handoff format lint bench clean

# The program alone. A new folder is compiled once as a whole, so in few units of many files.
PROGRAM := cmake --preset release -DDCCVP_TESTS=OFF -DDCCVP_RTL=OFF -DDCCVP_FIRMWARE=OFF
IS_FOLDER = test -f $(BUILD)/build.ninja -a -f $(BUILD)/CMakeCache.txt
# Configures a new build folder. An existing folder keeps its settings, but gets all schemes.
NEW_FOLDER = $(IS_FOLDER) || $(PROGRAM) -DDCCVP_UNITY=40 $(CMAKE_FLAGS)
ALL_SCHEMES = cmake --preset release -DDCCVP_SCHEMES=ON $(CMAKE_FLAGS)

# Says what a folder with few schemes lacks.
SAY_LEFT_OUT = @grep -q '^DCCVP_SCHEMES:[A-Z]*=ON$$' $(BUILD)/CMakeCache.txt || \
  echo "$(BUILD)/dccvp has few schemes (`sed -n 's/^DCCVP_SCHEMES:.*=//p' $(BUILD)/CMakeCache.txt`); 'make program' adds all others"

## run: build what the demo needs, run it, say where report and pictures are (under ten minutes). In a new
## folder the program has the controller's own algorithms and DCQCN; every other target adds the rest
run: deps own-cache
	if $(IS_FOLDER); then $(PROGRAM) $(CMAKE_FLAGS); else \
	  $(PROGRAM) -DDCCVP_UNITY=40 -DDCCVP_SCHEMES=dcqcn $(CMAKE_FLAGS); fi
	$(NINJA) dccvp
	$(BUILD)/dccvp run configs/demo.yaml --out out/demo --force
	$(BUILD)/dccvp run configs/patent.yaml --out out/patent --force
	$(BUILD)/dccvp report out/demo out/patent -o out/demo/report.html
	@echo "Pictures: out/demo/*.png"
	$(SAY_LEFT_OUT)

## program: the program with every scheme (what 'make run' leaves out, some minutes more)
program: deps own-cache
	$(NEW_FOLDER)
	$(ALL_SCHEMES)
	$(NINJA) dccvp

## firmware: the program and the RISC-V programs of firmware/, in build/firmware. In a new folder the
## program has few of models/schemes; every target but 'run' adds the rest
firmware: deps-firmware own-cache
	if $(IS_FOLDER); then cmake --preset release -DDCCVP_FIRMWARE=ON $(CMAKE_FLAGS); else \
	  $(PROGRAM) -DDCCVP_FIRMWARE=ON -DDCCVP_UNITY=40 "-DDCCVP_SCHEMES=dcc;dcqcn;hpcc;program" $(CMAKE_FLAGS); fi
	$(NINJA) dccvp firmware
	$(SAY_LEFT_OUT)

## rtl: the program with the verilated RTL in it
rtl: deps-rtl own-cache
	$(NEW_FOLDER)
	$(ALL_SCHEMES) -DDCCVP_RTL=ON
	$(NINJA) dccvp

## install: program, libraries, headers and examples below PREFIX, from where they may be moved
PREFIX ?= /usr/local
install: deps own-cache
	$(NEW_FOLDER)
	$(ALL_SCHEMES)
	$(NINJA) dccvp
	cmake --install $(BUILD) --prefix $(PREFIX)

## deb: a Debian package of the same, in build/package
deb: deps-deb own-cache
	$(NEW_FOLDER)
	$(ALL_SCHEMES)
	$(NINJA) dccvp
	cd $(BUILD) && cpack -B package

## fast: the program for long runs, in build-fast/dccvp: compiled by what it does in training runs,
## and checked to leave the bytes it left in them. What works for every packet is compiled twice.
FAST := build-fast
fast: deps
	cmake --preset fast-train $(CMAKE_FLAGS)
	ninja -C $(FAST) -j $(JOBS) dccvp
	cmake/train.sh $(FAST)
	cmake --preset fast $(CMAKE_FLAGS)
	ninja -C $(FAST) -j $(JOBS) dccvp
	cmake/train.sh $(FAST) check

## docs: the documentation as a site, its reference generated from the program
docs: deps deps-docs own-cache
	$(NEW_FOLDER)
	$(ALL_SCHEMES)
	$(NINJA) dccvp
	python/tool.py site $(BUILD)/dccvp $(BUILD)/site

## build: everything, with RTL, firmware and tests
RELEASE := cmake --preset release -DDCCVP_TESTS=ON -DDCCVP_RTL=ON -DDCCVP_FIRMWARE=ON -DDCCVP_SCHEMES=ON
build: deps deps-test own-cache
	$(RELEASE) -DDCCVP_UNIT_TESTS=ON $(CMAKE_FLAGS)
	$(NINJA)

## test: what CI runs (on two cores fourteen to thirty minutes with an empty compiler cache)
test: deps deps-test own-cache
	$(IS_FOLDER) || $(RELEASE) -DDCCVP_UNIT_TESTS=OFF -DDCCVP_UNITY=40 $(CMAKE_FLAGS)
	$(RELEASE) -DDCCVP_UNIT_TESTS=OFF $(CMAKE_FLAGS)
	$(NINJA)
	tests/run_checks.sh
	ctest --test-dir $(BUILD) -LE full -j $(JOBS) --output-on-failure
	tests/say_skipped.sh $(BUILD)

## test-full: the long campaigns as well, and the netlists of the RTL
test-full: test
	$(RELEASE) -DDCCVP_UNIT_TESTS=ON -DDCCVP_NETLIST=ON $(CMAKE_FLAGS)
	$(NINJA) all benchmarks
	ctest --test-dir $(BUILD) -L 'unit|config' -LE full -j $(JOBS) --output-on-failure
	ctest --test-dir $(BUILD) -R 'netlist|rate_dut|regs_rtl' -LE full --output-on-failure
	tests/run_tidy.sh
	tests/run_sanitized.sh --full
	DCC_EVIDENCE=always ctest --test-dir $(BUILD) -L evidence -LE 'full|sanitized' -j $(JOBS) --output-on-failure
	ctest --test-dir $(BUILD) -L full --output-on-failure
	for target in $$(ls tests/fuzz/guided/corpus); do \
	  tests/fuzz/guided/campaign.sh build-sanitize $$target || exit 1; done

deps:
	cmake/install_packages.sh run

deps-firmware:
	cmake/install_packages.sh firmware

deps-rtl:
	cmake/install_packages.sh rtl

deps-deb:
	cmake/install_packages.sh deb

deps-test:
	cmake/install_packages.sh test

deps-docs:
	cmake/install_packages.sh docs

deps-handoff:
	cmake/install_packages.sh handoff

## handoff: the package for a hardware team, in build/handoff (its reports take an hour, once;
## REPORTS= leaves out those that are not there yet)
REPORTS ?= mutation controller formal synthesis timing coverage
handoff: build deps-handoff
	$(NINJA) rate_vectors wheel_vectors controller_vectors nic_app_bench
	$(if $(strip $(REPORTS)),rtl/handoff/make_reports.sh $(BUILD) $(REPORTS))
	rtl/handoff/make_handoff.sh $(BUILD)

## bench: speed of the whole and of its parts
bench: build
	$(NINJA) benchmarks
	tests/bench/run_bench.sh $(BUILD)

## scale: what networks of 320 to 65 536 hosts cost, into docs/scale.md and configs/training_memo.md (three quarters of an hour)
scale: build
	tests/bench/scale.py $(BUILD)/dccvp --rounds 2 --page docs/scale.md
	tests/bench/scale.py $(BUILD)/dccvp --hosts 65536 --threads 1 --whole dcqcn,dcc --page docs/scale.md
	tests/bench/scale.py $(BUILD)/dccvp --idle dcqcn,dcc --page docs/scale.md
	tests/bench/scale.py $(BUILD)/dccvp --flows 1000000,10000000 --page docs/scale.md
	tests/bench/scale.py $(BUILD)/dccvp --schemes --page docs/scale.md
	tests/bench/fast_forward.py $(BUILD)/dccvp --seeds 1,2 --page docs/scale.md
	tests/bench/memo_rounds.py $(BUILD)/dccvp --page configs/training_memo.md
	tests/bench/memo.py $(BUILD)/dccvp --page configs/training_memo.md

## software-cost: speed of the host CPU, cost of snapshots and branches, into build/software-cost.md
software-cost: build
	tests/bench/software.py $(BUILD)/dccvp $(BUILD)/firmware --page $(BUILD)/software-cost.md

format:
	git ls-files '*.h' '*.cpp' '*.c' | xargs clang-format -i

lint:
	tests/run_checks.sh

clean:
	rm -rf build $(FAST) build-debug build-sanitize build-coverage
