# Builds the bench of two application blocks of a NIC (dcc_app_block) and a switch that marks packets; needs
# Verilator.
#   make -f Makefile [BUILD=DIR]   DIR/Vnic_app, the bench: Vnic_app [--cycles N] [--seed N]
# RUNTIME: folder for the objects of Verilator's runtime library (see ../verilated.sh).
CC     ?= gcc
BUILD  ?= build
RUNTIME ?= $(BUILD)/runtime
HERE   := $(dir $(abspath $(lastword $(MAKEFILE_LIST))))
DRIVER := $(patsubst %.c,$(BUILD)/%.o,$(notdir $(wildcard $(HERE)driver/*.c $(HERE)crc/*.c)))
SVA    := $(wildcard $(HERE)../sva/*.sv $(HERE)../sva/pacer/*.sv $(HERE)../sva/nic/*.sv \
          $(HERE)../sva/resets/*.sv)

$(BUILD)/Vnic_app: $(DRIVER) FORCE
	cd $(HERE).. && ./verilated.sh $(abspath $(RUNTIME) $(BUILD)) --exe --assert -O3 --x-initial unique --x-assign fast \
	  -Wno-fatal -Wno-lint -Wno-style --prefix Vnic_app --top-module dcc_app_block \
	  -CFLAGS "-std=c++17 -I$(HERE) -I$(HERE)crc -Wno-unused-parameter" \
	  -f nic.f $(SVA) $(HERE)*.cpp $(HERE)wire/*.cpp $(abspath $(DRIVER))

VPATH := $(HERE)driver $(HERE)crc
$(BUILD)/%.o: %.c
	@mkdir -p $(BUILD)
	$(CC) -std=c99 -O2 -I$(HERE) -c $< -o $@
.PHONY: FORCE
FORCE:
