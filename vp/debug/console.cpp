#include "debug/console.h"

#include <fmt/format.h>

#include <iostream>
#include <iterator>
#include <sstream>

#include "build/platform.h"
#include "build/ranks.h"
#include "debug/inspection.h"
#include "describe/quantity_text.h"

namespace dcc::vp {
namespace {

const char kHelp[] =
    "run [TIME]          resume to the end of the run, or for this long: run 10us\n"
    "until TIME          resume to this moment: until 1.5ms\n"
    "until EVENT         resume to a controller's next: bound, cut, increase, released\n"
    "until NAME changes  resume until this value changes\n"
    "step [N]            run N events of the devices (default 1)\n"
    "goto TIME           to this moment, ahead or in the past\n"
    "back TIME           so much time back: back 10us\n"
    "back step [N]       N events back (default 1)\n"
    "back until EVENT    to where that happened last before now\n"
    "back until NAME changes    to where this value changed last\n"
    "read NAME           a value: host1.dcc.CTRL, host1.slot[0], flow[2], queue[0]\n"
    "slots HOST          all bound slots of a host's controller\n"
    "modules             what there is, and what can be read\n"
    "ibccquery ATTRIBUTE HOST   congestion control of InfiniBand: CACongestionSetting,\n"
    "                    CongestionControlTable; ibccconfig sets the first\n"
    "time                simulated time\n"
    "quit                end the run here\n"
    "Lines that begin with # are comments.\n";

constexpr std::size_t kMaxCommandLength = 1000;
constexpr std::uint64_t kMaxSteps = 1'000'000'000;

/// Replaces characters that a terminal cannot show.
std::string clean(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7E) c = '?';
  }
  return text;
}

/// Returns the text that the user typed in quotes, shortened.
std::string shown(const std::string& text) {
  return "'" + clean(text.substr(0, 60)) + (text.size() > 60 ? "...'" : "'");
}

std::optional<SlotChange> change_named(const std::string& name) {
  if (name == "bound") return SlotChange::kBound;
  if (name == "cut") return SlotChange::kCut;
  if (name == "increase") return SlotChange::kTimerIncrease;
  if (name == "released") return SlotChange::kReleased;
  return std::nullopt;
}

std::optional<std::uint64_t> number_in(const std::string& text, std::uint64_t most) {
  try {
    const std::uint64_t value = QuantityText<std::uint64_t>::parse(text);
    if (value <= most) return value;
  } catch (const QuantityError&) {
  }
  return std::nullopt;
}

}  // namespace

Console::Console(const Context& context, std::istream& in, std::ostream& out, bool prompt)
    : c_(context),
      in_(in),
      out_(out),
      prompt_(prompt),
      time_event_(Event::calling<&Console::at_time>(*this, context.rank)) {
  describe_platform(registry_, c_.hosts, c_.network, c_.plan);
  registry_.add_value(digest_value(c_.states));
  for (const auto& host : c_.hosts) {
    listeners_.push_back(std::make_unique<Listener>(*this, host->id()));
    slots_observable_ = host->observe_slots(*listeners_.back()) && slots_observable_;
  }
  c_.kernel.add_event_hook([this] { after_event(); });
  if (c_.machine != nullptr) history_.emplace(*c_.machine);
}

void Console::begin() {
  if (history_) {
    if (const std::optional<ReverseRequest> request = history_->mark(moment()))
      return serve(*request);
  }
  pause("paused");
}

std::string Console::now() const { return QuantityText<PicoSeconds>::format(c_.kernel.now()); }

// `why` is passed by value, because it may refer to a member that await_nothing() clears.
void Console::pause(std::string why) {
  if (input_over_ || quit_) return;
  await_nothing();
  if (history_) history_->finish_replay();
  out_ << why << " at " << now() << '\n';
  std::string line;
  for (;;) {
    if (prompt_) out_ << "(" << now() << ") ";
    out_.flush();
    if (!std::getline(in_, line)) {
      input_over_ = true;
      return;
    }
    if (execute(line) == Then::kResume) return;
  }
}

void Console::await_nothing() {
  c_.kernel.scheduler().cancel(time_event_);
  steps_left_ = 0;
  awaited_.reset();
  awaited_text_.clear();
  watched_ = nullptr;
}

void Console::at_time() {
  ++own_events_;
  if (!snapshot_halfway_) {
    reverse_request_.reset();
    pause("paused");
    return;
  }
  snapshot_halfway_ = false;
  c_.kernel.scheduler().schedule_at(time_event_, reverse_request_->time);
  mark();
}

Console::Then Console::execute(const std::string& line) {
  if (line.size() > kMaxCommandLength) {
    out_ << "a line of " << line.size() << " characters is no command\n";
    return Then::kStay;
  }
  std::istringstream all(line);
  const std::vector<std::string> every{std::istream_iterator<std::string>(all), {}};
  if (!every.empty() && (every[0] == "ibccquery" || every[0] == "ibccconfig")) {
    return congestion(every);
  }
  std::istringstream words(line);
  std::string verb;
  std::string first;
  std::string second;
  std::string third;
  std::string more;
  words >> verb >> first >> second >> third >> more;
  if (!more.empty() || (!third.empty() && verb != "back")) {
    out_ << "too many words: " << shown(line) << "; help lists the commands\n";
    return Then::kStay;
  }
  if (verb == "run" || verb == "r" || verb == "resume" || verb == "continue" || verb == "c") {
    return run(first, false);
  }
  if (verb == "until" || verb == "u") {
    return second == "changes" ? until("change", first) : until(first, second);
  }
  if (verb == "step" || verb == "s") return step(first);
  if (verb == "back") {
    return third == "changes" ? back(first, "change", second) : back(first, second, third);
  }
  if (verb == "goto") return go_to(first);
  if (verb == "quit" || verb == "q") {
    quit_ = true;
    c_.kernel.stop();
    return Then::kResume;
  }
  if (verb == "read" || verb == "p") {
    print(first);
  } else if (verb == "slots") {
    list_slots(first);
  } else if (verb == "modules") {
    list_modules();
  } else if (verb == "time") {
    out_ << now() << '\n';
  } else if (verb == "help" || verb == "?") {
    out_ << kHelp;
  } else if (!verb.empty() && verb[0] != '#') {
    out_ << "unknown command " << shown(verb) << "; help lists them\n";
  }
  return Then::kStay;
}

Console::Then Console::run(const std::string& argument, bool absolute) {
  if (argument.empty()) return Then::kResume;
  PicoSeconds time;
  try {
    time = QuantityText<PicoSeconds>::parse(argument);
  } catch (const QuantityError& error) {
    out_ << shown(argument) << ": " << clean(error.what()) << '\n';
    return Then::kStay;
  }
  const PicoSeconds present = c_.kernel.now();
  // Refuses a time beyond the end of the run, which would never pause; the sum could overflow.
  const PicoSeconds left = c_.kernel.end() - present;
  const PicoSeconds ahead = absolute ? time - present : time;
  if (ahead.count <= 0) {
    out_ << argument << (absolute ? " is not ahead: it is " + now() : " is no time at all") << '\n';
    return Then::kStay;
  }
  if (ahead <= left) c_.kernel.scheduler().schedule_in(time_event_, ahead);
  return Then::kResume;
}

Console::Then Console::step(const std::string& argument) {
  const auto count = argument.empty() ? std::uint64_t{1} : number_in(argument, kMaxSteps);
  if (!count || *count == 0) {
    out_ << shown(argument) << " is not a number of events from 1 to " << kMaxSteps << '\n';
    return Then::kStay;
  }
  steps_left_ = *count;
  c_.kernel.call_hook_after(1);
  return Then::kResume;
}

Console::Then Console::until(const std::string& event, const std::string& argument) {
  if (event.empty()) {
    out_ << "until what? A time, an event, or change NAME\n";
    return Then::kStay;
  }
  if (event[0] >= '0' && event[0] <= '9') return run(event, true);
  return watch(event, argument) ? Then::kResume : Then::kStay;
}

bool Console::watch(const std::string& event, const std::string& name) {
  if (event == "change") {
    std::string error;
    watched_ = registry_.find(name, error);
    if (!watched_) {
      out_ << (name.empty() ? "until change of what?" : clean(error)) << '\n';
      return false;
    }
    watched_name_ = name;
    watched_value_ = watched_();
    c_.kernel.call_hook_after(1);
    return true;
  }
  if (const auto change = change_named(event)) {
    if (!slots_observable_) {
      out_ << "engine: rtl does not report changes of its slots; engine: lockstep does\n";
      return false;
    }
    awaited_ = change;
    awaited_kind_ = *change;
    awaited_name_ = event;
    return true;
  }
  out_ << shown(event) << " is neither a time nor bound, cut, increase, released or change\n";
  return false;
}

void Console::print(const std::string& name) {
  std::string error;
  const auto read = registry_.find(name, error);
  if (name.empty()) {
    out_ << "read what? modules lists what there is\n";
  } else if (read) {
    out_ << name << " = " << read() << '\n';
  } else {
    out_ << clean(error) << '\n';
  }
}

void Console::list_modules() const {
  for (const auto& module : registry_.modules()) {
    out_ << "  " << module.name << "  " << module.kind << '\n';
  }
  out_ << "values:\n";
  for (const auto& value : registry_.values()) {
    out_ << "  " << value.name;
    if (value.count != 0) out_ << "[0.." << value.count - 1 << "]";
    out_ << "  " << value.help << '\n';
  }
}

void Console::list_slots(const std::string& host) const {
  // Accepts a host's number ("1") or its name ("host1").
  const std::string digits = host.compare(0, 4, "host") == 0 ? host.substr(4) : host;
  const auto id = number_in(digits, c_.hosts.size() - 1);
  if (!id) {
    out_ << shown(host) << " is not a host: there are 0 to " << c_.hosts.size() - 1 << '\n';
    return;
  }
  Host& chosen = *c_.hosts[*id];
  if (chosen.dcc() == nullptr) {
    out_ << "host " << *id << " has no congestion controller\n";
    return;
  }
  ControllerEngine& device = chosen.dcc()->device();
  const std::uint32_t slots = device.config().slots;
  out_ << slots - device.free_slots() << " of " << slots << " slots in use\n";
  for (SlotIndex i = 0; i < slots; ++i) {
    if (!device.slot(i).flow) continue;
    const std::string name = "host" + std::to_string(*id) + ".slot[" + std::to_string(i) + "]";
    std::string error;
    out_ << "  " << i << ": " << registry_.find(name, error)() << '\n';
  }
}

void Console::slot_changed(HostId host, SlotIndex slot, std::uint32_t flow, SlotChange change) {
  if (!awaited_) return;
  const bool increase = *awaited_ == SlotChange::kTimerIncrease;
  if (change != *awaited_ && !(increase && change == SlotChange::kByteIncrease)) return;
  awaited_.reset();
  awaited_text_ =
      fmt::format("host {}, slot {}, flow number {}: {}", host, slot, flow, awaited_name_);
  c_.kernel.call_hook_after(1);  // the run pauses after the event that changed the slot
}

void Console::after_event() {
  if (reverse_request_) {
    continue_request();
  } else if (!awaited_text_.empty()) {
    pause(awaited_text_);
  } else if (watched_ != nullptr) {
    const std::string present = watched_();
    if (present == watched_value_) {
      c_.kernel.call_hook_after(1);
    } else {
      pause(watched_name_ + ": " + watched_value_ + " -> " + present + ",");
    }
  } else if (steps_left_ != 0) {
    if (--steps_left_ == 0) {
      pause("stepped");
    } else {
      c_.kernel.call_hook_after(1);
    }
  }
}

namespace {
const PartKind kConsoleKind(PartKind::kConsole, [](Platform& p) -> std::unique_ptr<PlatformPart> {
  if (!p.setup.interactive) return nullptr;
  return std::make_unique<Console>(
      Console::Context{p.kernel, p.hosts, p.network, p.plan, p.part<WatchedStates>()->states(),
                       kConsoleRank, p.setup.machine, p.setup.snapshot_refusal},
      std::cin, std::cout, p.setup.prompt);
});
}  // namespace

}  // namespace dcc::vp
