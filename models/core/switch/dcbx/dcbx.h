// DCBX (IEEE 802.1Q-2018, clause 38): the two ends of a link exchange their settings of PFC, ETS
// and application priorities, and one end adopts the other end's settings where they differ.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "describe/enum_names.h"
#include "sim/scheduler.h"
#include "sim/state_digest.h"
#include "switch/egress_scheduler.h"
#include "units.h"
#include "wire/lldp_frame.h"
#include "wire/packet.h"

namespace dcc {

class ParameterVisitor;

/// DCBX settings of some ends of links, which differ from those of other ends.
struct DcbxEndParameters {
  // whether an end adopts the other end's settings; kAuto: NICs are willing, switches are not
  enum class Willing : std::uint8_t { kAuto, kYes, kNo };

  // names of wires, cables or nodes that the entry applies to; empty: all ends
  std::vector<std::string> ports;
  bool silent = false;               // true: this end of the link neither sends nor accepts LLDP
  Willing willing = Willing::kAuto;  // whether this end adopts the settings of the other end
  std::optional<std::uint8_t> pfc;   // mask of the priorities that PFC pauses; empty: as switch.pfc
  // ETS bandwidth in percent by priority; empty: as switch.scheduler
  std::vector<unsigned> bandwidth;
  // priority of UDP port 4791 (RoCE); empty: the priority of DSCP 0
  std::optional<unsigned> roce_priority;

  void describe(ParameterVisitor& v);
  /// Throws ParameterError if the ETS bandwidth shares do not add up to 100 percent.
  void check() const;
};

DCC_ENUM_NAMES(DcbxEndParameters::Willing, {DcbxEndParameters::Willing::kAuto, "auto"},
               {DcbxEndParameters::Willing::kYes, "yes"}, {DcbxEndParameters::Willing::kNo, "no"});

struct DcbxParameters {
  bool enabled = false;
  PicoSeconds interval = kSecond * 30;  // time between DCBX frames while no setting changes
  std::vector<DcbxEndParameters> ends;  // settings of ends; later entries override earlier ones

  void describe(ParameterVisitor& v);
};

/// DCBX settings of one end of a link.
struct DcbxSettings {
  bool willing = false;
  std::uint8_t pfc = 0;  // mask of the priorities that PFC pauses (bit p: priority p)
  EtsTable ets;
  std::vector<ApplicationPriority> applications;

  void add_state(StateDigest& d) const { d(willing, pfc, ets, applications); }
};

/// The ETS table that describes the weights of `scheduler`.
EtsTable ets_table_of(const EgressSchedulerParameters& scheduler);
/// The ETS table of shares in percent by priority; 0: strict priority, served before priorities
/// with a share.
EtsTable ets_table_of(const std::vector<unsigned>& bandwidth);

/// DCBX attributes in which the two ends of a link can differ.
enum class DcbxAttribute : std::uint8_t { kPfc, kEts, kApplications };
constexpr std::size_t kDcbxAttributes = 3;
const char* name_of(DcbxAttribute attribute);

/// DCBX at one end of a link, with the end's own settings, the settings received, and the settings
/// in force. A frame is sent when the link comes up, when a setting in force changes, and once per
/// interval. Received settings expire when the link goes down, and when no frame came within the
/// advertised time to live.
///
/// Each frame costs a transmit credit (txCredit of 802.1AB, 9.2.5). A link that comes up has five
/// credits and regains one per second. Without a credit, the frame waits for the next one and then
/// carries the settings of that time. The limit is needed because frames are sent before all
/// packets.
///
/// PFC is symmetric: if both ends are willing, the end with the lower address keeps its settings.
/// ETS is recommended: a willing end adopts the other end's recommendation for this direction.
/// Application priorities follow the willingness of ETS, as their frames carry no willing bit.
class DcbxEnd {
 public:
  struct Identity {
    roce::MacAddress address{};
    roce::MacAddress chassis{};
    std::string port;
  };
  /// A lasting difference: neither end of the link adopts the setting of the other end.
  struct Difference {
    PicoSeconds since{};
    std::string here;
    std::string there;
  };
  struct Counters {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    std::uint64_t malformed = 0;  // received frames that could not be parsed
  };
  /// Function that sends a frame. / Function that applies the priorities that may be paused from
  /// now on; bit p: priority p.
  using Send = std::function<void(Packet*)>;
  using Agreed = std::function<void(std::uint8_t pfc)>;

  DcbxEnd(Scheduler& scheduler, PacketPool& pool, Identity identity, DcbxSettings own,
          PicoSeconds interval, std::uint32_t rank, Send send, Agreed agreed);
  DcbxEnd(const DcbxEnd&) = delete;
  DcbxEnd& operator=(const DcbxEnd&) = delete;

  /// The link came up or went down.
  void set_carrier(bool up);
  /// Handles a received LLDP frame; the caller keeps the packet.
  void receive(const Packet& packet);

  /// Settings in force at this end, which are its own or adopted from the other end.
  const DcbxSettings& in_force() const { return in_force_; }
  const Counters& counters() const { return counters_; }
  const std::optional<Difference>& difference(DcbxAttribute attribute) const {
    return differences_[static_cast<std::size_t>(attribute)];
  }
  /// Time at which the link came up, if no frame has been received since. Empty after a frame was
  /// received and while the link is down.
  std::optional<PicoSeconds> unanswered_since() const {
    return up_since_ && !received_ ? up_since_ : std::nullopt;
  }
  void add_state(StateDigest& d) const {
    d(in_force_, up_since_, received_, received_until_, next_frame_, credit_, seconds_credited_,
      counters_.sent, counters_.received, timer_);
  }

 private:
  // txCreditMax, the maximum number of transmission credits
  static constexpr std::int64_t kMaxCredit = 5;

  void resolve();
  void send_frame();
  bool consume_credit();
  void expire_received();
  void compare(DcbxAttribute attribute, bool same, bool one_adopts, const std::string& here,
               const std::string& there);
  void tick();
  void schedule_tick();

  Scheduler& scheduler_;
  PacketPool& pool_;
  Identity identity_;
  DcbxSettings own_;
  DcbxSettings in_force_;
  PicoSeconds interval_;
  Send send_;
  Agreed agreed_;
  std::optional<PicoSeconds> up_since_;
  std::optional<LldpFrame> received_;
  PicoSeconds received_until_{};
  PicoSeconds next_frame_{};
  std::int64_t credit_ = 0;
  // number of seconds since the link came up for which a transmission credit was given
  std::int64_t seconds_credited_ = 0;
  std::array<std::optional<Difference>, kDcbxAttributes> differences_;
  Counters counters_;
  Event timer_;
};

}  // namespace dcc
