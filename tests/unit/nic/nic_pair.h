// Two NICs and a cable whose packets the test controls.
#pragma once

#include <memory>
#include <optional>

#include "nic/nic_device.h"
#include "wire/link.h"

namespace dcc::test {

struct NicPair {
  explicit NicPair(std::size_t flows) : ledger(flows) {}

  Scheduler scheduler;
  PacketPool pool;
  FlowLedger ledger;
  NicParameters parameters;
  // Recovery parameters of the second NIC; empty: those of `parameters`.
  std::optional<RecoveryParameters> recovery_of_second;
  // Properties of the other NIC, for both NICs; null: both NICs are equal.
  const PeerNics* peers_of_both = nullptr;
  std::unique_ptr<NicDevice> nic[2];
  std::unique_ptr<Link> link[2];  // link[i] carries the packets of nic[i]

  /// Connects both links to `wire`, which receives all packets. The port number is that of the
  /// receiving NIC.
  void join(PacketSink& wire) {
    LinkParameters cable;
    cable.rate = parameters.line_rate;
    cable.overhead = parameters.link_overhead;
    for (std::uint32_t i = 0; i < 2; ++i) {
      parameters.host = i;
      if (i == 1 && recovery_of_second) parameters.recovery = *recovery_of_second;
      nic[i] = std::make_unique<NicDevice>(scheduler, pool, ledger, parameters, 10 + i);
      nic[i]->set_peers(peers_of_both);
      link[i] = std::make_unique<Link>(scheduler, pool, cable, i);
    }
    for (int i = 0; i < 2; ++i) {
      link[i]->connect(wire, 1 - i);
      nic[i]->connect(*link[i]);
    }
  }
};

}  // namespace dcc::test
