// DCQCN's law: rates fall by alpha, and rise by bytes and time in three stages.
#pragma once

#include <cstdint>

#include "controller/law/law.h"

namespace dcc {

/// Access to a slot's fields by the names that they have in DCQCN's law, in the patent and in the
/// register map.
template <class Slot>
class BasicDcqcnView {
 public:
  explicit BasicDcqcnView(Slot& slot) : slot_(slot) {}

  /// Congestion estimate α at the slot's last rate cut, 1.16 fixed point.
  auto& alpha() const { return slot_.alpha; }
  /// Bytes that the flow sent since its last byte event.
  auto& bytes() const { return slot_.pkt_length; }
  /// Number of byte events since the slot's last rate cut; saturates at 255.
  auto& byte_events() const { return slot_.bc; }
  /// Number of timer events since the slot's last rate cut; saturates at 255.
  auto& timer_events() const { return slot_.t; }

 private:
  Slot& slot_;
};
using DcqcnView = BasicDcqcnView<SlotParameters>;
using ConstDcqcnView = BasicDcqcnView<const SlotParameters>;

/// DCQCN's law for the controller; see Zhu et al., "Congestion Control for Large-Scale RDMA
/// Deployments", SIGCOMM 2015, section 3.
class DcqcnLaw final : public Law {
 public:
  DcqcnLaw();

  std::uint32_t decrease_step() const override { return kOne16 / 512; }
  std::vector<std::string> unused_keys() const override { return {"silence", "brisk"}; }

  void begin(SlotParameters& slot, const ControllerParameters& parameters) const override;
  CnpOutcome notify(SlotParameters& slot, const CnpEvent& cnp, LawPort& port) const override;
  bool increases_by_bytes() const override { return true; }
  void sent(SlotParameters& slot, std::uint32_t length, std::uint32_t packets,
            const ControllerParameters& parameters) const override;
  void byte_event(SlotParameters& slot, std::uint32_t length, LawPort& port) const override;
  bool timer(SlotParameters& slot, std::uint32_t delta, LawPort& port) const override;

  RateBits cut_target(const DecreaseRequest& request, const RateCut& cut,
                      RateBits lo) const override;
  std::uint64_t added(const IncreaseRequest& request, std::uint32_t step,
                      const RateTables& tables) const override;
  std::uint64_t raised(RateBits rc, RateBits target) const override;
};

}  // namespace dcc
