// Notification points in lock-step: model and hardware get each packet, and their CNPs must be
// equal.
#include "notification_engine_lockstep.h"

#include <cstddef>
#include <deque>
#include <unordered_map>
#include <utility>

#include "controller/lockstep_report.h"
#include "describe/quantity_text.h"
#include "nic/notification_point.h"

namespace dcc {
namespace {

constexpr std::size_t kLastCalls = 20;  // number of calls that a report lists

std::string to_string(const std::optional<Notification>& told) {
  if (!told) return "no CNP";
  return "CNP to host " + std::to_string(told->destination) + " queue pair " +
         std::to_string(told->destination_qpn) + ", marks " + std::to_string(told->marks) +
         ", packets " + std::to_string(told->packets) + ", DSCP " + std::to_string(told->dscp) +
         ", priority " + std::to_string(told->priority);
}
std::string to_string(const NotifiedPacket& packet) {
  return "at " + text_of(packet.now) + " flow " + std::to_string(packet.flow) + " queue pair " +
         std::to_string(packet.qpn) + (packet.marked ? ", marked" : ", not marked") + ", of host " +
         std::to_string(packet.sender) + (packet.wanted ? "" : " without CNPs");
}
bool same(const std::optional<Notification>& a, const std::optional<Notification>& b) {
  if (!a || !b) return !a && !b;
  return a->marks == b->marks && a->packets == b->packets && a->destination == b->destination &&
         a->destination_qpn == b->destination_qpn && a->dscp == b->dscp &&
         a->priority == b->priority;
}

class Lockstep final : public NotificationEngine {
 public:
  Lockstep(std::unique_ptr<NotificationEngine> hardware, NotificationLockstepOptions options)
      : hardware_(std::move(hardware)), options_(std::move(options)) {}

  void begin(Qpn qpn) override {
    model_[qpn] = {};
    hardware_->begin(qpn);
  }
  void end(Qpn qpn) override {
    model_.erase(qpn);
    hardware_->end(qpn);
  }
  std::optional<Notification> packet(const NotifiedPacket& packet,
                                     const CnpParameters& parameters) override {
    last_.push_back(packet);
    if (last_.size() > kLastCalls) last_.pop_front();
    const std::optional<Notification> expected = of_model(packet, parameters);
    const std::optional<Notification> seen = hardware_->packet(packet, parameters);
    ++comparisons_;
    if (!differed_ && !same(expected, seen)) differ(packet, parameters, expected, seen);
    return expected;
  }

 private:
  std::optional<Notification> of_model(const NotifiedPacket& packet,
                                       const CnpParameters& parameters) {
    NotificationPoint& point = model_.at(packet.qpn);
    point.on_packet();
    Notification out;
    if (packet.marked) {
      if (!packet.wanted) return std::nullopt;
      out.marks = point.on_ce(packet.now, parameters);
      if (out.marks == 0) return std::nullopt;
      out.packets = point.reported_packets();
    } else if (!point.on_unmarked()) {
      return std::nullopt;
    }
    out.destination = packet.sender;
    out.destination_qpn = packet.sender_qpn;
    out.dscp = parameters.dscp;
    out.priority = parameters.priority;
    return out;
  }

  [[noreturn]] void differ(const NotifiedPacket& packet, const CnpParameters& parameters,
                           const std::optional<Notification>& expected,
                           const std::optional<Notification>& seen) {
    // Lock-step reports only the first difference; later calls return the model's decisions.
    differed_ = true;
    std::string report =
        options_.name + ": model and RTL differ after " + std::to_string(comparisons_) +
        " comparisons, seed " + std::to_string(options_.seed) + ": packet " + to_string(packet) +
        "\n  model: " + to_string(expected) + "\n  RTL:   " + to_string(seen) + "\n  interval " +
        text_of(parameters.interval) + (parameters.carry_marks ? ", CNPs carry counts" : "") +
        "\n  last calls:\n";
    for (const NotifiedPacket& call : last_) report += "    packet " + to_string(call) + "\n";
    throw LockstepMismatch(report);
  }

  std::unique_ptr<NotificationEngine> hardware_;
  NotificationLockstepOptions options_;
  std::unordered_map<Qpn, NotificationPoint> model_;
  std::deque<NotifiedPacket> last_;
  std::uint64_t comparisons_ = 0;
  bool differed_ = false;
};

}  // namespace

std::unique_ptr<NotificationEngine> make_lockstep_notification_engine(
    std::unique_ptr<NotificationEngine> hardware, const NotificationLockstepOptions& options) {
  return std::make_unique<Lockstep>(std::move(hardware), options);
}

}  // namespace dcc
