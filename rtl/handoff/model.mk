# The controller's reference model: C++17, nothing but the standard library.
#   make [BUILD=DIR]   DIR/libdcc_model.a, and DIR/model_replay, which plays golden vectors to it
# controller/controller_model.h is where to begin; replay.cpp shows its use.
CXX      ?= g++
CXXFLAGS ?= -O2 -Wall -Wextra
BUILD    ?= build

SOURCES := controller/congestion_manager.cpp controller/controller_device.cpp \
  controller/controller_model.cpp \
  controller/controller_model_access.cpp \
  controller/flow_table.cpp controller/rate_tables.cpp controller/rate_unit.cpp \
  controller/controller_registers.cpp controller/timing_wheel.cpp registers/register_block.cpp \
  registers/register_names.cpp registers/generated/dcc_map.cpp sim/scheduler.cpp
OBJECTS := $(SOURCES:%.cpp=$(BUILD)/%.o)

$(BUILD)/model_replay: $(BUILD)/replay.o $(BUILD)/libdcc_model.a
	$(CXX) $(LDFLAGS) $^ -o $@

$(BUILD)/libdcc_model.a: $(OBJECTS)
	rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/%.o: %.cpp
	@mkdir -p $(@D)
	$(CXX) -std=c++17 $(CXXFLAGS) -I. -MMD -MP -c $< -o $@

sources:
	@echo $(SOURCES)

-include $(OBJECTS:.o=.d) $(BUILD)/replay.d
.PHONY: sources
