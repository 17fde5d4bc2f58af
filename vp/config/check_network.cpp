#include <string>

#include "config/check_context.h"
#include "describe/quantity_text.h"

namespace dcc::vp {
namespace {

class NetworkCheck : private CheckContext {
 public:
  using CheckContext::CheckContext;

  void check_switch() const {
    const SwitchParameters& s = c_.switch_;
    // Checks a disabled section, too, because the command line may enable it.
    check_together("switch.ecn", [&] { s.ecn.check(c_.topology.fastest_link()); });
    check_together("switch.scheduler", [&] { s.scheduler.check(); });
    if (s.routing.chosen() != nullptr) {
      check_together("routing", [&] { s.routing.chosen()->check(); });
    }
    require(s.buffer >= 4 * (c_.nic.mtu + kMaxHeaders), given("switch.buffer", "nic.mtu"),
            "a buffer of " + text_of(s.buffer) + " does not hold four packets of mtu " +
                text_of(Bytes{c_.nic.mtu}));
    if (s.has_credits()) check_credits();
  }

  void check_dcbx() const {
    for (std::size_t i = 0; i < c_.dcbx.ends.size(); ++i) {
      const std::string path = "dcbx.ends." + std::to_string(i);
      check_together(path, [&] { c_.dcbx.ends[i].check(); });
      for (const TransportChoice* const choice : c_.transports()) {
        require(choice->chosen() == nullptr || c_.dcbx.ends[i].pfc.value_or(0) == 0,
                given(path + ".pfc", "nic.transport.kind"),
                "transport " + choice->name() +
                    " needs a network without flow control, so no port sends pauses");
      }
    }
    require(!c_.dcbx.enabled || !c_.switch_.has_credits(),
            given("dcbx.enabled", "switch.flow_control"),
            "InfiniBand has no DCBX: flow_control: pfc");
  }

 private:
  void check_credits() const {
    const SwitchParameters& s = c_.switch_;
    const Bytes largest = c_.nic.mtu + kMaxHeaders + kCreditBlock;
    require(!s.credits.buffer || *s.credits.buffer >= 2 * largest,
            given("switch.credits.buffer", "nic.mtu"),
            "a buffer that does not hold two packets of mtu " + text_of(Bytes{c_.nic.mtu}) +
                " keeps a link from sending");
    require(s.discipline.name() == "auto" || s.discipline.name() == "fifo",
            given("switch.discipline.kind", "switch.flow_control"),
            "flow_control: credits goes with discipline: {kind: fifo} alone");
    for (std::size_t i = 0; i < c_.faults.size(); ++i) {
      require(
          c_.faults[i].kind != FaultKind::kLinkFailure && c_.faults[i].kind != FaultKind::kLinkFlap,
          "faults." + std::to_string(i) + ".kind",
          "flow_control: credits agrees on them when a link comes up, before the run: links "
          "may lose packets, or be slow, but not fail");
    }
  }
};

}  // namespace

void check_switch(const LoadedConfig& loaded) { NetworkCheck(loaded).check_switch(); }
void check_dcbx(const LoadedConfig& loaded) { NetworkCheck(loaded).check_dcbx(); }

}  // namespace dcc::vp
