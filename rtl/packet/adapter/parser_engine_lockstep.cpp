// Parsers in lock-step: model and hardware get each CNP and each sent packet, and their answers
// must be equal.
#include "parser_engine_lockstep.h"

#include <cstddef>
#include <deque>
#include <string>
#include <unordered_map>
#include <utility>

#include "controller/lockstep_report.h"
#include "describe/quantity_text.h"

namespace dcc {
namespace {

constexpr std::size_t kLastCalls = 20;  // number of calls that a report lists
using Outcome = ParsedCnp::Outcome;

std::string number(const char* name, std::uint64_t value) {
  return std::string(", ") + name + " " + std::to_string(value);
}
std::string text(const ParsedCnp& told) {
  if (told.outcome == Outcome::kUnbound) return "no flow is bound";
  if (told.outcome == Outcome::kRefused) {
    return "CNP refused, reason " + std::to_string(told.reason);
  }
  return "CNP for queue pair " + std::to_string(told.flow) + number("DSCP", told.dscp) +
         number("peer", told.peer) + number("marks", told.marks) + number("packets", told.packets);
}
std::string text(const ByteNotice& told) {
  if (!told.bound) return "no flow is bound";
  return "queue pair " + std::to_string(told.flow) + number("DSCP", told.dscp) +
         number("bytes", told.bytes);
}

/// Names of the fields in which two answers differ: "marks, packets".
class Differences {
 public:
  template <class T>
  Differences& of(const char* name, const T& expected, const T& seen) {
    if (!(expected == seen)) names_ += (names_.empty() ? "" : ", ") + std::string(name);
    return *this;
  }
  const std::string& names() const { return names_; }

 private:
  std::string names_;
};
std::string differences(const ParsedCnp& expected, const ParsedCnp& seen) {
  if (expected.outcome != seen.outcome) return "outcome";
  return Differences()
      .of("reason", expected.reason, seen.reason)
      .of("flow", expected.flow, seen.flow)
      .of("DSCP", expected.dscp, seen.dscp)
      .of("peer", expected.peer, seen.peer)
      .of("marks", expected.marks, seen.marks)
      .of("packets", expected.packets, seen.packets)
      .names();
}
std::string differences(const ByteNotice& expected, const ByteNotice& seen) {
  if (expected.bound != seen.bound) return "outcome";
  return Differences()
      .of("flow", expected.flow, seen.flow)
      .of("DSCP", expected.dscp, seen.dscp)
      .of("bytes", expected.bytes, seen.bytes)
      .names();
}

class Lockstep final : public ParserEngine {
 public:
  Lockstep(std::unique_ptr<ParserEngine> hardware, ParserLockstepOptions options)
      : hardware_(std::move(hardware)), options_(std::move(options)) {}

  void begin(Qpn qpn, const ParserContext& context) override {
    model_[qpn] = context;
    hardware_->begin(qpn, context);
  }
  void end(Qpn qpn) override {
    model_.erase(qpn);
    hardware_->end(qpn);
  }
  ParsedCnp cnp(const Packet& cnp, PicoSeconds now) override {
    const Qpn qpn = cnp.destination_qpn;
    ParsedCnp expected;
    if (const auto known = model_.find(qpn); known != model_.end()) {
      expected.outcome = Outcome::kCnp;
      expected.flow = qpn;
      expected.dscp = known->second.dscp;
      expected.peer = known->second.peer;
      expected.marks = cnp.cnp_marks;
      expected.packets = cnp.cnp_packets;
    }
    keep({now, qpn, true, cnp.cnp_marks, cnp.cnp_packets});
    return compare(expected, hardware_->cnp(cnp, now));
  }
  ByteNotice sent(const SentPacket& packet) override {
    ByteNotice expected;
    if (const auto known = model_.find(packet.qpn); known != model_.end()) {
      expected.bound = true;
      expected.flow = packet.qpn;
      expected.dscp = known->second.dscp;
      expected.bytes = packet.length + packet.overhead;
    }
    keep({packet.now, packet.qpn, false, packet.length, packet.overhead});
    return compare(expected, hardware_->sent(packet));
  }

 private:
  struct Call {
    PicoSeconds now;
    Qpn qpn;
    bool is_cnp;
    // marks and packets of a CNP, or length and overhead of a sent packet
    std::uint32_t first, second;
  };

  void keep(const Call& call) {
    last_.push_back(call);
    if (last_.size() > kLastCalls) last_.pop_front();
    ++comparisons_;
  }
  std::string to_string(const Call& call) const {
    const auto known = model_.find(call.qpn);
    std::string said = call.is_cnp ? "CNP at " : "sent packet at ";
    said += text_of(call.now);
    if (known != model_.end()) said += " flow " + std::to_string(known->second.flow);
    said += " queue pair " + std::to_string(call.qpn);
    said += number(call.is_cnp ? "marks" : "length", call.first);
    return said + number(call.is_cnp ? "packets" : "overhead", call.second);
  }
  template <class Answer>
  Answer compare(const Answer& expected, const Answer& seen) {
    const std::string fields = differences(expected, seen);
    if (fields.empty() || differed_) return expected;
    // Lock-step reports only the first difference; later calls return the model's answers.
    differed_ = true;
    std::string report = options_.name + ": model and RTL differ after " +
                         std::to_string(comparisons_) + " comparisons, seed " +
                         std::to_string(options_.seed) + ": " + to_string(last_.back()) + ": " +
                         fields + "\n  model: " + text(expected) + "\n  RTL:   " + text(seen) +
                         "\n  last calls:\n";
    for (const Call& call : last_) report += "    " + to_string(call) + "\n";
    throw LockstepMismatch(report);
  }

  std::unique_ptr<ParserEngine> hardware_;
  ParserLockstepOptions options_;
  std::unordered_map<Qpn, ParserContext> model_;
  std::deque<Call> last_;
  std::uint64_t comparisons_ = 0;
  bool differed_ = false;
};

}  // namespace

std::unique_ptr<ParserEngine> make_lockstep_parser(std::unique_ptr<ParserEngine> hardware,
                                                   const ParserLockstepOptions& options) {
  return std::make_unique<Lockstep>(std::move(hardware), options);
}

}  // namespace dcc
