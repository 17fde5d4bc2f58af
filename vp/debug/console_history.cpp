#include "debug/console_history.h"

#include <sstream>

namespace dcc::vp {

std::string Orders::text() const {
  std::ostringstream line;
  line << static_cast<char>(kind) << ' ' << time.count << ' ' << events << ' ' << origin << ' '
       << what;
  return line.str();
}

Orders Orders::read(const std::string& text) {
  std::istringstream line(text);
  Orders orders;
  char kind = 0;
  line >> kind >> orders.time.count >> orders.events >> orders.origin;
  orders.kind = static_cast<Kind>(kind);
  line.get();
  std::getline(line, orders.what);
  return orders;
}

std::optional<Orders> ConsoleHistory::mark(const Moment& now) {
  if (moments_.size() > machine_.snapshots()) moments_.pop_back();  // there was no room for it
  moments_.push_back(now);
  const std::optional<std::string> orders = machine_.take_snapshot();
  if (!orders) return std::nullopt;
  return Orders::read(*orders);
}

std::size_t ConsoleHistory::last_at(std::uint64_t events) const {
  std::size_t number = machine_.snapshots() - 1;
  while (number > 0 && moments_[number].events > events) --number;
  return number;
}

void ConsoleHistory::to_time(PicoSeconds time) {
  std::size_t number = machine_.snapshots() - 1;
  // A pause at a time comes after all that happens then, a snapshot somewhere among it.
  while (number > 0 && moments_[number].time >= time) --number;
  Orders orders;
  orders.kind = Orders::Kind::kToTime;
  orders.time = time;
  machine_.restore(number, orders.text());
}

void ConsoleHistory::to_events(std::uint64_t events, const std::string& why) {
  Orders orders;
  orders.kind = Orders::Kind::kToEvents;
  orders.events = events;
  orders.what = why;
  machine_.restore(last_at(events), orders.text());
}

void ConsoleHistory::search(std::uint64_t before, std::uint64_t origin, const std::string& what) {
  Orders orders;
  orders.kind = Orders::Kind::kSearch;
  orders.events = before;
  orders.origin = origin;
  orders.what = what;
  machine_.restore(last_at(before == 0 ? 0 : before - 1), orders.text());
}

void ConsoleHistory::search_over(const Orders& search, std::optional<std::uint64_t> found,
                                 const std::string& why) {
  if (found) to_events(*found, why);
  const std::uint64_t begin = moments_[last_at(search.events == 0 ? 0 : search.events - 1)].events;
  if (begin > moments_.front().events) this->search(begin, search.origin, search.what);
  to_events(search.origin, "that has not happened before: paused");
}

}  // namespace dcc::vp
