// Adapter between CNPs and sent packets of a NIC and clock cycles of the verilated parser.
#include "parser_engine_rtl.h"

#include <Vparser_nic.h>
#include <Vparser_nic___024root.h>
#include <Vsent_nic.h>
#include <Vsent_nic___024root.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "single_thread_context.h"
#include "swept_state.h"
#include "wire/roce_headers.h"

namespace dcc {
namespace {

// number of queue pairs, set in rtl/packet/CMakeLists.txt
constexpr std::uint32_t kPairs = DCC_PARSER_FLOWS;
constexpr std::size_t kBeat = 64;
constexpr std::size_t kMarksByte = 54;  // byte offset of the mark count in a CNP without a VLAN tag

class Engine final : public ParserEngine {
 public:
  explicit Engine(const RtlParserOptions& options)
      : fault_(options.fault), name_("host " + std::to_string(options.host)) {
    context_.fatalOnError(false);  // a failed assertion becomes an exception
    parser_ = std::make_unique<Vparser_nic>(&context_, "parser");
    sent_ = std::make_unique<Vsent_nic>(&context_, "sent");
    parser_->cnp_ready_i = parser_->data_ready_i = sent_->bytes_ready_i = 1;
    start(*parser_, *parser_->rootp);
    start(*sent_, *sent_->rootp);
  }
  ~Engine() override {
    // Verilator's final() uses the calling thread's context, which may still belong to another
    // engine.
    Verilated::threadContextp(&context_);
    parser_->final();
    sent_->final();
    parser_.reset();
    sent_.reset();
  }

  void begin(Qpn qpn, const ParserContext& context) override {
    if (qpn >= kPairs) {
      throw std::runtime_error(name_ + ": queue pair " + std::to_string(qpn) + " is beyond the " +
                               std::to_string(kPairs) +
                               " for which the RTL of nic.parser.engine was built; write engine: "
                               "model, or give this host fewer flows");
    }
    write(qpn, true, fault_ == 1 ? context.dscp ^ 1u : context.dscp, context.peer);
  }
  void end(Qpn qpn) override {
    if (qpn < kPairs) write(qpn, false, 0, 0);
  }

  ParsedCnp cnp(const Packet& cnp, PicoSeconds) override {
    std::vector<std::uint8_t> frame = roce::serialize(roce::headers_of(cnp, 0), nullptr, 0);
    if (fault_ == 3 && ++cnps_ % 4 == 0) frame[kMarksByte] ^= 1;
    // A CNP without counts stands for one mark and reports no packets. A clear notification has
    // zeros in both fields.
    parser_->counting_i = cnp.cnp_packets != 0 || cnp.cnp_marks == 0;
    for (std::size_t at = 0; at < frame.size(); at += kBeat) offer(frame, at);
    parser_->s_tvalid_i = 0;
    cycle(*parser_);  // clock cycle in which the block checks the headers
    const ParsedCnp told = outcome();
    cycle(*parser_);
    return told;
  }

  ByteNotice sent(const SentPacket& packet) override {
    const bool spoilt = fault_ == 2 && ++packets_ % 64 == 0;
    sent_->overhead_i = packet.overhead;
    sent_->sent_pair_i = packet.qpn;
    sent_->sent_length_i = spoilt ? packet.length ^ 64u : packet.length;
    sent_->sent_valid_i = 1;
    // sent_ready_o does not depend on this cycle's inputs, so its value from the previous cycle
    // holds.
    need(sent_->sent_ready_o, "does not take a sent packet");
    cycle(*sent_);  // one clock cycle, in which the RTL reads the flow's context
    sent_->sent_valid_i = 0;
    ByteNotice told;
    told.bound = sent_->bytes_valid_o;
    need(told.bound != static_cast<bool>(sent_->unbound_o), "says nothing of a sent packet");
    if (told.bound) {
      told.flow = sent_->bytes_flow_o;
      told.dscp = sent_->bytes_dscp_o;
      told.bytes = sent_->bytes_length_o;
    }
    cycle(*sent_);
    return told;
  }

 private:
  template <class Block>
  void cycle(Block& block) {
    make_clock_cycle(block);
    need(!context_.gotError(), "fails an assertion");
  }
  template <class Block, class Root>
  void start(Block& block, Root& root) {
    // one for each thread, because several threads may make engines at a time
    static thread_local SweptState<Root, char> swept;
    block.rst_ni = 1;
    block.eval();
    if (swept.copy_to(root, 0)) return;
    block.rst_ni = 0;
    cycle(block);
    block.rst_ni = 1;
    for (std::uint32_t flow = 0; flow <= kPairs && !block.init_done_o; ++flow) cycle(block);
    need(block.init_done_o, "is not ready after its sweep");
    swept.keep(root, 0);
  }
  void need(bool holds, const char* what) const {
    if (holds) return;
    throw std::runtime_error(name_ + ": the verilated parser " + what);
  }
  void write(Qpn qpn, bool bound, unsigned dscp, Qpn peer) {
    const auto flow = static_cast<std::uint16_t>(qpn);
    parser_->context_we_i = sent_->context_we_i = 1;
    parser_->context_flow_i = sent_->context_flow_i = flow;
    parser_->context_bound_i = sent_->context_bound_i = bound;
    parser_->context_dscp_i = sent_->context_dscp_i = static_cast<std::uint8_t>(dscp);
    parser_->context_peer_i = peer;
    cycle(*parser_);
    cycle(*sent_);
    parser_->context_we_i = sent_->context_we_i = 0;
  }
  void offer(const std::vector<std::uint8_t>& frame, std::size_t at) {
    const std::size_t size = std::min(kBeat, frame.size() - at);
    for (std::size_t word = 0; word < kBeat / 4; ++word) parser_->s_tdata_i[word] = 0;
    for (std::size_t i = 0; i < size; ++i) {
      parser_->s_tdata_i[i / 4] |= static_cast<std::uint32_t>(frame[at + i]) << (8 * (i % 4));
    }
    parser_->s_tkeep_i = ~std::uint64_t{0} >> (kBeat - size);
    parser_->s_tlast_i = at + size == frame.size();
    parser_->s_tvalid_i = 1;
    need(parser_->s_tready_o, "does not take a frame");
    cycle(*parser_);
  }
  ParsedCnp outcome() const {
    ParsedCnp told;  // the default outcome of ParsedCnp is "unbound"
    if (parser_->refused_o) {
      if (parser_->reason_o == kUnbound) return told;
      told.reason = parser_->reason_o;
      told.outcome = ParsedCnp::Outcome::kRefused;
      return told;
    }
    need(parser_->cnp_valid_o, "takes a CNP for another packet");
    told.outcome = ParsedCnp::Outcome::kCnp;
    told.flow = parser_->flow_o;
    told.dscp = parser_->dscp_o;
    told.peer = parser_->peer_o;
    told.marks = parser_->cnp_marks_o;
    told.packets = parser_->cnp_packets_o;
    return told;
  }

  static constexpr std::uint8_t kUnbound = 9;  // equals the constant dc_parser_pkg::Unbound

  unsigned fault_;
  std::string name_;
  SingleThreadContext context_;
  std::unique_ptr<Vparser_nic> parser_;
  std::unique_ptr<Vsent_nic> sent_;
  std::uint64_t cnps_ = 0;
  std::uint64_t packets_ = 0;
};

}  // namespace

std::uint32_t verilated_parser_pairs() { return kPairs; }

std::unique_ptr<ParserEngine> make_rtl_parser(const RtlParserOptions& options) {
  return std::make_unique<Engine>(options);
}

}  // namespace dcc
