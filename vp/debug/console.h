// The platform's prompt: pause, look, step, resume, go back. `dccvp run --interactive`.
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

/// Reads commands, one a line, while simulated time stands still; `help` lists them. Looking has no
/// side effects: a run with pauses is the same run. The end of the input resumes the run to its
/// end; what is not understood is answered with a sentence.
class Console final : public PlatformPart {
 public:
  struct Context {
    model::SimulationKernel& kernel;
    std::vector<std::unique_ptr<Host>>& hosts;
    const Network& network;
    const FlowPlan& plan;
    const StateDigests& states;
    std::uint32_t rank;  // the greatest: a pause at t comes after everything that happens at t
    model::TimeMachine* machine;   // null: nobody can go back …
    std::string snapshot_refusal;  // … for this reason
  };
  /// `prompt`: print one (a person types).
  Console(const Context& context, std::istream& in, std::ostream& out, bool prompt);
  /// Before anything has happened; pauses.
  void begin() override;
  /// Takes a snapshot if one is due.
  void heartbeat() override {
    if (history_ && !input_over_ && history_->is_due()) mark();
  }
  /// A run that the user ended is not complete.
  void finish(RunResults& results) override {
    if (quit_) results.completed = false;
  }
  /// True if the user asked for the end.
  bool quit() const { return quit_; }

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

  // What the run is to pause at besides a time.
  std::uint64_t steps_left_ = 0;
  bool slots_told_ = true;  // of every host whose slots change
  std::optional<SlotChange> awaited_;
  SlotChange awaited_kind_{};  // the same, once it has happened
  std::string awaited_name_;
  std::string awaited_text_;  // set when it happened
  std::function<std::string()> watched_;
  std::string watched_name_;
  std::string watched_value_;

  // Going back.
  std::optional<ConsoleHistory> history_;
  std::uint64_t own_events_ = 0;                   // of time_event_
  std::optional<ReverseRequest> reverse_request_;  // while on the way
  bool marks_halfway_ = false;                     // a snapshot is to be taken before its end
  std::uint64_t stage_ = 0;                        // kToEvents: how far without looking up
  std::optional<std::uint64_t> found_;
  std::string found_text_;
};

}  // namespace dcc::vp
