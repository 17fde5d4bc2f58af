// Commands of the prompt that go back in simulated time: to a time, by a number of events, or to
// the last occurrence of an event.
#include <algorithm>

#include "debug/console.h"
#include "describe/quantity_text.h"

namespace dcc::vp {
namespace {

// Distance below which a part of a run is replayed without a snapshot, because a snapshot costs
// more.
constexpr PicoSeconds kShortWay = kMicroSecond * 2;
constexpr std::uint64_t kFewEvents = 4096;

constexpr std::uint64_t kMaxEventsAhead = 1u << 30;  // limit of SimulationKernel::call_hook_after

}  // namespace

Moment Console::moment() const {
  return {c_.kernel.now(), c_.kernel.scheduler().events_run() - own_events_};
}

Console::Then Console::back(const std::string& first, const std::string& second,
                            const std::string& third) {
  if (!history_) {
    out_ << "going back is not possible: " << c_.snapshot_refusal << '\n';
    return Then::kStay;
  }
  const std::uint64_t here = moment().events;
  if (first == "step" && third.empty()) {
    std::uint64_t count = 1;
    try {
      if (!second.empty()) count = QuantityText<std::uint64_t>::parse(second);
    } catch (const QuantityError&) {
      count = 0;
    }
    if (count == 0 || count > here) {
      out_ << "only " << here << " events have happened so far\n";
      return Then::kStay;
    }
    history_->to_events(here - count, "stepped back");
  }
  if (first == "until" && !second.empty()) {
    const bool known = watch(second, third);
    await_nothing();
    if (known) history_->search(here, here, second + (third.empty() ? "" : " " + third));
    return Then::kStay;
  }
  try {
    const PicoSeconds time = QuantityText<PicoSeconds>::parse(first);
    if (second.empty() && time.count > 0 && time <= c_.kernel.now()) {
      history_->to_time(c_.kernel.now() - time);
    }
    out_ << "that is before the beginning of the run: it is " << now() << '\n';
  } catch (const QuantityError&) {
    out_ << "back by what? A time, step [N], or until an event or change NAME\n";
  }
  return Then::kStay;
}

Console::Then Console::go_to(const std::string& argument) {
  PicoSeconds time{-1};
  try {
    time = QuantityText<PicoSeconds>::parse(argument);
  } catch (const QuantityError&) {
    out_ << "go to what time?\n";
    return Then::kStay;
  }
  if (time > c_.kernel.now()) return run(argument, true);
  if (time == c_.kernel.now()) return Then::kStay;
  if (history_) history_->to_time(time);
  out_ << "going back is not possible: " << c_.snapshot_refusal << '\n';
  return Then::kStay;
}

void Console::mark() {
  const std::optional<ReverseRequest> request = history_->mark(moment());
  if (request) serve(*request);
}

/// Continues from a snapshot as the request asks. Moments after the snapshot become unknown again.
void Console::serve(const ReverseRequest& request) {
  await_nothing();
  reverse_request_ = request;
  snapshot_halfway_ = false;
  found_.reset();
  const Moment here = moment();
  const bool room = history_->may_take_intermediate();
  switch (request.kind) {
    case ReverseRequest::Kind::kToTime:
      if (request.time <= here.time) {  // the requested time is the beginning of the run
        reverse_request_.reset();
        pause("paused");
        return;
      }
      snapshot_halfway_ = room && request.time - here.time > kShortWay;
      c_.kernel.scheduler().schedule_in(
          time_event_, PicoSeconds((request.time - here.time).count / (snapshot_halfway_ ? 2 : 1)));
      return;
    case ReverseRequest::Kind::kToEvents:
      snapshot_halfway_ = room && request.events - here.events > kFewEvents;
      stage_ =
          snapshot_halfway_ ? here.events + (request.events - here.events) / 2 : request.events;
      continue_request();
      return;
    case ReverseRequest::Kind::kSearch: {
      const std::size_t space = request.what.find(' ');
      watch(request.what.substr(0, space),
            space == std::string::npos ? "" : request.what.substr(space + 1));
      continue_search();
      return;
    }
  }
}

void Console::continue_request() {
  if (reverse_request_->kind == ReverseRequest::Kind::kSearch) return continue_search();
  // the time event will pause the run
  if (reverse_request_->kind == ReverseRequest::Kind::kToTime) return;
  const std::uint64_t here = moment().events;
  if (here < stage_) {
    c_.kernel.call_hook_after(static_cast<std::uint32_t>(std::min(stage_ - here, kMaxEventsAhead)));
    return;
  }
  if (snapshot_halfway_) {
    snapshot_halfway_ = false;
    stage_ = reverse_request_->events;
    c_.kernel.call_hook_after(static_cast<std::uint32_t>(std::min(stage_ - here, kMaxEventsAhead)));
    mark();
    return;
  }
  const std::string why = reverse_request_->what;
  reverse_request_.reset();
  pause(why);
}

void Console::continue_search() {
  const std::uint64_t here = moment().events;
  std::string happened;
  if (!awaited_text_.empty()) {
    happened = awaited_text_;
    awaited_text_.clear();
    awaited_ = awaited_kind_;
  } else if (watched_ != nullptr) {
    const std::string present = watched_();
    if (present != watched_value_) {
      happened = watched_name_ + ": " + watched_value_ + " -> " + present + ",";
    }
    watched_value_ = present;
  }
  if (!happened.empty() && here < reverse_request_->events) {
    found_ = here;
    found_text_ = happened;
  }
  if (here >= reverse_request_->events)
    history_->end_search(*reverse_request_, found_, found_text_);
  const std::uint64_t left = std::min(reverse_request_->events - here, kMaxEventsAhead);
  c_.kernel.call_hook_after(watched_ != nullptr ? 1 : static_cast<std::uint32_t>(left));
}

}  // namespace dcc::vp
