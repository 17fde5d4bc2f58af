# Builds a congestion-control program for the cores of a NIC. A makefile that includes this file sets PROGRAM (without
# .elf) and SOURCES; targets: `make`, `make run` with the configuration CONFIG.
DCCVP_FIRMWARE := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))
DCCVP ?= $(abspath $(DCCVP_FIRMWARE)/../../../bin/dccvp)
RISCV ?= riscv64-unknown-elf-
BUILD ?= build
CONFIG ?= platform.yaml

# In the older specification CSR instructions are part of I; gcc 12 has no libraries for rv32imc_zicsr.
ARCH := -march=rv32imc -misa-spec=2.2 -mabi=ilp32 --specs=picolibc.specs
CFLAGS ?= -O2 -g -Wall -Wextra
# added when a source is C++ (.cpp); no core runs constructors of global objects
CXXFLAGS ?= -std=c++17 -fno-exceptions -fno-rtti -fno-threadsafe-statics
PARTS := $(DCCVP_FIRMWARE)/program
ELF := $(BUILD)/$(PROGRAM).elf

all: $(ELF)

$(ELF): $(SOURCES) $(PARTS)/link.ld $(PARTS)/return.S $(PARTS)/dcc_program.h
	mkdir -p $(BUILD)
	$(RISCV)gcc $(ARCH) $(CFLAGS) $(if $(filter %.cpp,$(SOURCES)),$(CXXFLAGS)) -ffunction-sections \
	  -fdata-sections -I$(DCCVP_FIRMWARE) -nostartfiles \
	  -T $(PARTS)/link.ld -Wl,--gc-sections -Wl,-Map=$@.map $(PARTS)/return.S $(SOURCES) -o $@

run: $(ELF)
	$(DCCVP) run $(CONFIG) --out out --force

clean:
	rm -rf $(BUILD)

.PHONY: all run clean
