#include "host.h"

#include <string>
#include <utility>

#include "driver/dcc_tables.h"
#include "wire/roce_headers.h"

namespace dcc {
namespace {
// number of tags for the host; the upper half of all tags is the block's
constexpr std::uint32_t kTags = 0x8000;
/// Number of a host's first queue pair.
std::uint32_t qpn_base(unsigned host) { return 0x1000 + 0x100 * host; }
std::uint32_t dscp_of(std::uint32_t flow) { return flow % 2 != 0 ? kHeavyDscp : kLightDscp; }
std::uint32_t in_wire_order(std::uint32_t address) { return __builtin_bswap32(address); }
}  // namespace

Host::Host(unsigned number, AppPins& pins, std::function<void()> clock)
    : number_(number), pins_(pins), clock_(std::move(clock)) {
  hal_.context = this;
  hal_.read32 = [](void* self, std::uint64_t address) {
    return static_cast<Host*>(self)->read(static_cast<std::uint32_t>(address));
  };
  hal_.write32 = [](void* self, std::uint64_t address, std::uint32_t value) {
    static_cast<Host*>(self)->write(static_cast<std::uint32_t>(address), value);
  };
  hal_.memory = [](void*, std::uint64_t, std::uint64_t) -> void* { return nullptr; };
  hal_.barrier = [](void*) {};
  hal_.time_ns = [](void*) -> std::uint64_t { return 0; };
  hal_.wait_for_interrupt = [](void*, std::uint64_t) { return 0; };
  pins_.received = [this](const Frame& frame) { receive(frame); };
  pins_.completed = [this](std::uint32_t tag) { complete(tag); };
}

bool Host::refuses(bool write, std::uint32_t address, std::uint32_t value, std::uint8_t strobes) {
  pins_.begin_access(write, address, value, strobes);
  for (int waited = 0; !pins_.access_done(); ++waited) {
    require(waited < 100'000, pins_.name() + ": an access does not end");
    clock_();
  }
  return pins_.refused();
}

std::uint32_t Host::read(std::uint32_t address) {
  require(!refuses(false, address, 0), pins_.name() + ": a read is refused");
  return pins_.data();
}

std::array<std::uint32_t, 2> Host::read_two(AppRegister first, AppRegister second,
                                            std::uint32_t wait) {
  pins_.begin_reads(static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(second), wait);
  for (int waited = 0; !pins_.access_done(); ++waited) {
    require(waited < 100'000, pins_.name() + ": two reads do not end");
    clock_();
  }
  return {pins_.first_data(), pins_.data()};
}

void Host::write(std::uint32_t address, std::uint32_t value) {
  require(!refuses(true, address, value), pins_.name() + ": a write is refused");
}

/// The controller configuration that the platform programs for `policy: proportional`, links of 100
/// Gb/s and a clock of 250 MHz, except that flows begin at kFirstRate.
dcc_config Host::program() {
  dcc_config config{};
  config.policy = DCC_POLICY_PROPORTIONAL;
  config.parameters = DCC_PARAMETERS_RESET;
  dcc_parameters& p = config.parameters;
  p.tick_div = 250;
  p.timer_interval = 14;
  p.byte_threshold = DCC_BYTE_THRESHOLD_VALUE_MAX;
  p.f = 0;
  p.g = 52429;         // g = 0.8
  p.r_ai = 3507;       // r_ai = 13.7 Mb/s
  p.r_hai = 550 << 8;  // r_hai = 550 Mb/s
  p.r_min = 5 << 8;
  p.r_max = 125'000 << 8;
  p.initial_rate = kFirstRate << 8;
  p.decrease_period = 5;
  p.first_cut = 65536 / 28 + 1;
  p.mark_shift = DCC_PROPORTIONAL_MARK_SHIFT;
  p.silence = 32;
  p.brisk = 95;
  dcc_classes_equal(config.classes);
  config.classes[kHeavyDscp] = dcc_class_of(4 << 8, 0, UINT32_MAX);
  return config;
}

void Host::bring_up() {
  while (!pins_.ready()) clock_();
  require(read(AppRegister::kId) == 0x44434E31, "the block does not say who it is");
  write(AppRegister::kQpnBase, qpn_base(number_));
  write(AppRegister::kOwnIp, in_wire_order(roce::ip_of(HostId{number_})));
  const roce::MacAddress mac = roce::mac_of(HostId{number_});
  write(AppRegister::kOwnMacLow, mac[0] | mac[1] << 8 | mac[2] << 16 | std::uint32_t{mac[3]} << 24);
  write(AppRegister::kOwnMacHigh, static_cast<std::uint32_t>(mac[4] | mac[5] << 8));
  write(AppRegister::kCnp, kCnpDscp | kCnpPriority << 8 | 1u << 16);
  write(AppRegister::kInterval, 500);  // interval in cycles: 2 us
  write(AppRegister::kDefaultRate, kFirstRate << 8);
  require(dcc_probe(&controller_, &hal_, 0) == DCC_OK, "the driver finds no controller");
  const dcc_config config = program();
  const dcc_error error = dcc_configure(&controller_, &config);
  require(error == DCC_OK, std::string("the driver: ") + dcc_error_text(error));
  dcc_enable(&controller_);
  for (std::uint32_t flow = 0; flow < kFlows; ++flow) {
    write(AppRegister::kPeer, qpn_base(1 - number_) + flow);
    write(AppRegister::kContext, 1u << 31 | kDataPriority << 28 | dscp_of(flow) << 22 | flow);
  }
}

Frame Host::frame_of(std::uint32_t flow) {
  const HostId own{number_};
  const HostId other{1 - number_};
  roce::Headers headers;
  headers.source_mac = roce::mac_of(own);
  headers.destination_mac = roce::mac_of(other);
  headers.source_ip = roce::ip_of(own);
  headers.destination_ip = roce::ip_of(other);
  headers.source_port = roce::source_port_of(flow);
  headers.dscp = static_cast<std::uint8_t>(dscp_of(flow));
  headers.ecn = Ecn::kEct0;
  headers.opcode = roce::Opcode::kSendMiddle;
  headers.destination_qpn = qpn_base(1 - number_) + flow;
  headers.psn = sent_psn_.at(flow)++ & 0xFFFFFF;
  static const FrameBytes payload = [] {
    FrameBytes bytes(kPayload);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 7);
    return bytes;
  }();
  Frame frame;
  frame.bytes = roce::serialize(headers, payload.data(), kPayload);
  frame.queue = flow;
  frame.destination = kDataPriority;
  frame.tag = next_tag_++ % kTags;
  tags_[frame.tag] = flow;
  ++outstanding_.at(flow);
  ++frames_sent_;
  return frame;
}

void Host::cycle() {
  for (std::uint32_t looked = 0; sending && pins_.to_send.size() < 2 && looked < flows; ++looked) {
    next_flow_ = (next_flow_ + 1) % flows;
    if (outstanding_[next_flow_] < kDepth) pins_.to_send.push_back(frame_of(next_flow_));
  }
}

void Host::complete(std::uint32_t tag) {
  const auto found = tags_.find(tag);
  require(found != tags_.end(), pins_.name() + ": a completion of a frame that is not on its way");
  --outstanding_.at(found->second);
  tags_.erase(found);
}

void Host::receive(const Frame& frame) {
  const roce::Parsed parsed = roce::parse(frame.bytes.data(), frame.bytes.size());
  require(parsed.error == roce::ParseError::kNone,
          pins_.name() + ": a frame arrives damaged: " + roce::describe(parsed.error));
  const roce::Headers& headers = parsed.headers;
  const std::uint32_t flow = headers.destination_qpn - qpn_base(number_);
  require(flow < kFlows, pins_.name() + ": a frame for another queue pair");
  if (headers.opcode == roce::Opcode::kCnp) {
    require(headers.dscp == kCnpDscp, pins_.name() + ": a CNP of another DSCP");
    ++cnps_received_;
    return;
  }
  require(headers.psn == arrived_psn_.at(flow)++ % (1u << 24),
          pins_.name() + ": frames of flow " + std::to_string(flow) + " are not in order");
  require(headers.dscp == dscp_of(flow) && parsed.payload_size == kPayload,
          pins_.name() + ": a frame of another flow");
  arrived_.at(flow) += parsed.payload_size;
  ++frames_arrived_;
}

}  // namespace dcc
