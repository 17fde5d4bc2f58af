#include "nic/ideal_fct.h"

#include <algorithm>
#include <cassert>

#include "wire/wire_size.h"

namespace dcc {
namespace {

/// Step of one packet at one server of a queueing network. All packets pass the servers in the same
/// order: pacing, DMA, each link to the receiver, each link back.
struct Step {
  // least time from the start of this packet at the server to the start of the next packet
  PicoSeconds busy{};
  // least time from the packet's start at this server to its start at the next server
  PicoSeconds transit{};
};

/// A group of consecutive packets with equal steps.
struct Packets {
  Bytes count = 0;
  std::vector<Step> steps;  // steps of a packet, one for each server
  Bytes wire = 0;           // wire bytes of a READ response, with overhead
};

/// The delay that packets cause at the servers, as a matrix. If server i can start the first packet
/// at free[i], server j can start the packet behind the last one at the maximum over i <= j of
/// free[i] + at(j, i). Such matrices compose by the matrix product of max-plus algebra.
class Passage {
 public:
  explicit Passage(std::size_t servers) : servers_(servers), cells_(servers * servers) {}

  /// Packet p starts at server j after packet p - 1 there and after packet p at server j - 1. So
  /// the start of packet n at j follows the longest path from (first packet, server i) over n - 1
  /// busy times and j - i transits. The longest path takes all busy times at the slowest server.
  static Passage of(const Packets& packets) {
    Passage passage(packets.steps.size());
    for (std::size_t i = 0; i < packets.steps.size(); ++i) {
      PicoSeconds passed{};
      PicoSeconds slowest{};
      for (std::size_t j = i; j < packets.steps.size(); ++j) {
        const Step& here = packets.steps[j];
        slowest = std::max(slowest, here.busy);
        passage.at(j, i) = passed + slowest * (packets.count - 1) + here.busy;
        passed += here.transit;
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
  std::vector<PicoSeconds> cells_;  // cells of the matrix; only cells (i, j) with i <= j are used
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
      for (Bytes left = repeats_;;) {  // powers of one matrix commute, so their order has no effect
        if ((left & 1) != 0) passage.apply_to(free);
        left >>= 1;
        if (left == 0) break;
        passage = passage.then(passage);
      }
    }
    apply(rest_, free);
    const Step& last = (rest_.empty() ? message_ : rest_).back().steps.back();
    return free.back() - last.busy + last.transit;
  }

 private:
  /// Groups of equal packets of a message: first packet, middle packets, last packet.
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
    return flow_.operation == Operation::kRead ? responses(count, payload, first, last)
                                               : requests(count, payload, first, last);
  }

  Packets requests(Bytes count, std::uint32_t payload, bool first, bool last) const {
    Packets packets;
    packets.count = count;
    packets.steps.reserve(2 + there_.size() + back_.size());
    const bool immediate = last && flow_.with_immediate;
    Bytes data = flow_.framing ? flow_.framing->data(payload)
                 : flow_.operation == Operation::kWrite
                     ? roce::data_wire_bytes(payload, first, immediate)
                     : roce::send_wire_bytes(payload, immediate, flow_.service == Service::kUd);
    const bool datagram = flow_.service == Service::kRd;
    if (datagram) data += roce::kReliableDatagram;
    const Bytes answer = datagram ? roce::datagram_ack_wire_bytes() : roce::ack_wire_bytes();
    if (capped()) {
      packets.steps.push_back({pacing_gap(data + nic_.link_overhead, flow_.rate_cap), {}});
    }
    fetch(packets, payload);
    cross(packets, there_, data);
    const AckMode ack = is_reliable(flow_.service) ? nic_.ack : AckMode::kNone;
    if (ack == AckMode::kPerPacket || (ack == AckMode::kPerMessage && last)) {
      cross(packets, back_, flow_.framing ? flow_.framing->control : answer);
    } else if (ack == AckMode::kPerMessage) {
      packets.steps.resize(packets.steps.size() +
                           back_.size());  // without ACKs the steps of the way back take no time
    }
    return packets;
  }

  /// Packets of a READ response. The first packet waits for the request.
  Packets responses(Bytes count, std::uint32_t payload, bool first, bool last) const {
    Packets packets;
    packets.count = count;
    packets.steps.resize(1);  // the pacing of requests is added by pace_requests()
    if (first) {
      cross(packets, there_, roce::read_request_wire_bytes());
    } else {
      packets.steps.resize(1 + there_.size());  // the read's request arrived with the first packet
    }
    fetch(packets, payload);
    cross(packets, back_, roce::read_response_wire_bytes(payload, first, last));
    packets.wire =
        packets.count * (roce::read_response_wire_bytes(payload, first, last) + nic_.link_overhead);
    return packets;
  }

  /// Paces READ requests: a request follows the previous request after the time that the previous
  /// response takes.
  void pace_requests(std::vector<Packets>& response) const {
    Bytes wire = 0;
    for (const Packets& packets : response) wire += packets.wire;
    Step& pace = response.back().steps.front();
    if (capped()) {
      pace.busy = pacing_gap(wire, flow_.rate_cap);
    } else {
      pace.busy = std::min(pacing_gap(wire, Rate::from(nic_.line_rate)),
                           serialization_time(wire, nic_.line_rate));
    }
  }

  bool capped() const {
    return flow_.rate_cap.raw != 0 && flow_.rate_cap < Rate::from(nic_.line_rate);
  }

  /// Adds the DMA step by which real payload is fetched from host memory.
  void fetch(Packets& packets, std::uint32_t payload) const {
    if (!nic_.real_payload()) return;
    const PicoSeconds transfer = serialization_time(payload, nic_.dma.rate);
    packets.steps.push_back({transfer, transfer + nic_.dma.latency});
  }

  static void cross(Packets& packets, const std::vector<LinkParameters>& links, Bytes wire_bytes) {
    PicoSeconds busy{};
    const LinkParameters* before = nullptr;
    for (const LinkParameters& link : links) {  // consecutive links are often equal
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

  /// Same result as passage_of(message).apply_to(free), without matrices. Fast path for single
  /// messages, called for each flow of a run.
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
      arrives = start + steps[j].transit;
      free[j] = start + steps[j].busy;
    }
  }

  /// Applies Passage::of(packets) row by row from the last server on, since row j reads free[0..j].
  static void pass_many(const Packets& packets, std::vector<PicoSeconds>& free) {
    for (std::size_t j = packets.steps.size(); j-- > 0;) {
      PicoSeconds latest{};
      PicoSeconds passed{};
      PicoSeconds slowest{};
      for (std::size_t i = j + 1; i-- > 0;) {
        const Step& step = packets.steps[i];
        if (i != j) passed += step.transit;
        slowest = std::max(slowest, step.busy);
        latest = std::max(latest, free[i] + passed + slowest * (packets.count - 1));
      }
      free[j] = latest + packets.steps[j].busy;
    }
  }

  /// True if no intermediate time overflows 64 bits. The bound is the time of all packets one after
  /// another at the slowest server, plus one passage of all servers.
  bool fits() const {
    double longest = 0;
    const auto add = [&](const std::vector<Packets>& message, Bytes times) {
      for (const Packets& packets : message) {
        double slowest = 0;
        for (const Step& step : packets.steps) {
          longest += static_cast<double>(step.transit.count);
          slowest = std::max(slowest, static_cast<double>(step.busy.count));
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
  std::vector<Packets> rest_;  // packets of a shorter last message; empty: none
};

}  // namespace

std::optional<PicoSeconds> ideal_fct(const IdealFlow& flow, const NicParameters& nic,
                                     const std::vector<LinkParameters>& there,
                                     const std::vector<LinkParameters>& back) {
  assert(flow.bytes > 0 && !there.empty());
  if (flow.service == Service::kRd && flow.message_bytes != 0 && flow.message_bytes < flow.bytes) {
    // Each message waits for the acknowledgement of the previous message.
    IdealFlow one = flow;
    one.bytes = flow.message_bytes;
    const auto message = Flow(one, nic, there, back).duration();
    one.bytes = flow.bytes % flow.message_bytes;
    const auto rest = one.bytes == 0 ? PicoSeconds{} : Flow(one, nic, there, back).duration();
    const Bytes messages = flow.bytes / flow.message_bytes;
    if (!message || !rest || messages > 4'000'000'000'000'000'000 / message->count) {
      return std::nullopt;
    }
    return *message * messages + *rest;
  }
  return Flow(flow, nic, there, back).duration();
}

}  // namespace dcc
