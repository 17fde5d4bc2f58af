// A host that sends to itself: boot block, flows and their buffers, and a fake NIC in loopback.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "app/traffic_app.h"
#include "driver/dcc_regs.h"
#include "driver/dcc_tables.h"
#include "fake_machine.h"
#include "fake_nic.h"

namespace dcc::test {

constexpr std::uint64_t kBlock = BOOT_BLOCK_ADDRESS;
constexpr std::uint32_t kReceiveQpn = 4096;  // number of the receiving queue pair, on the same host

class TrafficAppTest : public ::testing::Test {
 protected:
  explicit TrafficAppTest(std::uint64_t ram = 8 << 20) : machine(ram), nic(machine) {
    block.flags = BOOT_PAYLOAD_REAL;
    block.ram_bytes = ram;
    block.end_ns = 1'000'000;
    block.queue_pairs = 8192;
    block.nic.send_ring_entries = 64;
    block.nic.completion_ring_entries = 256;
    block.nic.parameters.mtu = 1000;
    block.nic.ack_mode = NIC_ACK_PER_PACKET;
    block.nic.irq_count = 1;
    block.nic.memory_base = BOOT_RAM_BASE;
    block.nic.memory_bytes = static_cast<std::uint32_t>(ram);
  }

  /// A flow from this host to itself.
  boot_tx_flow& add_flow(std::uint64_t bytes, std::uint32_t message_bytes = 4096) {
    const auto index = static_cast<std::uint32_t>(tx.size());
    boot_tx_flow t{};
    t.id = 1000 + index;
    t.qpn = index;
    t.remote_host = 7;
    t.remote_qpn = kReceiveQpn + index;
    t.dscp = 10;
    t.slots = 4;
    t.outstanding = 2;
    t.message_bytes = message_bytes;
    t.bytes = bytes;
    t.stop_ns = BOOT_NEVER;
    t.slot_bytes = message_bytes;
    t.seed = 77 + index;
    tx.push_back(t);
    return tx.back();
  }

  /// Writes the boot block, the flows and their receiving ends to RAM. The buffers follow the
  /// block.
  void write_block() {
    block.tx_count = static_cast<std::uint32_t>(tx.size());
    block.rx_count = block.tx_count;
    boot_layout(&block);
    std::uint64_t buffer = boot_align(kBlock + block.total_bytes);
    rx.clear();
    for (boot_tx_flow& t : tx) {
      const std::uint64_t bytes = boot_align(static_cast<std::uint64_t>(t.slots) * t.slot_bytes);
      t.local_address = buffer;
      t.remote_address = buffer + bytes;
      if ((block.flags & BOOT_PAYLOAD_REAL) != 0) buffer += 2 * bytes;
      boot_rx_flow r{};
      r.id = t.id;
      r.qpn = t.remote_qpn;
      r.remote_host = 7;
      r.remote_qpn = t.qpn;
      r.dscp = t.dscp;
      r.slots = t.slots;
      r.message_bytes = t.message_bytes;
      r.bytes = t.bytes;
      r.local_address = t.remote_address;
      r.slot_bytes = t.slot_bytes;
      r.seed = t.seed;
      rx.push_back(r);
    }
    tx_at = block.tx_offset;
    rx_at = block.rx_offset;
    copy();
  }
  /// Copies the boot block and the flows to RAM again, whatever the block contains now.
  void copy() {
    std::memcpy(machine.ram(kBlock), &block, sizeof block);
    if (!tx.empty()) {
      std::memcpy(machine.ram(kBlock + tx_at), tx.data(), tx.size() * sizeof tx[0]);
      std::memcpy(machine.ram(kBlock + rx_at), rx.data(), rx.size() * sizeof rx[0]);
    }
  }

  /// Adds a register file that answers as a controller, and a configuration for the controller.
  void give_controller() {
    block.flags |= BOOT_HAS_CONTROLLER;
    dcc_config& c = block.controller;
    c.parameters = DCC_PARAMETERS_RESET;
    dcc_classes_equal(c.classes);
    machine.reg(DCC_BASE + DCC_ID_OFFSET) = DCC_ID_RESET;
    machine.reg(DCC_BASE + DCC_VERSION_OFFSET) = DCC_VERSION_RESET;
    machine.reg(DCC_BASE + DCC_CAPS_OFFSET) = DCC_CAPS_RESET;
    machine.reg(DCC_BASE + DCC_STATUS_OFFSET) = DCC_STATUS_READY_MASK;
  }

  traffic_error run() {
    write_block();
    return traffic_app_run(&app, machine.machine(), kBlock);
  }
  const boot_result& result() { return machine.in_ram<boot_block>(kBlock).result; }
  const boot_tx_result& tx_result(std::uint32_t i) {
    return machine.in_ram<boot_tx_result>(kBlock + block.tx_result_offset + i * 48);
  }
  const boot_rx_result& rx_result(std::uint32_t i) {
    return machine.in_ram<boot_rx_result>(kBlock + block.rx_result_offset + i * 40);
  }

  FakeMachine machine;
  FakeNic nic;
  boot_block block{};
  std::vector<boot_tx_flow> tx;
  std::vector<boot_rx_flow> rx;
  std::uint32_t tx_at = 0;
  std::uint32_t rx_at = 0;
  traffic_app app{};
};

}  // namespace dcc::test
