// Compares dc_parser with the frame decoder of the models, on encoded frames, whole and damaged.
#include <Vparser.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <set>
#include <vector>

#include "block_pins.h"
#include "packet_bench.h"
#include "wire/roce_headers.h"

namespace dcc {
namespace {

constexpr std::uint32_t kFlows = 64;  // number of flows, as in rtl/packet/CMakeLists.txt
// Queue pair number of flow 0 in each of two rounds. In the second round the numbers of the last
// flows would exceed 2^24.
constexpr std::array<std::uint32_t, 2> kBases = {0xABC100, 0xFFFFD8};
constexpr std::size_t kBeat = 64;
// Reasons of a refusal. Reasons 1 to 7 have the values of roce::ParseError.
enum Reason : unsigned { kNone, kBadFrame = 8, kUnbound = 9 };

struct Context {
  bool bound = false;
  std::uint32_t dscp = 0;
  std::uint32_t peer = 0;
};
struct Frame {
  std::vector<std::uint8_t> bytes;
  bool mac_error = false;
  bool hole = false;  // true if tkeep of the last beat has a hole
};
struct Outcome {
  enum Kind { kCnp, kData, kOther, kRefused } kind = kRefused;
  unsigned reason = kNone;
  std::uint32_t flow = 0;
  std::uint32_t marks = 0;
  std::uint32_t packets = 0;
  bool marked = false;
  std::uint64_t mac = 0;
  std::uint32_t ip = 0;
};

class ParserBench {
 public:
  explicit ParserBench(std::uint32_t seed) : random_(seed), block_(static_cast<int>(seed)) {}

  void run(std::uint64_t frames) {
    for (int round = 0; round < 2; ++round) {
      counting_ = round == 0;
      base_ = kBases[static_cast<std::size_t>(round)];
      start();
      queue(long_frame());
      for (std::uint64_t sent = 0; sent < frames / 2; ++sent) queue(frame());
      while (!expected_.empty() || at_ != 0 || !waiting_.empty()) cycle();
    }
    require(kinds_.size() == 4 && reasons_.size() == 9, "parser: an outcome never occurred");
  }

 private:
  std::uint32_t below(std::uint32_t limit) {
    return limit == 0 ? 0 : static_cast<std::uint32_t>(random_() % limit);
  }
  bool one_in(std::uint32_t n) { return below(n) == 0; }

  void start() {
    auto& pins = block_;
    pins->s_tvalid_i = 0;
    pins->context_we_i = 0;
    pins->cnp_ready_i = 0;
    pins->data_ready_i = 0;
    pins->qpn_base_i = base_;
    pins->counting_i = counting_;
    block_.reset();
    unsigned swept = 0;
    for (;; ++swept) {
      block_.settle();
      if (pins->init_done_o) break;
      require(!pins->s_tready_o, "parser: a frame is taken during the sweep");
      block_.edge();
    }
    require(swept == kFlows, "parser: the sweep does not take a cycle a flow");
    for (std::uint32_t flow = 0; flow < kFlows; ++flow) {
      contexts_[flow] = {flow % 5 != 3, below(64), below(1 << 24)};
      if (!contexts_[flow].bound) continue;  // the initial sweep leaves the flow unbound
      pins->context_we_i = 1;
      pins->context_flow_i = static_cast<std::uint8_t>(flow);
      pins->context_bound_i = 1;
      pins->context_dscp_i = static_cast<std::uint8_t>(contexts_[flow].dscp);
      pins->context_peer_i = contexts_[flow].peer;
      block_.settle();
      block_.edge();
    }
    pins->context_we_i = 0;
  }

  /// Makes a frame by the models' encoder, and damages half of the frames.
  Frame frame() {
    static constexpr std::array<std::uint8_t, 14> kOpcodes = {
        0x00, 0x05, 0x06, 0x07, 0x0B, 0x0C, 0x0D, 0x0E, 0x11, 0x12, 0x13, 0x2A, 0x64, 0x65};
    roce::Headers h;
    const bool cnp = one_in(2);
    h.opcode =
        cnp ? roce::Opcode::kCnp : static_cast<roce::Opcode>(kOpcodes[below(kOpcodes.size())]);
    for (auto& byte : h.source_mac) byte = static_cast<std::uint8_t>(below(256));
    h.destination_mac = {2, 0, 0, 0, 0, 7};
    h.dscp = static_cast<std::uint8_t>(below(64));
    h.ecn = static_cast<Ecn>(below(4));
    h.ttl = static_cast<std::uint8_t>(below(256));
    h.identification = static_cast<std::uint16_t>(below(65536));
    h.source_ip = static_cast<std::uint32_t>(random_());
    h.destination_ip = static_cast<std::uint32_t>(random_());
    h.source_port = static_cast<std::uint16_t>(below(65536));
    h.becn = cnp || one_in(4);
    h.migration = !cnp;
    h.destination_qpn = queue_pair();
    h.psn = below(1 << 24);
    h.cnp_marks = static_cast<std::uint8_t>(below(256));
    h.cnp_packets = static_cast<std::uint8_t>(one_in(3) ? 0 : below(256));
    const std::uint32_t payload = roce::has_payload(h.opcode) ? below(one_in(8) ? 1500 : 80) : 0;
    Frame out;
    out.bytes = roce::serialize(h, nullptr, payload);
    if (one_in(3)) {  // adds a VLAN tag
      const std::array<std::uint8_t, 4> tag = {0x81, 0x00, static_cast<std::uint8_t>(below(256)),
                                               5};
      out.bytes.insert(out.bytes.begin() + 12, tag.begin(), tag.end());
    }
    if (one_in(4)) out.bytes.resize(out.bytes.size() + below(90), 0xA5);  // appends padding or FCS
    if (one_in(2)) damage(out);
    return out;
  }

  /// A random queue pair number: mostly that of a flow, sometimes a number next to that of the
  /// first or last flow.
  std::uint32_t queue_pair() {
    if (one_in(10)) return below(1 << 24);
    if (one_in(10)) return (base_ - 1) & 0xFFFFFF;
    if (one_in(10)) return (base_ + kFlows) & 0xFFFFFF;
    return (base_ + below(kFlows)) & 0xFFFFFF;
  }

  /// Makes a CNP with padding up to slightly more than 2^17 bytes. If the parser's length counter
  /// wrapped, it would accept the frame.
  Frame long_frame() {
    roce::Headers h;
    h.opcode = roce::Opcode::kCnp;
    h.becn = true;
    h.destination_qpn = base_;
    h.cnp_marks = 3;
    h.cnp_packets = 9;
    Frame out;
    out.bytes = roce::serialize(h, nullptr, 0);
    out.bytes.resize((std::size_t{1} << 17) + 10, 0xA5);
    return out;
  }

  void damage(Frame& out) {
    auto& bytes = out.bytes;
    const std::uint32_t size = static_cast<std::uint32_t>(bytes.size());
    switch (below(6)) {
      case 0:  // inverts one bit of the headers
        bytes[below(std::min(size, 76u))] ^= static_cast<std::uint8_t>(1u << below(8));
        break;
      case 1:  // changes a header field and corrects the checksum
        rewrite(bytes);
        break;
      case 2:
        bytes.resize(1 + below(size));
        break;
      case 3:
        out.mac_error = true;
        break;
      case 4:
        out.hole = true;
        break;
      default:  // changes a random byte
        bytes[below(std::min(size, 80u))] = static_cast<std::uint8_t>(below(256));
    }
  }

  /// Changes a byte of the IPv4, UDP or BTH header, corrects the IPv4 checksum, and in half of the
  /// cases also the lengths.
  void rewrite(std::vector<std::uint8_t>& bytes) {
    const std::size_t ip = bytes[12] == 0x81 && bytes[13] == 0 ? 18 : 14;
    static constexpr std::array<std::uint8_t, 12> kPlaces = {0,  2,  3,  6,  7,  9,
                                                             22, 23, 24, 25, 28, 29};
    if (bytes.size() < ip + 44) return;
    const std::size_t place = kPlaces[below(kPlaces.size())];
    bytes[ip + place] = static_cast<std::uint8_t>(place == 6  ? bytes[ip + 6] ^ (0x20u << below(3))
                                                  : one_in(2) ? bytes[ip + place] + 4
                                                              : below(256));
    if (one_in(2)) {
      const std::uint32_t total = one_in(2) ? bytes[ip + 2] * 256u + bytes[ip + 3] : 20 + below(80);
      bytes[ip + 2] = static_cast<std::uint8_t>(total >> 8);
      bytes[ip + 3] = static_cast<std::uint8_t>(total);
      bytes[ip + 24] = static_cast<std::uint8_t>((total - 20) >> 8);
      bytes[ip + 25] = static_cast<std::uint8_t>(total - 20);
    }
    bytes[ip + 10] = bytes[ip + 11] = 0;
    const std::uint32_t sum = roce::ipv4_checksum(bytes.data() + ip);
    bytes[ip + 10] = static_cast<std::uint8_t>(sum >> 8);
    bytes[ip + 11] = static_cast<std::uint8_t>(sum);
  }

  /// Computes the outcome that the contract requires for a frame, by the models' decoder. The
  /// contract requires no check of payload and ICRC of data packets.
  Outcome outcome_of(const Frame& frame) const {
    Outcome out;
    const auto refuse = [&](unsigned reason) {
      out.reason = reason;
      return out;
    };
    if (frame.mac_error || frame.hole) return refuse(kBadFrame);
    const std::vector<std::uint8_t> bytes = without_datagrams(frame.bytes);
    const roce::Parsed parsed = roce::parse(bytes.data(), bytes.size());
    const roce::Headers& h = parsed.headers;
    const bool cnp = h.opcode == roce::Opcode::kCnp;
    if (parsed.error != roce::ParseError::kNone) {
      const bool data_icrc = parsed.error == roce::ParseError::kBadIcrc && !cnp;
      const bool data_padding = parsed.error == roce::ParseError::kBadPayload &&
                                roce::has_payload(h.opcode) && padding_fits(frame.bytes);
      if (!data_icrc && !data_padding) return refuse(static_cast<unsigned>(parsed.error));
    }
    if (h.opcode == roce::Opcode::kAcknowledge) {
      out.kind = Outcome::kOther;
      return out;
    }
    if (h.destination_qpn < base_) return refuse(kUnbound);
    const std::uint32_t number = h.destination_qpn - base_;
    if (number >= kFlows || !contexts_[number].bound) return refuse(kUnbound);
    out.kind = cnp ? Outcome::kCnp : Outcome::kData;
    out.flow = number;
    out.packets = counting_ ? h.cnp_packets : 0u;
    out.marks = !counting_ ? 1u : h.cnp_packets == 0 ? 0u : h.cnp_marks;
    out.marked = h.ecn == Ecn::kCe;
    for (std::size_t i = 6; i-- > 0;) out.mac = out.mac << 8 | h.source_mac[i];
    for (unsigned i = 0; i < 4; ++i) out.ip |= (h.source_ip >> (24 - 8 * i) & 0xFF) << (8 * i);
    return out;
  }

  /// Replaces the opcode of a reliable datagram by an opcode that does not exist. The models'
  /// decoder accepts reliable datagrams and dc_parser does not. Both must refuse the result.
  static std::vector<std::uint8_t> without_datagrams(std::vector<std::uint8_t> bytes) {
    const std::size_t ip = bytes.size() > 13 && bytes[12] == 0x81 && bytes[13] == 0 ? 18 : 14;
    if (bytes.size() > ip + 28 && roce::has_rdeth(static_cast<roce::Opcode>(bytes[ip + 28]))) {
      bytes[ip + 28] = 0xFF;
    }
    return bytes;
  }

  /// True if the frame has the right number of padding bytes and these are not all zero.
  static bool padding_fits(const std::vector<std::uint8_t>& bytes) {
    const std::size_t ip = bytes[12] == 0x81 && bytes[13] == 0 ? 18 : 14;
    const std::uint32_t total = bytes[ip + 2] * 256u + bytes[ip + 3];
    const auto opcode = static_cast<roce::Opcode>(bytes[ip + 28]);
    const std::uint32_t extended =
        (roce::has_deth(opcode) ? 8u : 0u) + (roce::has_reth(opcode) ? 16u : 0u) +
        (roce::has_aeth(opcode) ? 4u : 0u) + (roce::has_immediate(opcode) ? 4u : 0u);
    const std::uint32_t padded = total - 44 - extended;
    return padded % 4 == 0 && (bytes[ip + 29] >> 4 & 3u) <= padded;
  }

  void queue(const Frame& frame) {
    expected_.push_back(outcome_of(frame));
    waiting_.push_back(frame);
    while (waiting_.size() > 4) cycle();
  }

  void cycle() {
    auto& pins = block_;
    // In half of the time frames are offered without gaps. An offered beat stays valid until the
    // parser accepts it.
    if (!offered_ && !waiting_.empty() && (patient_ == 0 || one_in(2))) offer();
    if (one_in(200)) patient_ = below(2);
    pins->s_tvalid_i = offered_;
    pins->cnp_ready_i = !one_in(3);
    pins->data_ready_i = !one_in(3);
    block_.settle();
    check();
    if (offered_ && pins->s_tready_o) {
      offered_ = false;
      at_ += kBeat;
      if (at_ >= waiting_.front().bytes.size()) {
        waiting_.pop_front();
        at_ = 0;
      }
      idle_ = 0;
    }
    require(++idle_ < 1000, "parser: stands still");
    block_.edge();
  }

  void offer() {
    auto& pins = block_;
    const Frame& frame = waiting_.front();
    const std::size_t size = std::min(kBeat, frame.bytes.size() - at_);
    const bool last = at_ + size == frame.bytes.size();
    std::array<std::uint8_t, kBeat> beat;
    for (auto& byte : beat)
      byte = static_cast<std::uint8_t>(below(256));  // random value of a byte that tkeep excludes
    std::copy_n(frame.bytes.begin() + static_cast<std::ptrdiff_t>(at_), size, beat.begin());
    for (std::size_t word = 0; word < 16; ++word) {
      pins->s_tdata_i[word] = beat[4 * word] | beat[4 * word + 1] << 8 | beat[4 * word + 2] << 16 |
                              static_cast<std::uint32_t>(beat[4 * word + 3]) << 24;
    }
    std::uint64_t keep = size == kBeat ? ~std::uint64_t{0} : (std::uint64_t{1} << size) - 1;
    if (last && frame.hole)
      keep =
          size > 1 && one_in(2) ? keep & ~std::uint64_t{1} : keep ^ std::uint64_t{1} << (size / 2);
    // excluded bytes at the end are no hole
    if (last && frame.hole && (keep & (keep + 1)) == 0) keep = 0;
    pins->s_tkeep_i = keep;
    pins->s_tlast_i = last;
    pins->s_tuser_i = last ? frame.mac_error : one_in(2);
    offered_ = true;
  }

  void check() {
    auto& pins = block_;
    const bool cnp = pins->cnp_valid_o && pins->cnp_ready_i;
    const bool data = pins->data_valid_o && pins->data_ready_i;
    if (!cnp && !data && !pins->other_o && !pins->refused_o) return;
    require(!expected_.empty(), "parser: an answer without a frame");
    const Outcome want = expected_.front();
    expected_.pop_front();
    const Outcome::Kind kind = cnp             ? Outcome::kCnp
                               : data          ? Outcome::kData
                               : pins->other_o ? Outcome::kOther
                                               : Outcome::kRefused;
    require(kind == want.kind, "parser: outcome " + std::to_string(kind) + " (reason " +
                                   std::to_string(pins->reason_o) + ") instead of " +
                                   std::to_string(want.kind) + " (reason " +
                                   std::to_string(want.reason) + ")");
    kinds_.insert(kind);
    if (kind == Outcome::kRefused) {
      require(pins->reason_o == want.reason, "parser: reason " + std::to_string(pins->reason_o) +
                                                 " instead of " + std::to_string(want.reason));
      reasons_.insert(want.reason);
    }
    if (kind != Outcome::kCnp && kind != Outcome::kData) return;
    const Context& context = contexts_[want.flow];
    require(
        pins->flow_o == want.flow && pins->dscp_o == context.dscp && pins->peer_o == context.peer,
        "parser: wrong flow or context");
    if (cnp) {
      require(pins->cnp_marks_o == want.marks && pins->cnp_packets_o == want.packets,
              "parser: wrong marks or packets");
    } else {
      require(pins->data_marked_o == want.marked && pins->data_mac_o == want.mac &&
                  pins->data_ip_o == want.ip,
              "parser: wrong ECN or sender of a data packet");
    }
  }

  std::mt19937_64 random_;
  BlockPins<Vparser> block_;
  bool counting_ = false;
  std::uint32_t base_ = 0;
  std::array<Context, kFlows> contexts_{};
  std::deque<Frame> waiting_;
  std::deque<Outcome> expected_;
  std::size_t at_ = 0;  // number of bytes of the first frame that the parser has accepted
  bool offered_ = false;
  std::uint32_t patient_ = 0;
  unsigned idle_ = 0;
  std::set<Outcome::Kind> kinds_;
  std::set<unsigned> reasons_;
};

}  // namespace

void run_parser(std::uint64_t frames, std::uint32_t seed) { ParserBench(seed).run(frames); }

}  // namespace dcc
