# Builds RISC-V firmware with the start-up code and drivers beside this file. A makefile that includes this file sets
# PROGRAM (without .elf) and SOURCES; targets: `make`, `make run`, `make gdb`. MACHINE := virt is for `machine: virt`;
# HARTS := 2 to 4 for as many harts (runtime/harts.h).
DCCVP_FIRMWARE := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))
DCCVP ?= $(abspath $(DCCVP_FIRMWARE)/../../../bin/dccvp)
RISCV ?= riscv64-unknown-elf-
GDB_PORT ?= 3333
BUILD ?= build
MACHINE ?= dcc
HARTS ?= 1

# In the older specification CSR instructions are part of I; gcc 12 has no libraries for rv32imc_zicsr.
ARCH := -march=rv32imc -misa-spec=2.2 -mabi=ilp32 --specs=picolibc.specs
CFLAGS ?= -O2 -g -Wall -Wextra
# C++ without exceptions: the toolchain has no C++ library. The program defines new and delete.
CXXFLAGS ?= $(CFLAGS)
ifeq ($(MACHINE),virt)
ARCH += -DDCC_MACHINE_VIRT
endif
ifneq ($(HARTS),1)
ARCH += -DDCC_HARTS=$(HARTS)
endif
RUNTIME := $(DCCVP_FIRMWARE)/runtime
DRIVERS := $(wildcard $(DCCVP_FIRMWARE)/driver/*.c)
ALL := $(SOURCES) $(RUNTIME)/crt0.S $(wildcard $(RUNTIME)/*.c) $(DRIVERS)
OBJECTS := $(patsubst %,$(BUILD)/%.o,$(notdir $(ALL)))
ELF := $(BUILD)/$(PROGRAM).elf
vpath %.c $(sort $(dir $(ALL)))
vpath %.cpp $(sort $(dir $(ALL)))
vpath %.S $(sort $(dir $(ALL)))

all: $(ELF)

$(ELF): $(OBJECTS) $(BUILD)/link.ld
	$(RISCV)gcc $(ARCH) -nostartfiles -T $(BUILD)/link.ld -Wl,--gc-sections -Wl,-Map=$@.map $(OBJECTS) -o $@

$(BUILD)/%.o: % | $(BUILD)
	$(RISCV)gcc $(ARCH) -std=gnu11 $(CFLAGS) -ffunction-sections -fdata-sections -MMD \
	  -I$(DCCVP_FIRMWARE) -I$(RUNTIME) -c $< -o $@

$(BUILD)/%.cpp.o: %.cpp | $(BUILD)
	$(RISCV)g++ $(ARCH) -std=gnu++17 -fno-exceptions -fno-rtti -fno-threadsafe-statics $(CXXFLAGS) \
	  -ffunction-sections -fdata-sections -MMD -I$(DCCVP_FIRMWARE) -I$(RUNTIME) -c $< -o $@

# Addresses of the platform come from driver/memory_map.h.
$(BUILD)/link.ld: $(RUNTIME)/link.ld.S | $(BUILD)
	$(RISCV)gcc -E -P -x assembler-with-cpp -I$(DCCVP_FIRMWARE) $< -o $@

$(BUILD):
	mkdir -p $@

run: $(ELF)
	$(DCCVP) run-elf --machine $(MACHINE) --harts $(HARTS) $(ELF)

# The program waits before its first instruction for a debugger on this port.
gdb: $(ELF)
	$(DCCVP) run-elf --machine $(MACHINE) --harts $(HARTS) --gdb $(GDB_PORT) $(ELF)

clean:
	rm -rf $(BUILD)

.PHONY: all run gdb clean
-include $(OBJECTS:.o=.d)
