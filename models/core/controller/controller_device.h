// The controller as the NIC and the register block have it, whoever computes it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "controller/controller_engine.h"
#include "controller/controller_model.h"

namespace dcc {

/// Congestion manager, timing engine and rate engine as a machine with a clock. Its ports are
/// called for every packet: the model's are called straight, only another engine's through its
/// interface.
class ControllerDevice {
 public:
  /// Null engines mean the models (TimingWheel, RateUnit); those are the model's parts. An empty
  /// factory means the model. std::invalid_argument for a configuration outside its ranges. `rank`:
  /// of answers among the events of one instant.
  ControllerDevice(Scheduler& scheduler, const ControllerConfig& config, std::uint32_t rank,
                   RateSink& sink, std::unique_ptr<TimerEngine> timers = nullptr,
                   std::unique_ptr<RateEngine> rates = nullptr,
                   const ControllerEngineFactory& make_engine = {});
  ControllerDevice(const ControllerDevice&) = delete;
  ControllerDevice& operator=(const ControllerDevice&) = delete;

  void cnp(std::uint32_t flow, std::uint8_t dscp, std::uint8_t marks, std::uint8_t packets = 0) {
    if (model_.has_value()) return model_->cnp(flow, dscp, marks, packets);
    engine_->cnp(flow, dscp, marks, packets);
  }
  void bytes(std::uint32_t flow, std::uint8_t dscp, std::uint32_t length) {
    if (model_.has_value()) return model_->bytes(flow, dscp, length);
    engine_->bytes(flow, dscp, length);
  }
  void release(std::uint32_t flow) { engine_->release(flow); }
  void query(std::uint32_t flow) { engine_->query(flow); }

  // As in ControllerEngine.
  const ControllerParameters& parameters() const { return engine_->parameters(); }
  const RateTables& tables() const { return engine_->tables(); }
  void access(const ControllerParameters& parameters, bool soft_reset) {
    engine_->access(parameters, soft_reset);
  }
  void set_parameters(const ControllerParameters& parameters) { access(parameters, false); }
  void soft_reset() { access(parameters(), true); }
  bool write_table(RateTable table, std::uint32_t index, std::uint32_t word) {
    return engine_->write_table(table, index, word);
  }
  void access_window() { engine_->access_window(); }
  void on_bus(BusAccess& access) { engine_->on_bus(access); }

  const ControllerConfig& config() const { return engine_->config(); }
  bool ready() const { return engine_->ready(); }
  SlotView slot(SlotIndex slot) { return engine_->slot(slot); }
  std::optional<SlotIndex> slot_of(std::uint32_t flow) { return engine_->slot_of(flow); }
  std::uint32_t free_slots() { return engine_->free_slots(); }
  const ControllerStatistics& statistics() { return engine_->statistics(); }
  const TimerCounters& timer_counters() { return engine_->timer_counters(); }
  std::uint64_t missed_latency() { return engine_->missed_latency(); }
  Tick timer_lateness_max() { return engine_->timer_lateness_max(); }
  Tick time() const { return engine_->time(); }
  Tick timer_lag() { return engine_->timer_lag(); }
  bool overrun() { return engine_->overrun(); }
  bool idle() { return engine_->idle(); }

  void observe(SlotObserver* observer) { engine_->observe(observer); }
  void on_cause(CauseSink* sink) { engine_->on_cause(sink); }
  void finish() { engine_->finish(); }

  /// Null: hardware alone computes it.
  ControllerModel* model() { return engine_->model(); }
  const ControllerModel* model() const { return engine_->model(); }

 private:
  std::optional<ControllerModel> model_;  // none: another engine
  std::unique_ptr<ControllerEngine> other_;
  ControllerEngine* engine_;
};

}  // namespace dcc
