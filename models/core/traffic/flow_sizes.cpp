#include "traffic/flow_sizes.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "traffic/size_tables.h"
#include "traffic/text_fields.h"
#include "traffic/traffic_spec.h"

namespace dcc {

namespace {
constexpr std::uint64_t kAll = 100'000'000;  // 100 % in millionths of a percent
constexpr std::size_t kMaxFile = 1 << 20;
}  // namespace

std::vector<std::string> FlowSizes::names() {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < kSizeTableCount; ++i) all.emplace_back(kSizeTables[i].name);
  return all;
}

FlowSizes FlowSizes::named_or_file(const std::string& name) {
  std::string known;
  for (std::size_t i = 0; i < kSizeTableCount; ++i) {
    if (name == kSizeTables[i].name) return parse(kSizeTables[i].text, name);
    known += std::string(kSizeTables[i].name) + ", ";
  }
  std::ifstream in(name, std::ios::binary);
  if (!in) {
    throw TrafficError(name + ": " + std::strerror(errno) + " (sizes: " + known + "or a file)");
  }
  std::string text;
  for (char chunk[4096]; in.read(chunk, sizeof chunk) || in.gcount() > 0;) {
    text.append(chunk, static_cast<std::size_t>(in.gcount()));
    if (text.size() > kMaxFile) throw TrafficError(name + ": more than 1 MiB");
  }
  if (in.bad()) throw TrafficError(name + ": cannot be read");
  return parse(text, name);
}

FlowSizes FlowSizes::parse(const std::string& text, const std::string& name) {
  FlowSizes sizes;
  int number = 0;
  std::string place = name;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    at = end + 1;
    place = name + ":" + std::to_string(++number);
    line.resize(std::min(line.find('#'), line.size()));
    TextFields fields(line);
    if (fields.at_end()) continue;
    Point point;
    if (!fields.number(0, kMaxFlow, point.bytes)) {
      throw TrafficError(place + ": expected a size in bytes (0 … 2^40)");
    }
    std::int64_t percent = 0;
    if (!fields.decimal(6, static_cast<std::int64_t>(kAll), percent) || !fields.at_end()) {
      throw TrafficError(place + ": expected \"bytes percent\" with 0 … 100 percent");
    }
    point.micro_percent = static_cast<std::uint64_t>(percent);
    if (sizes.points_.empty() && point.micro_percent != 0) {
      throw TrafficError(place + ": the first line must stand at 0 percent");
    }
    if (!sizes.points_.empty() && (point.bytes < sizes.points_.back().bytes ||
                                   point.micro_percent < sizes.points_.back().micro_percent)) {
      throw TrafficError(place + ": sizes and percentages must not fall");
    }
    sizes.points_.push_back(point);
  }
  if (sizes.points_.empty() || sizes.points_.back().micro_percent != kAll) {
    throw TrafficError(place + ": the last line must stand at 100 percent");
  }
  if (sizes.points_.back().bytes == 0) throw TrafficError(place + ": every flow would be empty");
  return sizes;
}

Bytes FlowSizes::draw(RandomStream& random) const {
  // The drawn percentage has 32 more bits than the table's last decimal; the search finds the first
  // point above it.
  const std::uint64_t drawn = random.below(kAll << 32);
  std::size_t above = 1;
  while ((points_[above].micro_percent << 32) <= drawn) ++above;
  const Point& lo = points_[above - 1];
  const Point& hi = points_[above];
  const Uint128 part = drawn - (lo.micro_percent << 32);
  const Uint128 span = static_cast<Uint128>(hi.micro_percent - lo.micro_percent) << 32;
  const Bytes bytes =
      lo.bytes + static_cast<Bytes>(static_cast<Uint128>(hi.bytes - lo.bytes) * part / span);
  return std::max<Bytes>(bytes, 1);
}

std::uint64_t FlowSizes::mean_micro_bytes() const {
  Uint128 doubled = 0;
  for (std::size_t i = 1; i < points_.size(); ++i) {
    doubled += static_cast<Uint128>(points_[i - 1].bytes + points_[i].bytes) *
               (points_[i].micro_percent - points_[i - 1].micro_percent);
  }
  return static_cast<std::uint64_t>(doubled * 1'000'000u / (2 * kAll));
}

}  // namespace dcc
