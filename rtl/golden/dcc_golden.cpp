// The C interface of the golden model, over the reference models of controller, wheel, rate unit
// and pacer.
#include "dcc_golden.h"

#include <cstdint>
#include <deque>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>

#include "controller/controller_model.h"
#include "controller/controller_registers.h"
#include "controller/rate_unit.h"
#include "controller/timing_wheel.h"
#include "nic/pacer/pacer_model.h"

namespace {

using namespace dcc;

// clock period in ps; results depend only on the number of cycles
constexpr std::int64_t kPeriod = 4000;
constexpr std::uint64_t kFlows = std::uint64_t{1} << 24;
constexpr std::uint64_t kMostCycles = std::uint64_t{1} << 50;

thread_local std::string error;

void require(bool condition, const std::string& text) {
  if (!condition) throw std::invalid_argument(text);
}
void require_below(const char* name, std::uint64_t value, std::uint64_t limit) {
  require(value < limit, std::string(name) + " " + std::to_string(value) + ": the greatest is " +
                             std::to_string(limit - 1));
}

/// Calls `work`, which returns an int. If `work` throws, returns -1 and stores the message that
/// dcc_golden_error() returns.
template <class Work>
int guarded(Work work) {
  try {
    return work();
  } catch (const std::exception& e) {
    error = e.what();
    return -1;
  }
}

template <class T, class Make>
T* made(Make make) {
  try {
    return make();
  } catch (const std::exception& e) {
    error = e.what();
    return nullptr;
  }
}

ControllerConfig config_of(std::uint32_t slots, std::uint32_t latency) {
  require(slots >= 1 && slots <= kMaxSlots,
          "slots " + std::to_string(slots) + ": 1 to " + std::to_string(kMaxSlots));
  require(latency >= timing::kMinLatency && latency <= kMaxLatencyCycles,
          "latency " + std::to_string(latency) + ": " + std::to_string(timing::kMinLatency) +
              " to " + std::to_string(kMaxLatencyCycles));
  ControllerConfig config;
  config.slots = slots;
  config.latency_cycles = latency;
  return config;
}

struct Answer {
  std::uint64_t cycle;
  std::uint32_t kind, flow, rate;
};

}  // namespace

struct dcc_golden final : RateSink {
  dcc_golden(std::uint32_t slots, std::uint32_t latency)
      : model(scheduler, config_of(slots, latency), 1, *this), registers(model) {}

  /// Advances the model to the start of `cycle`, whose answers are then known.
  void go_to(std::uint64_t cycle) {
    require_below("cycle", cycle, kMostCycles);
    require(cycle + 1 >= reached, "cycle " + std::to_string(cycle) + " is past: the model is in " +
                                      std::to_string(reached - 1));
    if (cycle > reached) advance(cycle);
  }
  /// Advances the model to the clock edge that ends `cycle`, where the model samples the inputs of
  /// `cycle`.
  ControllerModel& sampled(std::uint64_t cycle) {
    go_to(cycle);
    if (cycle + 1 > reached) advance(cycle + 1);
    return model;
  }
  void advance(std::uint64_t edge) {
    scheduler.run_until(PicoSeconds{static_cast<std::int64_t>(edge) * kPeriod});
    reached = edge;
  }

  void rate_calculated(std::uint32_t flow, Rate rate) override {
    answers.push_back({now(), DCC_GOLDEN_RATE, flow, rate.raw});
  }
  void query_answered(std::uint32_t flow, std::optional<Rate> rate) override {
    answers.push_back(
        {now(), rate ? DCC_GOLDEN_QUERY : DCC_GOLDEN_QUERY_UNBOUND, flow, rate ? rate->raw : 0});
  }
  std::uint64_t now() const { return static_cast<std::uint64_t>(scheduler.now().count / kPeriod); }

  Scheduler scheduler;
  ControllerModel model;
  regs::ControllerRegisters registers;
  std::deque<Answer> answers;
  // latest edge that the model has reached: inputs of earlier cycles have been sampled
  std::uint64_t reached = 0;
};

struct dcc_golden_wheel {
  explicit dcc_golden_wheel(std::uint32_t number) : wheel(number), slots(number) {}
  void go_to(Tick tick) {
    require(tick >= now,
            "tick " + std::to_string(tick) + " is past: the wheel is at " + std::to_string(now));
    now = tick;
  }
  TimingWheel wheel;
  std::uint32_t slots;
  Tick now = 0;
};

struct dcc_golden_pacer {
  dcc_golden_pacer(const PacerShape& shape, const PacerSettings& settings)
      : model(shape, settings), flows(shape.flows) {}

  /// Advances the model to `cycle`: the outputs of `cycle` are then known, and more inputs for it
  /// may still follow.
  void go_to(std::uint64_t cycle) {
    require_below("cycle", cycle, kMostCycles);
    require(cycle >= present, "cycle " + std::to_string(cycle) + " is past: the pacer is in " +
                                  std::to_string(present));
    while (present < cycle) {
      if (inputs.want || inputs.post || inputs.rate) {
        outputs = model.cycle(inputs);
        ++present;
        inputs.post = inputs.rate = false;
      } else {
        outputs = model.skip(cycle - present, inputs);
        present = cycle;
      }
    }
  }
  PacerFlow flow_of(std::uint32_t flow) const {
    require_below("flow", flow, flows);
    return static_cast<PacerFlow>(flow);
  }

  PacerModel model;
  std::uint32_t flows;
  PacerAnswer outputs;        // output pins of the pacer in the present cycle
  PacerInputs inputs;         // inputs given so far for the present cycle
  std::uint64_t present = 0;  // number of the present clock cycle
};

namespace {

bool is_power_of_two(std::uint32_t value) { return value != 0 && (value & (value - 1)) == 0; }

PacerShape pacer_shape_of(std::uint32_t flows, std::uint32_t width, std::uint32_t depth) {
  const auto need = [](const char* name, std::uint32_t value, std::uint32_t least,
                       std::uint32_t most) {
    require(is_power_of_two(value) && value >= least && value <= most,
            std::string(name) + " " + std::to_string(value) + ": a power of two from " +
                std::to_string(least) + " to " + std::to_string(most));
  };
  need("flows", flows, 4, kMaxSlots);
  need("width", width, 2, flows / 2);
  need("depth", depth, 2, 64);
  PacerShape shape;
  shape.flows = flows;
  shape.width = width;
  shape.depth = depth;
  return shape;
}

}  // namespace

extern "C" {

const char* dcc_golden_error(void) { return error.c_str(); }

dcc_golden* dcc_golden_new(uint32_t slots, uint32_t latency) {
  return made<dcc_golden>([&] { return new dcc_golden(slots, latency); });
}
void dcc_golden_free(dcc_golden* g) { delete g; }

int dcc_golden_cnp(dcc_golden* g, uint64_t cycle, uint32_t flow, uint32_t dscp, uint32_t marks,
                   uint32_t packets) {
  return guarded([&] {
    require_below("flow", flow, kFlows);
    require_below("dscp", dscp, 64);
    require_below("marks", marks, 256);
    require_below("packets", packets, 256);
    g->sampled(cycle).cnp(flow, static_cast<std::uint8_t>(dscp), static_cast<std::uint8_t>(marks),
                          static_cast<std::uint8_t>(packets));
    return 0;
  });
}
int dcc_golden_bytes(dcc_golden* g, uint64_t cycle, uint32_t flow, uint32_t dscp, uint32_t length) {
  return guarded([&] {
    require_below("flow", flow, kFlows);
    require_below("dscp", dscp, 64);
    g->sampled(cycle).bytes(flow, static_cast<std::uint8_t>(dscp), length);
    return 0;
  });
}
int dcc_golden_release(dcc_golden* g, uint64_t cycle, uint32_t flow) {
  return guarded([&] {
    require_below("flow", flow, kFlows);
    g->sampled(cycle).release(flow);
    return 0;
  });
}
int dcc_golden_query(dcc_golden* g, uint64_t cycle, uint32_t flow) {
  return guarded([&] {
    require_below("flow", flow, kFlows);
    g->sampled(cycle).query(flow);
    return 0;
  });
}

int dcc_golden_write(dcc_golden* g, uint64_t cycle, uint32_t address, uint32_t data) {
  return guarded([&] {
    g->sampled(cycle);
    return g->registers.block().write(address, data) == regs::AccessResult::kOk ? 0 : 1;
  });
}
int dcc_golden_read(dcc_golden* g, uint64_t cycle, uint32_t address, uint32_t* data) {
  return guarded([&] {
    g->sampled(cycle);
    return g->registers.block().read(address, *data) == regs::AccessResult::kOk ? 0 : 1;
  });
}

int dcc_golden_answer(dcc_golden* g, uint64_t cycle, uint64_t* answer_cycle, uint32_t* kind,
                      uint32_t* flow, uint32_t* rate) {
  return guarded([&] {
    g->go_to(cycle);
    if (g->answers.empty() || g->answers.front().cycle > cycle) return 0;
    const Answer& one = g->answers.front();
    *answer_cycle = one.cycle;
    *kind = one.kind;
    *flow = one.flow;
    *rate = one.rate;
    g->answers.pop_front();
    return 1;
  });
}

int dcc_golden_irq(dcc_golden* g, uint64_t cycle) {
  return guarded([&] {
    g->go_to(cycle);
    return g->registers.block().interrupt() ? 1 : 0;
  });
}
int dcc_golden_slot_of(dcc_golden* g, uint64_t cycle, uint32_t flow) {
  return guarded([&] {
    g->go_to(cycle);
    const std::optional<SlotIndex> slot = g->model.slot_of(flow);
    return slot ? static_cast<int>(*slot) : -2;
  });
}

int dcc_golden_slot(dcc_golden* g, uint64_t cycle, uint32_t slot, uint32_t* flow) {
  return guarded([&] {
    require_below("slot", slot, g->model.config().slots);
    g->go_to(cycle);
    const std::optional<std::uint32_t> bound = g->model.slot(static_cast<SlotIndex>(slot)).flow;
    *flow = bound.value_or(0);
    return bound ? 1 : 0;
  });
}

int dcc_golden_decrease(const dcc_golden* g, uint32_t* rc, uint32_t* rt, uint32_t* alpha,
                        uint32_t delta, uint32_t dscp, uint32_t marks, int first) {
  return guarded([&] {
    require_below("alpha", *alpha, 65'537);
    require_below("delta", delta, 1u << 20);
    require_below("dscp", dscp, 64);
    require_below("marks", marks, 256);
    DecreaseRequest request;
    request.rc = *rc;
    request.rt = *rt;
    request.alpha = *alpha;
    request.delta = delta;
    request.dscp = static_cast<std::uint8_t>(dscp);
    request.marks = static_cast<std::uint8_t>(marks);
    request.first = first != 0;
    const DecreaseResult result =
        compute_decrease(request, g->model.parameters().rate, g->model.tables());
    *rc = result.rc;
    *rt = result.rt;
    *alpha = result.alpha;
    return 0;
  });
}
int dcc_golden_increase(const dcc_golden* g, uint32_t* rc, uint32_t* rt, uint32_t dscp,
                        uint32_t stage, uint32_t packets) {
  return guarded([&] {
    require_below("dscp", dscp, 64);
    require_below("stage", stage, 3);
    require_below("packets", packets, 1u << 20);
    IncreaseRequest request;
    request.rc = *rc;
    request.rt = *rt;
    request.dscp = static_cast<std::uint8_t>(dscp);
    request.stage = static_cast<IncreaseStage>(stage);
    request.packets = packets;
    const IncreaseResult result =
        compute_increase(request, g->model.parameters().rate, g->model.tables());
    *rc = result.rc;
    *rt = result.rt;
    return result.at_maximum ? 1 : 0;
  });
}

dcc_golden_wheel* dcc_golden_wheel_new(uint32_t slots) {
  return made<dcc_golden_wheel>([&] { return new dcc_golden_wheel(slots); });
}
void dcc_golden_wheel_free(dcc_golden_wheel* w) { delete w; }
int dcc_golden_wheel_start(dcc_golden_wheel* w, uint32_t slot, uint32_t delay, uint64_t now) {
  return guarded([&] {
    require_below("slot", slot, w->slots);
    require_below("delay", delay, 65'536);
    w->go_to(now);
    w->wheel.start(static_cast<SlotIndex>(slot), delay, now);
    return 0;
  });
}
int dcc_golden_wheel_cancel(dcc_golden_wheel* w, uint32_t slot, uint64_t now) {
  return guarded([&] {
    require_below("slot", slot, w->slots);
    w->go_to(now);
    return w->wheel.cancel(static_cast<SlotIndex>(slot), now) ? 1 : 0;
  });
}
int dcc_golden_wheel_take(dcc_golden_wheel* w, uint64_t now, uint32_t* slot, uint64_t* due) {
  return guarded([&] {
    w->go_to(now);
    const std::optional<TimerExpiry> expiry = w->wheel.take_expired(now);
    if (!expiry) return 0;
    *slot = expiry->slot;
    *due = expiry->due;
    return 1;
  });
}

dcc_golden_pacer* dcc_golden_pacer_new(uint32_t flows, uint32_t width, uint32_t depth,
                                       uint32_t scale, uint32_t slack) {
  return made<dcc_golden_pacer>([&] {
    require_below("scale", scale, 1u << 22);
    require_below("slack", slack, 1u << 24);
    return new dcc_golden_pacer(pacer_shape_of(flows, width, depth), {scale, slack});
  });
}
void dcc_golden_pacer_free(dcc_golden_pacer* p) { delete p; }

int dcc_golden_pacer_pins(dcc_golden_pacer* p, uint64_t cycle, uint32_t paused, uint32_t want) {
  return guarded([&] {
    require_below("paused", paused, 256);
    require_below("want", want, 2);
    p->go_to(cycle);
    p->inputs.paused = static_cast<std::uint8_t>(paused);
    p->inputs.want = want != 0;
    return 0;
  });
}
int dcc_golden_pacer_post(dcc_golden_pacer* p, uint64_t cycle, uint32_t flow, uint32_t bytes) {
  return guarded([&] {
    const PacerFlow number = p->flow_of(flow);
    require(bytes >= 1 && bytes < 1u << 14, "bytes " + std::to_string(bytes) + ": 1 to 16383");
    p->go_to(cycle);
    require(p->outputs.post_ready && !p->inputs.post,
            "cycle " + std::to_string(cycle) + ": the pacer takes no post");
    p->inputs.post = true;
    p->inputs.post_flow = number;
    p->inputs.post_bytes = static_cast<std::uint16_t>(bytes);
    return 0;
  });
}
int dcc_golden_pacer_rate(dcc_golden_pacer* p, uint64_t cycle, uint32_t flow, uint32_t rate,
                          uint32_t priority) {
  return guarded([&] {
    const PacerFlow number = p->flow_of(flow);
    require_below("priority", priority, 8);
    p->go_to(cycle);
    require(p->outputs.rate_ready && !p->inputs.rate,
            "cycle " + std::to_string(cycle) + ": the pacer takes no rate");
    p->inputs.rate = true;
    p->inputs.rate_flow = number;
    p->inputs.rate_value = Rate(rate);
    p->inputs.priority = static_cast<std::uint8_t>(priority);
    return 0;
  });
}
int dcc_golden_pacer_outputs(dcc_golden_pacer* p, uint64_t cycle, uint32_t* flow, uint32_t* bytes) {
  return guarded([&] {
    p->go_to(cycle);
    const PacerAnswer& shown = p->outputs;
    *flow = shown.sent ? shown.flow : 0;
    *bytes = shown.sent ? shown.bytes : 0;
    return (shown.sent ? DCC_GOLDEN_SENT : 0) | (shown.post_ready ? DCC_GOLDEN_POST_READY : 0) |
           (shown.rate_ready ? DCC_GOLDEN_RATE_READY : 0) |
           (shown.refused ? DCC_GOLDEN_POST_REFUSED : 0) | (shown.strict ? DCC_GOLDEN_STRICT : 0);
  });
}

}  // extern "C"
