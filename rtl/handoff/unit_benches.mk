# Builds benches of single blocks of pacer and NIC; needs Verilator.
#   make -f Makefile packet [BUILD=DIR]     DIR/packet_bench: parser, byte notifications, notification point
#   make -f Makefile lost_bits [BUILD=DIR]  DIR/lost_bits_bench: these blocks, the pacer and the NIC's queues, in which
#                                           memories lose bits
#   make -f Makefile cuckoo [BUILD=DIR]     DIR/cuckoo_bench: hash table of sparse flow numbers
# RUNTIME: folder for the objects of Verilator's runtime library (see ../verilated.sh).
BUILD  ?= build
RUNTIME ?= $(BUILD)/runtime
HERE   := $(dir $(abspath $(lastword $(MAKEFILE_LIST))))
ROOT   := $(shell verilator --getenv VERILATOR_ROOT)
FLAGS   = -std=c++17 -Og -DVL_TIME_CONTEXT -I$(HERE) -I$(HERE)packet -I$(HERE)secded -I$(HERE)../nic -I$(HERE)../nic/crc -I$(HERE)model -I$(ROOT)/include \
          -I$(ROOT)/include/vltstd $(foreach block,$(1),-I$(abspath $(BUILD))/$(block)) -w
OPTIONS := --assert -O3 --x-initial unique --x-assign fast -Wno-fatal -Wno-lint -Wno-style -f nic.f
BUILT  = ./verilated.sh $(abspath $(RUNTIME) $(BUILD)/$*)
LINKED = $(CXX) $^ $(BUILD)/$(firstword $(1))/verilated*.o -o $@ -pthread
PLAIN  := parser sent notifier
LOSSY  := parser_secded sent_secded notifier_secded pacer_secded rate_queue_secded send_queues_secded \
          app_regs_secded
CUCKOO := flow_cuckoo_64 flow_cuckoo_256 flow_cuckoo_1024
SIZES_parser_secded := -GFlows=16
SIZES_sent_secded := -GFlows=16
SIZES_notifier_secded := -GFlows=16
SIZES_pacer_secded := -GFlows=16 -GWidth=4
SIZES_rate_queue_secded := -GFlows=16
SIZES_app_regs_secded := -GFlows=16
SIZES_send_queues_secded := -GFlows=4 -GMaxBeats=4
SVA    = $(wildcard $(HERE)../sva/nic/dc_$(1)_sva.sv $(HERE)../sva/pacer/dc_$(1)_sva.sv \
           $(HERE)../sva/resets/reset_values_sva.sv $(HERE)../sva/resets/dc_$(1).sv)
COMMON := $(BUILD)/roce_headers.o $(patsubst $(HERE)../nic/crc/%.c,$(BUILD)/%.o,$(wildcard $(HERE)../nic/crc/*.c))

packet: $(BUILD)/packet_bench
lost_bits: $(BUILD)/lost_bits_bench
cuckoo: $(BUILD)/cuckoo_bench

$(PLAIN:%=$(BUILD)/%.a): $(BUILD)/%.a: FORCE
	@mkdir -p $(BUILD)
	cd $(HERE).. && $(BUILT) $(OPTIONS) $(call SVA,$*) --prefix V$* --top-module dc_$* -GFlows=64
	ln -sf $*/V$*__ALL.a $@
$(LOSSY:%=$(BUILD)/%.a): $(BUILD)/%.a: FORCE
	@mkdir -p $(BUILD)
	cd $(HERE).. && $(BUILT) $(HERE)memories.vlt $(OPTIONS) $(call SVA,$(*:_secded=)) --prefix V$* \
	  --top-module dc_$(*:_secded=) --flatten -GSecded=1 $(SIZES_$*)
	ln -sf $*/V$*__ALL.a $@
$(CUCKOO:%=$(BUILD)/%.a): $(BUILD)/%.a: FORCE
	@mkdir -p $(BUILD)
	cd $(HERE).. && $(BUILT) $(HERE)flow_cuckoo.vlt $(subst nic.f,files.f,$(OPTIONS)) sva/dc_flow_cuckoo_sva.sv \
	  sva/dc_flow_stash_sva.sv --prefix V$* --top-module dc_flow_cuckoo --flatten \
	  -GSlots=$(lastword $(subst _, ,$*))
	ln -sf $*/V$*__ALL.a $@

PACKET := $(patsubst $(HERE)packet/%.cpp,$(BUILD)/%.o,$(wildcard $(HERE)packet/*.cpp))
SECDED := $(patsubst $(HERE)secded/%.cpp,$(BUILD)/%.o,$(wildcard $(HERE)secded/*.cpp))
$(PACKET): $(BUILD)/%.o: $(HERE)packet/%.cpp $(PLAIN:%=$(BUILD)/%.a)
	$(OBJCACHE) $(CXX) $(call FLAGS,$(PLAIN)) -c $< -o $@
$(SECDED): $(BUILD)/%.o: $(HERE)secded/%.cpp $(LOSSY:%=$(BUILD)/%.a)
	$(OBJCACHE) $(CXX) $(call FLAGS,$(LOSSY)) -c $< -o $@
$(BUILD)/packet_bench: $(PACKET) $(PLAIN:%=$(BUILD)/%.a) $(COMMON)
	$(call LINKED,$(PLAIN))
$(BUILD)/flow_cuckoo_test.o: $(HERE)cuckoo/flow_cuckoo_test.cpp $(CUCKOO:%=$(BUILD)/%.a)
	$(OBJCACHE) $(CXX) $(call FLAGS,$(CUCKOO)) -DDCC_CUCKOO_CYCLES=60000 -c $< -o $@
$(BUILD)/%_main.o: $(HERE)gtest/bench_main.cpp
	@mkdir -p $(BUILD)
	$(CXX) $(call FLAGS) -DDCC_BENCH='"$*"' -c $< -o $@
$(BUILD)/cuckoo_bench: $(BUILD)/flow_cuckoo_test.o $(BUILD)/cuckoo_main.o $(CUCKOO:%=$(BUILD)/%.a)
	$(call LINKED,$(CUCKOO))
$(BUILD)/lost_bits_bench: $(SECDED) $(BUILD)/lost_bits_main.o $(LOSSY:%=$(BUILD)/%.a) $(COMMON)
	$(call LINKED,$(LOSSY))
$(BUILD)/roce_headers.o: $(HERE)../nic/wire/roce_headers.cpp
	@mkdir -p $(BUILD)
	$(CXX) $(call FLAGS) -c $< -o $@
$(BUILD)/%.o: $(HERE)../nic/crc/%.c
	@mkdir -p $(BUILD)
	$(CC) -std=c99 -O2 -I$(HERE)../nic/crc -c $< -o $@
.PHONY: FORCE packet lost_bits cuckoo
FORCE:
