// Congestion control by a user's program on cores in the NIC.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "nic/algorithm/algorithm.h"
#include "nic/algorithm/debugged_program.h"
#include "nic/algorithm/handler_report.h"
#include "nic/algorithm/listeners.h"
#include "nic/algorithm/registry.h"
#include "schemes/program/event_queue.h"
#include "schemes/program/program_core.h"
#include "schemes/program/program_parameters.h"
#include "stats/numbered_table.h"

namespace dcc {

/// Congestion-control events wait in one queue for a free program core. The handler of an event is
/// not started while another core works for the same flow. The handler takes the time of its
/// instructions, and its answer takes effect at the end of that time. A flow sends at the rate that
/// its application asks for, or at line rate, until the first answer.
///
/// Timer events and start events of flows never get lost, because hardware keeps one bit for each
/// of them per flow. Stopping or restarting a timer removes its waiting event. A flow whose handler
/// ended in an exception keeps its rate and window, and gets no further events.
class Program final : public Algorithm,
                      public HandlerReport,
                      public ReactionMeter,
                      public DebuggedProgram,
                      public NackListener {
 public:
  /// Makes the congestion-control algorithm of a user's program. If the program's file is not
  /// usable, the algorithm does nothing, and ProgramParameters::check() reports the file.
  Program(const AlgorithmContext& context, const ProgramParameters& parameters);

  AlgorithmNeeds needs() const override;
  void on_flow_start(FlowNumber flow, const FlowStart& start) override;
  /// Later events of the flow carry the new DSCP; the program gets no event for the change itself.
  bool change_class(FlowNumber flow, std::uint8_t dscp) override;
  void on_sent(FlowNumber flow, const SentInfo& info) override;
  void on_ack(FlowNumber flow, const AckInfo& info) override;
  void on_cnp(FlowNumber flow, const CnpInfo& info) override;
  void on_nack(FlowNumber flow, Psn psn) override;
  void on_timer(FlowNumber flow, int id) override;
  View view(FlowNumber flow) const override;
  AlgorithmCounters counters() const override { return counters_; }
  bool is_quiescent(FlowNumber flow) const override;
  void release(FlowNumber flow) override { flows_.drop(flow); }

  std::optional<std::uint16_t> debugger_port(std::uint32_t host) const override {
    if (!parameters_.gdb || parameters_.gdb_host != host) return std::nullopt;
    return static_cast<std::uint16_t>(*parameters_.gdb);
  }
  void set_debugger(ProcessorDebugger& debugger) override {
    debugger_ = &debugger;
    if (processor_ != nullptr) processor_->set_debugger(debugger_);
  }
  std::string program_file() const override { return parameters_.elf; }
  DebuggedProcessor* processor() override { return image_ == nullptr ? nullptr : &core(); }

  std::string source() const override { return parameters_.elf; }
  unsigned cores() const override { return parameters_.cores; }
  const std::vector<HandlerCounts>& handlers() const override { return handlers_; }
  PicoSeconds busy() const override { return busy_; }
  const LogHistogram& reactions() const override { return reactions_; }
  const std::vector<HandlerFault>& faults() const override { return faults_; }
  const std::vector<HandlerLine>& lines() const override { return lines_; }
  std::uint64_t lines_left_out() const override { return lines_left_out_; }

 private:
  struct Flow {
    std::array<std::uint8_t, DCC_MAX_CONTEXT_BYTES> context{};
    // generation of the flow, which differs each time that a flow number is reused
    std::uint32_t generation = 0;
    std::uint32_t dscp = 0;
    std::uint64_t base_rtt = 0;  // base RTT of the flow in ps
    Rate rate, target;
    std::uint32_t alpha = 0;
    std::uint64_t counted = 0;  // wire bytes of the flow counted towards the threshold of DCC_SENT
    std::uint32_t threshold = 0;
    // packets and payload bytes that the flow sent since its last DCC_SENT event
    std::uint32_t sent = 0, payload = 0;
    std::uint32_t waiting = 0;  // number of the flow's events in the queue of waiting events
    bool in_service = false;
    bool stopped = false;     // true if a handler of the flow ended in an exception
    std::uint8_t timers = 0;  // mask of the flow's running timers; bit n is set while timer n runs
    // Places of the flow's waiting events: place of the newest event of each kind that can be
    // merged, and place of each timer's event.
    std::array<EventQueue::Place, DCC_EVENT_KINDS> newest{};
    std::array<EventQueue::Place, DCC_PROGRAM_TIMERS> expired{};
  };
  struct Core {
    Core(Program& owner, std::uint32_t its_number, std::uint32_t rank)
        : program(owner), number(its_number), done(Event::calling<&Core::finish>(*this, rank)) {}
    void finish() { program.finish(*this); }
    Program& program;
    std::uint32_t number;
    FlowNumber flow = 0;
    std::uint32_t generation = 0;
    std::uint32_t kind = 0;
    PicoSeconds since{};
    dcc_result result{};
    bool faulted = false;
    Event done;
  };

  Flow* governed(FlowNumber number, std::uint32_t kind);
  dcc_event event_of(FlowNumber number, const Flow& flow, std::uint32_t kind) const;
  void happen(FlowNumber number, Flow& flow, const dcc_event& event);
  bool merge(Flow& flow, const dcc_event& event);
  void keep_hops(EventQueue::Place place, const dcc_event& event);
  void take_out(EventQueue::Place place, Flow& flow);
  void dispatch();
  ProgramCore::Outcome handle(WaitingEvent& waiting, const Hops& hops, Flow& flow,
                              dcc_result& result);
  void finish(Core& core);
  void note_reaction(std::uint32_t kind, PicoSeconds since, const Flow& flow,
                     const dcc_result& result);
  void apply(FlowNumber number, Flow& flow, const dcc_result& result);
  /// Processor of the program cores, made at the first call. Precondition: image_ is not null.
  ProgramCore& core();
  void stop(FlowNumber number, Flow& flow);
  void forget_timer(Flow& flow, unsigned timer);
  std::uint32_t handler_of(std::uint32_t kind) const { return addresses_[kind]; }
  PicoSeconds time_of(std::uint64_t cost) const;

  Scheduler& scheduler_;
  AlgorithmHost& host_;
  ProgramParameters parameters_;
  std::uint32_t mtu_;
  std::uint32_t identity_;
  // image of the user's program; null: the program's file is not usable
  std::shared_ptr<const ProgramImage> image_;
  std::array<std::uint32_t, DCC_EVENT_KINDS> addresses_{};
  // processor of the program cores; null until core() is called
  std::unique_ptr<ProgramCore> processor_;
  ProcessorDebugger* debugger_ = nullptr;
  std::vector<std::unique_ptr<Core>> cores_;
  std::uint32_t idle_ = 0;  // mask of idle cores; bit n is set while core n is idle
  EventQueue queue_;
  Hops hops_{};  // telemetry of the event that is being raised
  // number of waiting events that count against the limit of the queue (parameters_.queue)
  std::uint32_t bounded_ = 0;
  std::uint32_t generation_ = 0;
  NumberedTable<Flow> flows_;
  AlgorithmCounters counters_;
  std::vector<HandlerCounts> handlers_;  // counts of handler calls, by kind of event
  PicoSeconds busy_{};
  LogHistogram reactions_;
  std::vector<HandlerFault> faults_;
  std::vector<HandlerLine> lines_;
  std::uint64_t lines_left_out_ = 0;
};

}  // namespace dcc
