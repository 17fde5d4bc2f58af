// The interactive prompt of a run (`dccvp run --interactive`): pause, inspect, step, resume, go
// back.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "build/host.h"
#include "build/network.h"
#include "build/platform_part.h"
#include "controller/congestion_manager.h"
#include "cpu/debug_registry.h"
#include "debug/console_history.h"
#include "debug/state_digests.h"
#include "simulation_kernel.h"
#include "traffic/flow_plan.h"

namespace dcc::vp {

/// Reads commands, one for each line, while simulated time stands still; `help` lists them.
/// Inspection has no side effects: a run with pauses gives the same results. The end of the input
/// resumes the run to its end. An unknown command is answered with a sentence.
class Console final : public PlatformPart {
 public:
  struct Context {
    model::SimulationKernel& kernel;
    std::vector<std::unique_ptr<Host>>& hosts;
    const Network& network;
    const FlowPlan& plan;
    const StateDigests& states;
    // event rank of pauses, the greatest rank: a pause at time t comes after all events at t
    std::uint32_t rank;
    // snapshots by which the console goes back; null: the console cannot go back
    model::SnapshotHistory* machine;
    std::string snapshot_refusal;  // reason why the console cannot go back
  };
  /// Makes a console; `prompt`: print a prompt before each command.
  Console(const Context& context, std::istream& in, std::ostream& out, bool prompt);
  /// Pauses the run before the first event.
  void begin() override;
  /// Takes a snapshot of the run if one is due.
  void heartbeat() override {
    if (history_ && !input_over_ && history_->is_due()) mark();
  }
  /// Marks a run that the user ended as incomplete.
  void finish(RunResults& results) override {
    if (quit_) results.completed = false;
  }

 private:
  enum class Then { kStay, kResume };
  struct Listener final : SlotObserver {
    Listener(Console& to, HostId id) : console(to), host(id) {}
    void slot_changed(SlotIndex slot, std::uint32_t flow, SlotChange change) override {
      console.slot_changed(host, slot, flow, change);
    }
    Console& console;
    HostId host;
  };
  void pause(std::string why);
  Then execute(const std::string& line);
  Then run(const std::string& argument, bool absolute);
  Then step(const std::string& argument);
  Then until(const std::string& event, const std::string& argument);
  void print(const std::string& name);
  Then congestion(const std::vector<std::string>& words);
  void list_modules() const;
  void list_slots(const std::string& host) const;
  void after_event();
  void at_time();
  Moment moment() const;
  Then back(const std::string& first, const std::string& second, const std::string& third);
  Then go_to(const std::string& argument);
  bool watch(const std::string& event, const std::string& name);
  void await_nothing();
  void mark();
  void serve(const ReverseRequest& request);
  void continue_request();
  void continue_search();
  void slot_changed(HostId host, SlotIndex slot, std::uint32_t flow, SlotChange change);
  std::string now() const;

  Context c_;
  std::istream& in_;
  std::ostream& out_;
  bool prompt_;
  bool quit_ = false;
  bool input_over_ = false;
  model::DebugRegistry registry_;
  Event time_event_;
  std::vector<std::unique_ptr<Listener>> listeners_;

  // Conditions other than a time at which the run pauses.
  std::uint64_t steps_left_ = 0;
  bool slots_observable_ = true;  // true if every host reports changes of its slots
  std::optional<SlotChange> awaited_;
  SlotChange
      awaited_kind_{};  // kind of slot change that is awaited, kept after awaited_ is cleared
  std::string awaited_name_;
  std::string awaited_text_;  // text about the awaited change, set when the change happened
  std::function<std::string()> watched_;
  std::string watched_name_;
  std::string watched_value_;

  // State of a command that goes back in simulated time.
  std::optional<ConsoleHistory> history_;
  // number of times that the console's time_event_ ran
  std::uint64_t own_events_ = 0;
  std::optional<ReverseRequest> reverse_request_;  // request to go back that the console is serving
  bool snapshot_halfway_ = false;  // true if a snapshot is to be taken halfway through the replay
  std::uint64_t stage_ = 0;  // kToEvents: number of events at which the replay is checked next
  std::optional<std::uint64_t> found_;
  std::string found_text_;
};

}  // namespace dcc::vp
