#include "software/boot_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "build/translate.h"
#include "controller/dcc.h"
#include "software/boot_qos.h"

namespace dcc::vp {

namespace {
// Number of outstanding messages of a flow: one being sent, one posted behind it.
constexpr std::uint8_t kOutstanding = 2;
// Bytes of each message that firmware verifies: one block of the payload pattern.
constexpr std::uint32_t kFirmwareSample = 256;

bool real(const PlatformConfig& config) { return config.nic.real_payload(); }

boot_block header_of(const PlatformConfig& config, const FlowPlan& plan, HostId host) {
  boot_block block{};
  block.host_id = host;
  block.tx_count = static_cast<std::uint32_t>(plan.sent_by(host).size());
  block.rx_count = static_cast<std::uint32_t>(plan.received_by(host).size());
  fill_qos_header(config, plan, host, block);
  block.nic.send_ring_entries =
      boot_ring_entries(std::max(16u, block.tx_count * kOutstanding + block.qos.peer_count));
  block.nic.completion_ring_entries = boot_ring_entries(
      std::max(64u, block.tx_count * kOutstanding * 2 + block.rx_count * kOutstanding * 2));
  block.queue_pairs = plan.queue_pairs(host);
  std::uint32_t receives = 0;
  for (const std::uint32_t id : plan.received_by(host)) {
    if (plan.flow(id).spec.operation == Operation::kSend) receives += BufferPlan::kSlots;
  }
  if (receives != 0) block.receive_ring_entries = boot_ring_entries(receives);
  boot_layout(&block);
  return block;
}

std::uint8_t operation_of(const FlowSpec& spec) {
  switch (spec.operation) {
    case Operation::kSend:
      return BOOT_SEND;
    case Operation::kRead:
      return BOOT_READ;
    case Operation::kCompareSwap:
      return BOOT_COMPARE_SWAP;
    case Operation::kFetchAdd:
      return BOOT_FETCH_ADD;
    case Operation::kWrite:
    case Operation::kReadResponse:
    case Operation::kAtomicResponse:
      break;
  }
  return BOOT_WRITE;
}

/// Returns the length of a flow's longest message.
Bytes message_of(const FlowSpec& spec) {
  return spec.bytes == 0 ? spec.message : std::min(spec.message, spec.bytes);
}

template <class T>
void put(std::uint8_t* ram, std::uint64_t offset, const T& value) {
  std::memcpy(ram + offset, &value, sizeof value);
}

/// Fills in the settings of a flow that sender and receiver share.
template <class Entry>
Entry flow_entry(const PlatformConfig& config, const BufferPlan& buffers, const FlowSpec& spec) {
  Entry entry{};
  entry.id = spec.id;
  entry.dscp = spec.dscp;
  entry.priority = spec.priority;
  // Without real payload all message slots share one buffer, because nobody reads its contents.
  entry.slots = real(config) ? BufferPlan::kSlots : kOutstanding;
  entry.message_bytes = static_cast<std::uint32_t>(message_of(spec));
  entry.bytes = static_cast<std::uint64_t>(spec.bytes);
  entry.slot_bytes = buffers.slot_bytes(spec.id);
  entry.seed = static_cast<std::uint32_t>(config.seed) * 2654435761u + spec.id;
  entry.operation = operation_of(spec);
  entry.service = static_cast<std::uint8_t>(spec.service);
  return entry;
}
}  // namespace

std::uint32_t BufferPlan::block_bytes(const PlatformConfig& config, const FlowPlan& plan,
                                      HostId host) {
  return header_of(config, plan, host).total_bytes;
}

std::uint32_t BufferPlan::slot_bytes(std::uint32_t flow) const {
  const FlowSpec& spec = plan_.flow(flow).spec;
  const Bytes header = spec.service == Service::kUd ? Bytes{NIC_DATAGRAM_HEADER_BYTES} : 0;
  return static_cast<std::uint32_t>(
      boot_align(static_cast<std::uint64_t>(message_of(spec) + header)));
}

BufferPlan::BufferPlan(const PlatformConfig& config, const FlowPlan& plan)
    : plan_(plan), sender_(plan.flows().size()), receiver_(plan.flows().size()) {
  const unsigned hosts = config.topology.host_count();
  end_.resize(hosts);
  for (HostId host = 0; host < hosts; ++host) {
    std::uint64_t at = boot_align(BOOT_BLOCK_ADDRESS + block_bytes(config, plan, host));
    const std::uint64_t shared = at;
    std::uint64_t greatest = at;
    // Without real payload all flows share one buffer, because nobody reads its contents.
    const auto place = [&](std::uint32_t flow) {
      const std::uint64_t begin = real(config) ? at : shared;
      const std::uint64_t bytes =
          static_cast<std::uint64_t>(slot_bytes(flow)) * (real(config) ? kSlots : 1u);
      if (real(config)) at += bytes;
      greatest = std::max(greatest, begin + bytes);
      return begin;
    };
    for (const std::uint32_t flow : plan.sent_by(host)) sender_[flow] = place(flow);
    for (const std::uint32_t flow : plan.received_by(host)) receiver_[flow] = place(flow);
    end_[host] = greatest;
  }
}

void BufferPlan::check_fits(HostId host, std::uint64_t ram_bytes) const {
  if (end(host) <= BOOT_RAM_BASE + ram_bytes) return;
  throw std::runtime_error(fmt::format(
      "host {}: its flows' rings and buffers need {} bytes of RAM, host.ram is {}; make it "
      "larger, or messages smaller, or use payload: virtual",
      host, end(host) - BOOT_RAM_BASE, ram_bytes));
}

std::uint64_t write_boot_block(const PlatformConfig& config, const FlowPlan& plan, HostId host,
                               BitRate line_rate, std::uint8_t* ram, std::uint64_t ram_bytes) {
  const BufferPlan buffers(config, plan);
  buffers.check_fits(host, ram_bytes);
  boot_block block = header_of(config, plan, host);
  const bool has_controller = config.congestion_control_of(host).chosen<DccParameters>() != nullptr;
  block.flags = (real(config) ? static_cast<unsigned>(BOOT_PAYLOAD_REAL) : 0u) |
                (has_controller ? static_cast<unsigned>(BOOT_HAS_CONTROLLER) : 0u);
  block.ram_bytes = ram_bytes;
  // Firmware checks only a sample of the payload: a modelled processor cannot check every byte that
  // a 100 Gb/s port delivers.
  if (config.host_of(host).driver == DriverKind::kFirmware) block.verify_bytes = kFirmwareSample;
  block.end_ns = static_cast<std::uint64_t>(config.duration / kNanoSecond);
  const nic_config rings = block.nic;
  block.nic = nic_program(config, host);
  block.nic.send_ring_entries = rings.send_ring_entries;
  block.nic.completion_ring_entries = rings.completion_ring_entries;
  block.nic.memory_base = BOOT_RAM_BASE;
  block.nic.memory_bytes = static_cast<std::uint32_t>(ram_bytes);
  block.controller = controller_program(config, host, line_rate);
  const std::uint64_t at = BOOT_BLOCK_ADDRESS - BOOT_RAM_BASE;
  std::memset(ram + at, 0, block.total_bytes);
  put(ram, at, block);

  std::uint64_t next = at + block.tx_offset;
  for (const std::uint32_t id : plan.sent_by(host)) {
    const PlannedFlow& flow = plan.flow(id);
    auto tx = flow_entry<boot_tx_flow>(config, buffers, flow.spec);
    tx.qpn = flow.from_qpn;
    tx.remote_host = flow.spec.to;
    tx.remote_qpn = flow.to_qpn;
    tx.outstanding = kOutstanding;
    tx.start_ns = static_cast<std::uint64_t>(flow.spec.start / kNanoSecond);
    tx.stop_ns = flow.spec.stop == PicoSeconds::max()
                     ? BOOT_NEVER
                     : static_cast<std::uint64_t>(flow.spec.stop / kNanoSecond);
    const TrafficSpec& entry = config.traffic[flow.spec.entry];
    if (entry.new_dscp) {
      tx.new_dscp = static_cast<std::uint8_t>(*entry.new_dscp);
      tx.new_dscp_ns = static_cast<std::uint64_t>(entry.new_dscp_at / kNanoSecond);
    }
    tx.local_address = buffers.at_sender(id);
    tx.remote_address = buffers.at_receiver(id);
    put(ram, next, tx);
    next += sizeof tx;
  }
  next = at + block.rx_offset;
  for (const std::uint32_t id : plan.received_by(host)) {
    const PlannedFlow& flow = plan.flow(id);
    auto rx = flow_entry<boot_rx_flow>(config, buffers, flow.spec);
    rx.qpn = flow.to_qpn;
    rx.remote_host = flow.spec.from;
    rx.remote_qpn = flow.from_qpn;
    rx.local_address = buffers.at_receiver(id);
    put(ram, next, rx);
    next += sizeof rx;
  }
  next = at + block.qos.peers_offset;
  for (const boot_qos_peer& peer : qos_peers(
           config, plan, host, [&](HostId remote) { return header_of(config, plan, remote); })) {
    put(ram, next, peer);
    next += sizeof peer;
  }
  return buffers.end(host);
}

boot_result read_boot_result(const std::uint8_t* ram) {
  boot_block block{};
  std::memcpy(&block, ram + (BOOT_BLOCK_ADDRESS - BOOT_RAM_BASE), sizeof block);
  return block.result;
}

}  // namespace dcc::vp
