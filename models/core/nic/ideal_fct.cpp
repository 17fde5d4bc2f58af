#include "nic/ideal_fct.h"

#include <algorithm>
#include <cassert>

#include "wire/wire_size.h"

namespace dcc {
namespace {

/// One packet at one of the servers that all packets pass in order: pacing, DMA, every link there,
/// every link back.
struct Step {
  PicoSeconds hold{};  // from its start to the next packet's at the earliest
  PicoSeconds pass{};  // from its start to that at the next server at the earliest
};

/// Equal packets.
struct Packets {
  Bytes count = 0;
  std::vector<Step> steps;  // one a server
  Bytes wire = 0;           // of an answer, overhead included
};

/// What packets do to the servers: with free[i] the time from which server i could start the first
/// of them, it can start the one behind the last at max over i <= j of (free[i] + at(j, i)). Such
/// maps compose as matrices do, with max for the sum and + for the product.
class Passage {
 public:
  explicit Passage(std::size_t servers) : servers_(servers), cells_(servers * servers) {}

  /// A start of packet p at server j waits for p - 1 there and for p at j - 1. So the last of n
  /// starts after the longest way from (first packet, server i) over n - 1 holds and j - i passes,
  /// and that takes all its holds at the slowest server on the way.
  static Passage of(const Packets& packets) {
    Passage passage(packets.steps.size());
    for (std::size_t i = 0; i < packets.steps.size(); ++i) {
      PicoSeconds passed{};
      PicoSeconds slowest{};
      for (std::size_t j = i; j < packets.steps.size(); ++j) {
        const Step& here = packets.steps[j];
        slowest = std::max(slowest, here.hold);
        passage.at(j, i) = passed + slowest * (packets.count - 1) + here.hold;
        passed += here.pass;
      }
    }
    return passage;
  }

  Passage then(const Passage& later) const {
    Passage both(servers_);
    for (std::size_t i = 0; i < servers_; ++i) {
      for (std::size_t j = i; j < servers_; ++j) {
        PicoSeconds longest{};
        for (std::size_t k = i; k <= j; ++k) {
          longest = std::max(longest, at(k, i) + later.at(j, k));
        }
        both.at(j, i) = longest;
      }
    }
    return both;
  }

  void apply_to(std::vector<PicoSeconds>& free) const {
    for (std::size_t j = servers_; j-- > 0;) {
      PicoSeconds latest{};
      for (std::size_t i = 0; i <= j; ++i) latest = std::max(latest, free[i] + at(j, i));
      free[j] = latest;
    }
  }

 private:
  PicoSeconds& at(std::size_t j, std::size_t i) { return cells_[j * servers_ + i]; }
  PicoSeconds at(std::size_t j, std::size_t i) const { return cells_[j * servers_ + i]; }

  std::size_t servers_;
  std::vector<PicoSeconds> cells_;  // only those with i <= j
};

class Flow {
 public:
  Flow(const IdealFlow& flow, const NicParameters& nic, const std::vector<LinkParameters>& there,
       const std::vector<LinkParameters>& back)
      : flow_(flow), nic_(nic), there_(there), back_(back) {
    const Bytes message = flow.message_bytes > 0 ? flow.message_bytes : flow.bytes;
    repeats_ = flow.bytes / message;
    message_ = packets_of(message);
    if (flow.bytes % message != 0) rest_ = packets_of(flow.bytes % message);
  }

  std::optional<PicoSeconds> duration() const {
    if (!fits()) return std::nullopt;
    std::vector<PicoSeconds> free(message_.front().steps.size());
    if (repeats_ == 1) {
      apply(message_, free);
    } else if (repeats_ > 1) {
      Passage passage = passage_of(message_);
      for (Bytes left = repeats_;;) {  // all powers of one map: in whatever order
        if ((left & 1) != 0) passage.apply_to(free);
        left >>= 1;
        if (left == 0) break;
        passage = passage.then(passage);
      }
    }
    apply(rest_, free);
    const Step& last = (rest_.empty() ? message_ : rest_).back().steps.back();
    return free.back() - last.hold + last.pass;
  }

 private:
  /// First, middle ones, last.
  std::vector<Packets> packets_of(Bytes message) const {
    const auto mtu = static_cast<Bytes>(nic_.mtu);
    const Bytes count = (message + mtu - 1) / mtu;
    const auto last = static_cast<std::uint32_t>(message - (count - 1) * mtu);
    std::vector<Packets> list;
    list.reserve(3);
    if (count == 1) {
      list.push_back(packets(1, last, true, true));
    } else {
      list.push_back(packets(1, nic_.mtu, true, false));
      if (count > 2) list.push_back(packets(count - 2, nic_.mtu, false, false));
      list.push_back(packets(1, last, false, true));
    }
    if (flow_.operation == Operation::kRead) pace_requests(list);
    return list;
  }

  Packets packets(Bytes count, std::uint32_t payload, bool first, bool last) const {
    return flow_.operation == Operation::kRead ? answers(count, payload, first, last)
                                               : requests(count, payload, first, last);
  }

  Packets requests(Bytes count, std::uint32_t payload, bool first, bool last) const {
    Packets packets;
    packets.count = count;
    packets.steps.reserve(2 + there_.size() + back_.size());
    const bool immediate = last && flow_.with_immediate;
    const Bytes data =
        flow_.framing ? flow_.framing->data(payload)
        : flow_.operation == Operation::kWrite
            ? roce::data_wire_bytes(payload, first, immediate)
            : roce::send_wire_bytes(payload, immediate, flow_.service == Service::kUd);
    if (capped()) {
      packets.steps.push_back({pacing_gap(data + nic_.link_overhead, flow_.rate_cap), {}});
    }
    fetch(packets, payload);
    cross(packets, there_, data);
    const AckMode ack = flow_.service == Service::kRc ? nic_.ack : AckMode::kNone;
    if (ack == AckMode::kPerPacket || (ack == AckMode::kPerMessage && last)) {
      cross(packets, back_, flow_.framing ? flow_.framing->control : Bytes{roce::ack_wire_bytes()});
    } else if (ack == AckMode::kPerMessage) {
      packets.steps.resize(packets.steps.size() + back_.size());  // no ACK: takes no time there
    }
    return packets;
  }

  /// Of a message that is read: the first packet of its answer waits for the request.
  Packets answers(Bytes count, std::uint32_t payload, bool first, bool last) const {
    Packets packets;
    packets.count = count;
    packets.steps.resize(1);  // pace_requests
    if (first) {
      cross(packets, there_, roce::read_request_wire_bytes());
    } else {
      packets.steps.resize(1 + there_.size());  // came with the first
    }
    fetch(packets, payload);
    cross(packets, back_, roce::read_response_wire_bytes(payload, first, last));
    packets.wire =
        packets.count * (roce::read_response_wire_bytes(payload, first, last) + nic_.link_overhead);
    return packets;
  }

  /// A request follows the one before it at the pace of that one's answer.
  void pace_requests(std::vector<Packets>& answer) const {
    Bytes wire = 0;
    for (const Packets& packets : answer) wire += packets.wire;
    Step& pace = answer.back().steps.front();
    if (capped()) {
      pace.hold = pacing_gap(wire, flow_.rate_cap);
    } else {
      pace.hold = std::min(pacing_gap(wire, Rate::from(nic_.line_rate)),
                           serialization_time(wire, nic_.line_rate));
    }
  }

  bool capped() const {
    return flow_.rate_cap.raw != 0 && flow_.rate_cap < Rate::from(nic_.line_rate);
  }

  /// Real payload, from the memory of the host that sends it.
  void fetch(Packets& packets, std::uint32_t payload) const {
    if (!nic_.real_payload()) return;
    const PicoSeconds transfer = serialization_time(payload, nic_.dma.rate);
    packets.steps.push_back({transfer, transfer + nic_.dma.latency});
  }

  static void cross(Packets& packets, const std::vector<LinkParameters>& links, Bytes wire_bytes) {
    PicoSeconds busy{};
    const LinkParameters* before = nullptr;
    for (const LinkParameters& link : links) {  // many of a way are alike
      if (before == nullptr || !(link.rate == before->rate) || link.overhead != before->overhead) {
        busy = serialization_time(wire_bytes + link.overhead, link.rate);
      }
      before = &link;
      packets.steps.push_back({busy, busy + link.delay});
    }
  }

  static Passage passage_of(const std::vector<Packets>& message) {
    Passage passage = Passage::of(message.front());
    for (std::size_t i = 1; i < message.size(); ++i) {
      passage = passage.then(Passage::of(message[i]));
    }
    return passage;
  }

  /// As passage_of(message).apply_to(free), without maps: every flow of a run comes here.
  static void apply(const std::vector<Packets>& message, std::vector<PicoSeconds>& free) {
    for (const Packets& packets : message) {
      if (packets.count == 1) {
        pass_one(packets.steps, free);
      } else {
        pass_many(packets, free);
      }
    }
  }

  static void pass_one(const std::vector<Step>& steps, std::vector<PicoSeconds>& free) {
    PicoSeconds arrives{};
    for (std::size_t j = 0; j < steps.size(); ++j) {
      const PicoSeconds start = std::max(free[j], arrives);
      arrives = start + steps[j].pass;
      free[j] = start + steps[j].hold;
    }
  }

  /// Passage::of, row by row from the last server on: a row takes of `free` what lies before it.
  static void pass_many(const Packets& packets, std::vector<PicoSeconds>& free) {
    for (std::size_t j = packets.steps.size(); j-- > 0;) {
      PicoSeconds latest{};
      PicoSeconds passed{};
      PicoSeconds slowest{};
      for (std::size_t i = j + 1; i-- > 0;) {
        const Step& step = packets.steps[i];
        if (i != j) passed += step.pass;
        slowest = std::max(slowest, step.hold);
        latest = std::max(latest, free[i] + passed + slowest * (packets.count - 1));
      }
      free[j] = latest + packets.steps[j].hold;
    }
  }

  /// Whether all times computed on the way stay well inside 64 bits: none is longer than every
  /// packet after the one before at the slowest server, and once through all servers.
  bool fits() const {
    double longest = 0;
    const auto add = [&](const std::vector<Packets>& message, Bytes times) {
      for (const Packets& packets : message) {
        double slowest = 0;
        for (const Step& step : packets.steps) {
          longest += static_cast<double>(step.pass.count);
          slowest = std::max(slowest, static_cast<double>(step.hold.count));
        }
        longest += slowest * static_cast<double>(packets.count) * static_cast<double>(times);
      }
    };
    add(message_, repeats_);
    add(rest_, 1);
    constexpr double kMax = 4e18;
    return longest < kMax;
  }

  const IdealFlow& flow_;
  const NicParameters& nic_;
  const std::vector<LinkParameters>& there_;
  const std::vector<LinkParameters>& back_;
  Bytes repeats_ = 0;
  std::vector<Packets> message_;
  std::vector<Packets> rest_;  // a shorter last message; empty: none
};

}  // namespace

std::optional<PicoSeconds> ideal_fct(const IdealFlow& flow, const NicParameters& nic,
                                     const std::vector<LinkParameters>& there,
                                     const std::vector<LinkParameters>& back) {
  assert(flow.bytes > 0 && !there.empty());
  return Flow(flow, nic, there, back).duration();
}

}  // namespace dcc
