#include "marking_switch.h"

#include <algorithm>
#include <utility>

#include "wire/roce_headers.h"

namespace dcc {
namespace {
constexpr std::size_t kIp = 14, kOpcode = 42;
bool is_cnp(const Frame& frame) {
  return frame.bytes.at(kOpcode) == static_cast<std::uint8_t>(roce::Opcode::kCnp);
}
}  // namespace

void MarkingSwitch::take(unsigned port, Frame frame) {
  cnps_.at(port) += is_cnp(frame) ? 1 : 0;
  from_.at(port).push_back({now_ + kDelay, std::move(frame)});
}

bool MarkingSwitch::empty() const {
  const auto none = [](const auto& links) { return links[0].empty() && links[1].empty(); };
  const auto idle = [](const Output& out) { return out.control.empty() && out.data.empty(); };
  return none(from_) && none(to_) && idle(outputs_[0]) && idle(outputs_[1]);
}

void MarkingSwitch::mark(Frame& frame, std::uint64_t queue) {
  std::uint8_t* const ip = frame.bytes.data() + kIp;
  if ((ip[1] & 3) == 0) return;  // the packet is not ECN-capable
  if (queue <= kmin || random_() % (kmax - kmin) >= queue - kmin) return;
  ip[1] |= 3;
  ip[10] = ip[11] = 0;
  const std::uint32_t sum = roce::ipv4_checksum(ip);
  ip[10] = static_cast<std::uint8_t>(sum >> 8);
  ip[11] = static_cast<std::uint8_t>(sum);
  ++marked_;
}

void MarkingSwitch::cycle() {
  ++now_;
  for (unsigned port = 0; port < 2; ++port) {
    auto& arriving = from_[port];
    if (!arriving.empty() && arriving.front().at <= now_) {
      Output& out = outputs_[1 - port];
      Frame& frame = arriving.front().frame;
      if (is_cnp(frame)) {
        out.control.push_back(std::move(frame));
      } else {
        out.bytes += frame.bytes.size();
        longest_ = std::max(longest_, out.bytes);
        out.data.push_back(std::move(frame));
      }
      arriving.pop_front();
    }
    Output& out = outputs_[port];
    if (out.busy_until < (now_ + 1) * kBytesACycle && !(out.control.empty() && out.data.empty())) {
      auto& queue = out.control.empty() ? out.data : out.control;
      Frame frame = std::move(queue.front());
      queue.pop_front();
      if (&queue == &out.data) {
        out.bytes -= frame.bytes.size();
        mark(frame, out.bytes);
      }
      out.busy_until =
          std::max(out.busy_until, now_ * kBytesACycle) + frame.bytes.size() + kOverhead;
      to_[port].push_back({out.busy_until / kBytesACycle + kDelay, std::move(frame)});
    }
    auto& leaving = to_[port];
    if (!leaving.empty() && leaving.front().at <= now_) {
      arrive(port, std::move(leaving.front().frame));
      leaving.pop_front();
    }
  }
}

}  // namespace dcc
