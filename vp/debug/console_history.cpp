#include "debug/console_history.h"

#include <sstream>

namespace dcc::vp {

std::string ReverseRequest::text() const {
  std::ostringstream line;
  line << static_cast<char>(kind) << ' ' << time.count << ' ' << events << ' ' << origin << ' '
       << what;
  return line.str();
}

ReverseRequest ReverseRequest::read(const std::string& text) {
  std::istringstream line(text);
  ReverseRequest request;
  char kind = 0;
  line >> kind >> request.time.count >> request.events >> request.origin;
  request.kind = static_cast<Kind>(kind);
  line.get();
  std::getline(line, request.what);
  return request;
}

std::optional<ReverseRequest> ConsoleHistory::mark(const Moment& now) {
  // removes the moment of a snapshot that the system had no memory for
  if (moments_.size() > machine_.snapshots()) moments_.pop_back();
  moments_.push_back(now);
  const std::optional<std::string> request = machine_.take_snapshot();
  if (!request) return std::nullopt;
  return ReverseRequest::read(*request);
}

std::size_t ConsoleHistory::last_at(std::uint64_t events) const {
  std::size_t number = machine_.snapshots() - 1;
  while (number > 0 && moments_[number].events > events) --number;
  return number;
}

void ConsoleHistory::to_time(PicoSeconds time) {
  std::size_t number = machine_.snapshots() - 1;
  // Chooses a snapshot before the requested time: a pause at a time comes after all events of that
  // instant, and a snapshot may lie between these events.
  while (number > 0 && moments_[number].time >= time) --number;
  ReverseRequest request;
  request.kind = ReverseRequest::Kind::kToTime;
  request.time = time;
  machine_.restore(number, request.text());
}

void ConsoleHistory::to_events(std::uint64_t events, const std::string& why) {
  ReverseRequest request;
  request.kind = ReverseRequest::Kind::kToEvents;
  request.events = events;
  request.what = why;
  machine_.restore(last_at(events), request.text());
}

void ConsoleHistory::search(std::uint64_t before, std::uint64_t origin, const std::string& what) {
  ReverseRequest request;
  request.kind = ReverseRequest::Kind::kSearch;
  request.events = before;
  request.origin = origin;
  request.what = what;
  machine_.restore(last_at(before == 0 ? 0 : before - 1), request.text());
}

void ConsoleHistory::end_search(const ReverseRequest& search, std::optional<std::uint64_t> found,
                                const std::string& why) {
  if (found) to_events(*found, why);
  const std::uint64_t begin = moments_[last_at(search.events == 0 ? 0 : search.events - 1)].events;
  if (begin > moments_.front().events) this->search(begin, search.origin, search.what);
  to_events(search.origin, "that has not happened before: paused");
}

}  // namespace dcc::vp
