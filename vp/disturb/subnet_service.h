// InfiniBand's management plane in a run: the subnet manager's sweep, and the requests of flows for
// a rate (`subnet`, `guarantee` of an entry of traffic).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "build/platform_part.h"
#include "sim/scheduler.h"
#include "subnet/administration.h"
#include "subnet/reservations.h"
#include "subnet/subnet_agents.h"
#include "subnet/subnet_manager.h"
#include "traffic/admission_desk.h"

namespace dcc {
class FlowScheduler;
class LiveFabric;
class Routing;
}  // namespace dcc

namespace dcc::vp {

class DirectTraffic;

/// Runs the subnet manager. From the beginning of the run the manager sends one datagram after the
/// other; a lost datagram costs kTimeout. A flow with a guarantee requests a rate when its queue
/// pair is due. The request takes the time of a packet to the manager's host, waits until the sweep
/// has ended and the manager is free, and is answered after `subnet.response`. A granted rate stays
/// reserved until the flow has ended; the manager notices ended flows at the next request. A
/// refused flow never begins.
///
/// When a cable fails or is repaired, the switches at its ends send a trap to the manager, if a
/// route leads from the switch to the manager. A trap makes the manager sweep again and set the
/// forwarding tables according to the result; the new routes are in force with the last table. A
/// trap that arrives during a sweep causes another sweep afterwards.
class SubnetService final : public PlatformPart, private AdmissionDesk {
 public:
  explicit SubnetService(Platform& platform);
  void begin() override;
  void finish(RunResults& results) override;
  const SubnetManager& manager() const { return manager_; }

 private:
  // time until a lost datagram is repeated, as OpenSM waits by default
  static constexpr PicoSeconds kTimeout = kMilliSecond * 200;

  struct Request {
    Request(SubnetService& service, const PlannedFlow& about);
    void due() { owner.due(*this); }

    SubnetService& owner;
    const PlannedFlow& flow;
    std::uint64_t rate;
    enum class At { kUnderWay, kServed, kBack } at = At::kUnderWay;
    bool granted = false;
    // index of the request in SubnetResult::requests, valid from At::kBack on
    std::size_t result = 0;
    Event event;
  };
  bool asks(const PlannedFlow& flow) override;
  void sweep();
  void sweep_again();
  void end_sweep();
  void changed(int cable);
  void trapped();
  SubnetAccess access();
  std::vector<bool> gone() const;
  void due(Request& request);
  void serve(Request& request);
  PicoSeconds decide(Request& request);
  void release_ended();
  void follow_moves();
  void follow_routes();
  PicoSeconds write_tables(const std::vector<SubnetManager::Hop>& path);
  PicoSeconds travel(HostId from, HostId to) const;
  std::vector<SubnetManager::Hop> path_of(const PlannedFlow& flow, unsigned address) const;

  Platform& p_;
  DirectTraffic& traffic_;
  FlowScheduler* const scheduler_;  // flow scheduler that assigns paths; null: none
  const bool by_tables_;
  SubnetAgents agents_;
  SubnetManager manager_;
  Reservations reservations_;
  Administration administration_;
  Event sweep_event_;
  Event trap_event_;
  // network whose links fail during the run; null: no link fails
  LiveFabric* live_ = nullptr;
  std::multiset<PicoSeconds> traps_;  // arrival times of the traps under way
  std::unique_ptr<Routing> routing_;  // routes that the present sweep sets; null: none yet
  PicoSeconds sweep_began_{};
  bool again_ = false;  // true if another sweep follows the present sweep
  std::optional<Mad> answer_;
  bool asked_ = false;  // true if a datagram of the sweep waits for its answer
  PicoSeconds free_at_{};
  std::deque<Request> requests_;
  // requests that wait for the end of the sweep
  std::vector<Request*> waiting_;
  std::map<std::uint32_t, const PlannedFlow*> holds_;  // flows whose request was granted
  SubnetResult result_;
};

}  // namespace dcc::vp
