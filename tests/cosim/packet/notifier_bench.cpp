// Compares dc_notifier with the model of the notification point and with the frame encoder, and
// checks rules that need no model.
#include <Vnotifier.h>

#include <array>
#include <deque>
#include <vector>

#include "block_pins.h"
#include "nic/notification_point.h"
#include "packet_bench.h"
#include "wire/roce_headers.h"

namespace dcc {
namespace {

constexpr std::uint32_t kFlows = 64;  // number of flows, as in rtl/packet/CMakeLists.txt
constexpr std::uint32_t kDefaultInterval = 1000;  // value of the parameter Interval
constexpr std::uint8_t kCnpDscp = 46;
constexpr std::uint8_t kCnpPriority = 5;

struct Cnp {
  std::uint32_t flow;
  std::uint64_t mac;
  std::uint32_t ip;
  std::uint32_t peer;
  std::uint8_t marks;
  std::uint8_t packets;
};

/// Counts what CNPs report to a sender, independently of the model. Every mark and every packet
/// must be reported exactly once or still be waiting.
struct Account {
  std::uint64_t marks = 0, packets = 0, told_marks = 0, told_packets = 0, cnps = 0;
  std::uint64_t last = 0;
  bool any = false;
};

class NotifierBench {
 public:
  explicit NotifierBench(std::uint32_t seed) : random_(seed), block_(static_cast<int>(seed)) {}

  void run(std::uint64_t packets) {
    // In the last of three rounds CNPs carry counts only at times, queue pairs are created anew,
    // and time jumps.
    for (int round = 0; round < 3; ++round) {
      carry_ = round == 0;
      changes_ = round == 2;
      start();
      for (std::uint64_t i = 0; i < packets / 3;) i += cycle(true) ? 1 : 0;
      for (int i = 0; i < 200; ++i) cycle(false);
      require(expected_.empty() && half_.empty(), "notifier: a CNP is missing");
      finish();
    }
    require(clears_ > 20 && waits_ > 20,
            "notifier: no clear notification, or the output never held up a packet");
  }

 private:
  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }

  void start() {
    auto& pins = block_;
    pins->packet_valid_i = 0;
    pins->interval_we_i = 0;
    pins->begin_valid_i = 0;
    pins->now_i = 0;
    pins->m_tready_i = 0;
    pins->carry_i = carry_;
    pins->dscp_i = kCnpDscp;
    pins->priority_i = kCnpPriority;
    own_.source_mac = {2, 0, 0, 1, 2, 3};
    own_.source_ip = 0x0A010203;
    pins->own_mac_i = 0x030201000002;  // the first byte of the MAC address is in the lowest bits
    pins->own_ip_i = 0x0302010A;
    block_.reset();
    now_ = 0;
    points_ = {};
    accounts_ = {};
    offered_ = false;
    for (unsigned swept = 0;; ++swept) {
      block_.settle();
      if (pins->init_done_o) {
        require(swept == kFlows, "notifier: the sweep does not take a cycle a flow");
        break;
      }
      require(!pins->packet_ready_o, "notifier: a packet is taken during the sweep");
      edge();
    }
    static constexpr std::array<std::uint32_t, 7> kIntervals = {0,    1, 40,           333,
                                                                5000, 0, 4'000'000'000};
    for (std::uint32_t flow = 0; flow < kFlows; ++flow) {
      intervals_[flow] = flow < 8 ? kDefaultInterval : kIntervals[flow % kIntervals.size()];
      if (flow < 8) continue;
      pins->interval_we_i = 1;
      pins->interval_flow_i = static_cast<std::uint8_t>(flow);
      pins->interval_i = intervals_[flow];
      block_.settle();
      edge();
    }
    pins->interval_we_i = 0;
  }

  void edge() {
    block_.edge();
    ++now_;
  }

  /// Runs one cycle. Returns true if the notifier accepted a packet.
  bool cycle(bool feed) {
    auto& pins = block_;
    if (changes_ && below(40) == 0) pins->carry_i = carry_ = !carry_;
    if (below(500) == 0) flows_ = 1u << below(7);
    if (below(300) == 0) share_ = below(5);  // share of marked packets, in quarters
    // share of cycles in which the output is not ready, in quarters
    if (below(300) == 0) slow_ = below(5);
    if (!offered_ && feed && below(4) != 0) {
      offered_ = true;
      pins->packet_flow_i = static_cast<std::uint8_t>(below(flows_));
      pins->packet_marked_i = below(4) < share_;
      pins->packet_mac_i = random_() & 0xFFFFFFFFFFFF;
      pins->packet_ip_i = below(4) == 0 ? carrying_ip() : static_cast<std::uint32_t>(random_());
      pins->packet_peer_i = below(1 << 24);
    }
    pins->packet_valid_i = offered_;
    if (changes_ && below(1000) == 0) now_ += std::uint64_t{1} << below(34);
    pins->now_i = now_;
    if (changes_ && !pins->begin_valid_i && below(30) == 0) {
      pins->begin_valid_i = 1;
      pins->begin_flow_i = static_cast<std::uint8_t>(below(flows_));
    }
    pins->m_tready_i = below(6) >= (feed ? slow_ : 0);
    block_.settle();
    if (pins->m_tvalid_o && pins->m_tready_i) take_beat();
    const bool taken = offered_ && pins->packet_ready_o;
    if (offered_ && !taken) ++waits_;
    const bool begun = pins->begin_valid_i && pins->begin_ready_o;
    require(!begun || !taken, "notifier: a packet and a new queue pair in one cycle");
    if (begun) {
      points_[pins->begin_flow_i] = {};
      accounts_[pins->begin_flow_i].any = false;
    }
    begin_waits_ = pins->begin_valid_i && !begun ? begin_waits_ + 1 : 0;
    require(begin_waits_ < 300, "notifier: a new queue pair waits for ever");
    if (taken) {
      offered_ = false;
      arrived();
    }
    require(!pins->error_o, "notifier: wrong parity");
    edge();
    if (begun) pins->begin_valid_i = 0;
    return taken;
  }

  /// A destination address with which the IPv4 header's checksum still has a carry after the sum
  /// was folded once. The low half of the sum is then close to all ones.
  std::uint32_t carrying_ip() {
    const std::uint32_t high = 0xFF00 | below(256);
    const std::uint32_t sum = 0x4500 + (kCnpDscp << 2 | 2) + 60 + 0x4000 + 0x4011 +
                              (own_.source_ip >> 16) + (own_.source_ip & 0xFFFF) + high;
    const std::uint32_t low = (0xFFFF - below(2) - sum) & 0xFFFF;
    return __builtin_bswap32(high << 16 | low);
  }

  void arrived() {
    auto& pins = block_;
    const std::uint32_t flow = pins->packet_flow_i;
    Account& account = accounts_[flow];
    NotificationPoint& point = points_[flow];
    CnpParameters parameters;
    parameters.interval = PicoSeconds(intervals_[flow]);
    parameters.carry_marks = carry_;
    Cnp cnp{flow, pins->packet_mac_i, pins->packet_ip_i, pins->packet_peer_i, 0, 0};
    ++account.packets;
    point.on_packet();
    if (pins->packet_marked_i) {
      ++account.marks;
      // The contract without the model: the first mark at or after the end of the interval sends a
      // CNP.
      const bool due = !account.any || now_ >= account.last + intervals_[flow];
      const std::uint8_t marks =
          point.on_ce(PicoSeconds(static_cast<std::int64_t>(now_)), parameters);
      require((marks != 0) == due, "notifier: model and contract differ");
      if (marks == 0) return;
      account.any = true;
      account.last = now_;
      ++account.cnps;
      cnp.packets = point.reported_packets();
      cnp.marks = carry_ ? marks : std::uint8_t{0};
      expected_.push_back(cnp);
    } else if (point.on_unmarked() && carry_) {
      ++clears_;
      expected_.push_back(cnp);
    }
  }

  void take_beat() {
    auto& pins = block_;
    std::uint64_t keep = pins->m_tkeep_o;
    for (std::size_t i = 0; i < 64 && (keep >> i & 1) != 0; ++i) {
      half_.push_back(static_cast<std::uint8_t>(pins->m_tdata_o[i / 4] >> (8 * (i % 4))));
    }
    require(pins->m_tuser_o == kCnpPriority, "notifier: wrong priority");
    if (!pins->m_tlast_o) return;
    require(!expected_.empty(), "notifier: a CNP that nothing caused");
    const Cnp want = expected_.front();
    expected_.pop_front();
    roce::Headers h = own_;
    for (unsigned i = 0; i < 6; ++i)
      h.destination_mac[i] = static_cast<std::uint8_t>(want.mac >> (8 * i));
    h.destination_ip = __builtin_bswap32(want.ip);
    h.dscp = kCnpDscp;
    h.ecn = Ecn::kEct0;
    h.source_port = roce::source_port_of(want.flow);
    h.opcode = roce::Opcode::kCnp;
    h.migration = false;
    h.becn = true;
    h.destination_qpn = want.peer;
    h.cnp_marks = want.marks;
    h.cnp_packets = want.packets;
    require(half_ == roce::serialize(h, nullptr, 0),
            "notifier: the frame differs from the encoder's");
    // Parses the CNP's frame as the remote NIC does.
    const roce::Parsed parsed = roce::parse(half_.data(), half_.size());
    require(parsed.error == roce::ParseError::kNone, "notifier: the frame is refused");
    Account& account = accounts_[want.flow];
    account.told_marks += parsed.headers.cnp_marks;
    account.told_packets += parsed.headers.cnp_packets;
    half_.clear();
  }

  /// Checks conservation: the marks and packets that no CNP has reported are fewer than one CNP can
  /// carry. With interval 0 every mark is reported. The check leaves out flows whose counts
  /// saturate at 255.
  void finish() {
    for (std::uint32_t flow = 0; flow < kFlows; ++flow) {
      const Account& account = accounts_[flow];
      if (intervals_[flow] == 0)
        require(account.cnps == account.marks, "notifier: interval 0 is not a CNP a mark");
      if (changes_ || !carry_ || intervals_[flow] > 40) continue;
      require(account.told_marks <= account.marks && account.told_packets <= account.packets &&
                  (account.marks - account.told_marks <= 40),
              "notifier: marks are lost, or told twice");
      if (intervals_[flow] == 0)
        require(account.told_marks == account.marks, "notifier: a mark was not told");
    }
  }

  std::mt19937_64 random_;
  BlockPins<Vnotifier> block_;
  roce::Headers own_;
  bool carry_ = false, changes_ = false;
  std::uint64_t now_ = 0;
  std::array<NotificationPoint, kFlows> points_{};
  std::array<Account, kFlows> accounts_{};
  std::array<std::uint32_t, kFlows> intervals_{};
  std::deque<Cnp> expected_;
  std::vector<std::uint8_t> half_;  // bytes of the CNP that is leaving
  bool offered_ = false;
  std::uint32_t flows_ = 64, share_ = 2, slow_ = 1;
  std::uint64_t clears_ = 0, waits_ = 0, begin_waits_ = 0;
};

}  // namespace

void run_notifier(std::uint64_t packets, std::uint32_t seed) { NotifierBench(seed).run(packets); }

}  // namespace dcc
