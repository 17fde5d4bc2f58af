// DCBX (IEEE 802.1Q-2018, clause 38): the two ends of a link tell each other how they pause, share
// and sort traffic, and one of them gives way where they differ.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "describe/enum_names.h"
#include "sim/scheduler.h"
#include "switch/egress_scheduler.h"
#include "units.h"
#include "wire/lldp_frame.h"
#include "wire/packet.h"

namespace dcc {

class ParameterVisitor;

/// What some ends of links have other than the rest.
struct DcbxEndParameters {
  enum class Willing : std::uint8_t { kAuto, kYes, kNo };  // kAuto: NICs are, switches are not

  std::vector<std::string> ports;         // wires, by where they leave; cables, nodes; empty: all
  bool silent = false;                    // no LLDP
  Willing willing = Willing::kAuto;       // to take what the other end has
  std::optional<std::uint8_t> pfc;        // priorities that are paused; empty: switch.pfc's
  std::vector<unsigned> bandwidth;        // ETS, percent by priority; empty: switch.scheduler's
  std::optional<unsigned> roce_priority;  // of UDP port 4791; empty: that of DSCP 0

  void describe(ParameterVisitor& v);
  /// Throws ParameterError.
  void check() const;
};

DCC_ENUM_NAMES(DcbxEndParameters::Willing, {DcbxEndParameters::Willing::kAuto, "auto"},
               {DcbxEndParameters::Willing::kYes, "yes"}, {DcbxEndParameters::Willing::kNo, "no"});

struct DcbxParameters {
  bool enabled = false;
  PicoSeconds interval = kSecond * 30;  // of frames that tell nothing new
  std::vector<DcbxEndParameters> ends;  // later ones overrule

  void describe(ParameterVisitor& v);
};

/// How one end is set up by whoever runs it.
struct DcbxSettings {
  bool willing = false;
  std::uint8_t pfc = 0;  // bit p: priority p is paused
  EtsTable ets;
  std::vector<ApplicationPriority> applications;

  template <class Digest>
  void add_state(Digest& d) const {
    d(willing, pfc, ets, applications);
  }
};

/// How a port that sends by this scheduler would describe itself.
EtsTable ets_table_of(const EgressSchedulerParameters& scheduler);
/// The same of shares given in percent by priority; 0: served before the others.
EtsTable ets_table_of(const std::vector<unsigned>& bandwidth);

/// What two ends can differ in.
enum class DcbxAttribute : std::uint8_t { kPfc, kEts, kApplications };
constexpr std::size_t kDcbxAttributes = 3;
const char* name_of(DcbxAttribute attribute);

/// One end of a link: what it has, what it has heard, and what is in force. Frames go when the link
/// comes up, when something in force changes, and every interval; what was heard is forgotten when
/// the link goes down, and when nothing came for as long as the other end promised.
///
/// A frame takes a credit (txCredit of 802.1AB, 9.2.5): a link that comes up has five, one comes
/// back each second. Without one, what there is to tell waits for the next and is told as it is
/// then: frames go before all packets, and short intervals would leave those nothing.
///
/// PFC is symmetric: of two that are willing the one with the lower address keeps its own. ETS is
/// recommended: who is willing takes what the other recommends for this direction. Priorities of
/// applications go with ETS's willingness, for want of a bit of their own.
class DcbxEnd {
 public:
  struct Identity {
    roce::MacAddress address{};
    roce::MacAddress chassis{};
    std::string port;
  };
  /// A difference that stays: neither end gives way.
  struct Difference {
    PicoSeconds since{};
    std::string here;
    std::string there;
  };
  struct Counters {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    std::uint64_t unsound = 0;  // of these
  };
  /// Takes a frame to the wire, and hears which priorities are to be paused from now on.
  using Send = std::function<void(Packet*)>;
  using Agreed = std::function<void(std::uint8_t pfc)>;

  DcbxEnd(Scheduler& scheduler, PacketPool& pool, Identity identity, DcbxSettings own,
          PicoSeconds interval, std::uint32_t rank, Send send, Agreed agreed);
  DcbxEnd(const DcbxEnd&) = delete;
  DcbxEnd& operator=(const DcbxEnd&) = delete;

  /// The link has come up, or gone down.
  void set_carrier(bool up);
  /// A frame arrived; it stays the caller's.
  void receive(const Packet& packet);

  /// What is in force here: the own, or the other end's.
  const DcbxSettings& in_force() const { return in_force_; }
  const Counters& counters() const { return counters_; }
  const std::optional<Difference>& difference(DcbxAttribute attribute) const {
    return differences_[static_cast<std::size_t>(attribute)];
  }
  /// When the link came up; empty while it is down, and from when the other end was heard.
  std::optional<PicoSeconds> unheard_since() const {
    return up_since_ && !heard_ ? up_since_ : std::nullopt;
  }
  template <class Digest>
  void add_state(Digest& d) const {
    d(in_force_, up_since_, heard_, heard_until_, next_frame_, credit_, seconds_credited_,
      counters_.sent, counters_.received, timer_);
  }

 private:
  static constexpr std::int64_t kMaxCredit = 5;  // txCreditMax

  void resolve();
  void tell();
  bool take_credit();
  void forget();
  void compare(DcbxAttribute attribute, bool same, bool one_gives_way, const std::string& here,
               const std::string& there);
  void tick();
  void plan_tick();

  Scheduler& scheduler_;
  PacketPool& pool_;
  Identity identity_;
  DcbxSettings own_;
  DcbxSettings in_force_;
  PicoSeconds interval_;
  Send send_;
  Agreed agreed_;
  std::optional<PicoSeconds> up_since_;
  std::optional<LldpFrame> heard_;
  PicoSeconds heard_until_{};
  PicoSeconds next_frame_{};
  std::int64_t credit_ = 0;
  std::int64_t seconds_credited_ = 0;  // of those since the link came up
  std::array<std::optional<Difference>, kDcbxAttributes> differences_;
  Counters counters_;
  Event timer_;
};

}  // namespace dcc
