// Flows and computations that begin when others have ended: a host sends or computes after the data
// that it waited for has arrived.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "build/platform_part.h"
#include "nic/nic_device.h"
#include "parallel/process_group.h"
#include "sim/scheduler.h"
#include "stats/flow_ledger.h"
#include "traffic/flow_memory.h"
#include "traffic/flow_plan.h"
#include "traffic/gate_opening.h"

namespace dcc::vp {

/// A gate belongs to one host, where everything behind the gate begins. If the events that open the
/// gate happen at the same host, opening the gate involves one partition only; otherwise the run
/// has one partition (Dependencies::crossing). A run whose hosts have several ports also has one
/// partition.
class FlowGates final : public PlatformPart {
 public:
  struct Place {
    Scheduler& scheduler;
    NicDevice& nic;
    std::uint32_t rank;
  };
  explicit FlowGates(Platform& platform);
  FlowGates(const FlowGates&) = delete;
  FlowGates& operator=(const FlowGates&) = delete;

  /// Starts the computations that wait for no event.
  void begin() override;
  /// Adds the times of computations to the results.
  void finish(RunResults& results) override;
  /// Number of computations in this process that have not ended. Call while partitions wait.
  std::int64_t computations_left() const;
  /// Appends the flows behind gates that began since the last call. Call while partitions wait.
  void take_begun(std::vector<std::uint32_t>& flows);
  /// The event that opened each gate, by gate number, in all processes. Valid after finish().
  const std::vector<GateOpening>& openings() const { return openings_; }
  /// Sets the flow memory, which is called for each flow that begins when its gate opens; null:
  /// none. Not owned.
  void set_memory(FlowMemory* memory) {
    for (auto& [scheduler, counts] : counts_) counts.memory = memory;
  }

  /// Adds the gates of the plan's flows from the flow `first` on, which joined the plan during the
  /// run. Precondition: no flow waits by name (Dependencies).
  void add_flows(std::size_t first);
  /// A gate that will open without further events.
  struct Due {
    PicoSeconds at;
    std::uint32_t flow = 0;  // id of the first flow that begins when the gate opens
  };
  /// The gates that will open without further events, in the order of opening; a gate that opens
  /// now comes first. Empty if there is no such gate, or if a computation is under way.
  std::vector<Due> due() const;
  /// Opens all gates of due() later. Call while no flow is under way and no gate opens.
  void postpone(PicoSeconds by);
  /// The earliest time at which a flow may begin.
  PicoSeconds quiet_until() const { return quiet_until_; }

 private:
  friend class GatePreview;
  class Computing;
  class Gate;

  /// List of gates or computations whose event is scheduled. Each element knows its index in the
  /// list.
  template <class T>
  class Pending {
   public:
    void add(T& one, std::uint64_t ticket) {
      if (one.pending_at_ == kNowhere) {
        one.pending_at_ = static_cast<std::uint32_t>(all_.size());
        all_.push_back(&one);
      }
      one.ticket_ = ticket;
    }
    void remove(T& one) {
      all_[one.pending_at_] = all_.back();
      all_[one.pending_at_]->pending_at_ = one.pending_at_;
      all_.pop_back();
      one.pending_at_ = kNowhere;
    }
    const std::vector<T*>& all() const { return all_; }

   private:
    std::vector<T*> all_;
  };
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

  /// Counters of gates and computations at the hosts of one partition.
  struct alignas(64) Counts {
    std::int64_t computations_left = 0;
    std::vector<std::uint32_t> begun;  // flows behind gates that began since the last take_begun()
    FlowMemory* memory = nullptr;
    const std::function<Place(HostId)>* place_of = nullptr;
    std::uint64_t tickets = 0;  // number of scheduled openings; tickets are numbered in this order
    Pending<Gate> gates;
    Pending<Computing> computations;
  };
  /// Opener of one gate: reports the end of a flow or computation, or the opening of another gate,
  /// to the gate.
  class Opener final : public ArrivalSink {
   public:
    Opener(Gate& gate, GateOpening::Event event, std::uint32_t source)
        : gate_(gate), source_(source), event_(event) {}
    void flow_arrived() override;

   private:
    friend class GatePreview;
    Gate& gate_;
    const std::uint32_t source_;
    const GateOpening::Event event_;
  };
  /// A processor of a host, which does one computation at a time.
  struct Processor {
    PicoSeconds busy_until{};
  };

  class Computing {
   public:
    Computing(const Computation& about, const Place& place, Processor& processor, Counts& counts)
        : about_(about),
          scheduler_(place.scheduler),
          processor_(processor),
          counts_(counts),
          rank_(place.rank),
          event_(Event::calling<&Computing::due>(*this, place.rank)) {}
    const Computation& about() const { return about_; }
    /// Records that the computation is ready at `when`; the computation begins when its processor
    /// is free.
    void ready_at(PicoSeconds when);
    /// Called when the events that the computation awaits have happened.
    void ready();
    void add_opener(Opener& opener) { opens_.push_back(&opener); }
    bool begun() const { return began_ != PicoSeconds::max(); }
    PicoSeconds began() const { return began_; }

   private:
    friend class GatePreview;
    friend class Pending<Computing>;
    void due();
    void schedule(PicoSeconds when);

    const Computation& about_;
    Scheduler& scheduler_;
    Processor& processor_;
    Counts& counts_;
    const std::uint32_t rank_;
    PicoSeconds began_ = PicoSeconds::max();
    std::vector<Opener*> opens_;
    std::uint64_t ticket_ = 0;
    std::uint32_t pending_at_ = kNowhere;
    // event when a computation that waits for nothing is ready; later the event of the
    // computation's end
    Event event_;
  };

  class Gate final {
   public:
    Gate(FlowPlan& plan, const Place& place, Counts& counts)
        : plan_(plan),
          place_(place),
          counts_(counts),
          event_(Event::calling<&Gate::open>(*this, place.rank)) {}
    /// Sets the description of a gate of named flows, which replaces the description by
    /// sort_flows().
    void describe(const Dependencies::Gate& about);
    void add_opener() { ++missing_; }
    void add_flow(const PlannedFlow& flow) { flows_.push_back(&flow); }
    void add_computation(Computing& computation) { computations_.push_back(&computation); }
    void add_gate(Opener& opener) { gates_.push_back(&opener); }
    /// Sorts the flows behind the gate. Call after all flows are added. The gate opens the flows
    /// `think` after its last opener.
    void sort_flows();
    /// Called when one of the events that the gate awaits has happened.
    void told(GateOpening::Event event, std::uint32_t source);
    const GateOpening& opening() const { return opening_; }

   private:
    friend class GatePreview;
    friend class FlowGates;
    friend class Pending<Gate>;
    void open();
    void postpone(PicoSeconds by);
    void schedule(PicoSeconds when);
    void begin(const PlannedFlow& flow);

    FlowPlan& plan_;
    const Place place_;
    Counts& counts_;
    std::uint32_t missing_ = 0;
    std::uint32_t pending_at_ = kNowhere;
    std::uint64_t ticket_ = 0;
    bool any_ = false;
    PicoSeconds delay_{};
    PicoSeconds not_before_{};
    PicoSeconds origin_{};
    bool opened_ = false;
    std::vector<const PlannedFlow*> flows_;  // flows behind the gate, in the order of their starts
    std::size_t next_ = 0;                   // index of the next flow in flows_
    std::vector<Computing*> computations_;
    std::vector<Opener*> gates_;
    GateOpening opening_;
    Event event_;
  };

  /// Reports the end of one flow to several gates.
  class Fan final : public ArrivalSink {
   public:
    void add(ArrivalSink& sink) { sinks_.push_back(&sink); }
    void flow_arrived() override {
      for (ArrivalSink* const sink : sinks_) sink->flow_arrived();
    }

   private:
    friend class GatePreview;
    std::vector<ArrivalSink*> sinks_;
  };
  /// Finds the gates that wait for the acknowledgement of a flow that this host sends.
  class Sent final : public SentSink {
   public:
    void add(const FlowRecord& record, ArrivalSink& gate) { gates_[&record].add(gate); }
    void flow_sent(const FlowRecord& record) override {
      const auto found = gates_.find(&record);
      if (found != gates_.end()) found->second.flow_arrived();
    }

   private:
    friend class GatePreview;
    std::unordered_map<const FlowRecord*, Fan> gates_;
  };

  Gate& gate(std::uint32_t number, HostId host);
  /// The scheduled gates of all hosts, in the order of their scheduling.
  std::vector<Gate*> scheduled() const;
  void add_flow(const PlannedFlow& flow);
  Opener& opener(Gate& gate, GateOpening::Event event, std::uint32_t source) {
    return openers_.emplace_back(gate, event, source);
  }
  void add_arrival(FlowRecord& record, ArrivalSink& gate);
  void add_computations();
  void add_named();

  FlowPlan& plan_;
  FlowLedger& ledger_;
  const std::function<Place(HostId)> place_of_;
  const std::function<bool(HostId)> is_here_;
  const HostPorts& host_ports_;
  ProcessGroup* group_;
  std::unordered_map<std::uint32_t, Gate*> by_number_;
  std::map<const Scheduler*, Counts> counts_;  // counters of gates and computations by partition
  std::deque<Gate> gates_;                     // gates of the hosts that this process simulates
  std::deque<Opener> openers_;
  std::deque<Fan> fans_;  // objects that report the end of a flow to several gates
  std::unordered_map<const FlowRecord*, Fan*> fan_of_;
  std::map<HostId, Sent> sent_;
  std::map<std::pair<HostId, unsigned>, Processor> processors_;
  std::deque<Computing> computings_;  // computations of the hosts that this process simulates
  // computation of each number; null: the computation is in another process
  std::vector<Computing*> by_computation_;
  std::vector<GateOpening> openings_;
  PicoSeconds quiet_until_{};
};

}  // namespace dcc::vp
