// DeTail's adaptive load balancing (Zats et al., SIGCOMM'12): each packet goes to a port drawn at
// random among those before which the fewest bytes of its priority, or a higher one, wait; in
// three classes, so that no port needs to be compared with all others.
#include "fabric/path_choice.h"
#include "fabric/routing_parameters.h"
#include "sim/random.h"
#include "sim/state_digest.h"

namespace dcc {

namespace {

class Detail final : public PathChoice {
 public:
  Detail(const DetailParameters& parameters, const PathContext& context)
      : parameters_(parameters),
        view_(context.view),
        random_(context.seed, "routing", context.index) {}

  std::uint32_t peek(const Packet& packet, PortSet ports) const override {
    RandomStream ahead = random_;
    return draw(packet, ports, ahead);
  }
  std::uint32_t choose(Packet& packet, PortSet ports) override {
    return draw(packet, ports, random_);
  }
  void add_state(StateDigest& d) const override { d(random_); }

 private:
  /// 0: favoured; 1; 2: avoided.
  unsigned class_of(int port, int priority) const {
    const Bytes drain = view_.drain(port, priority);
    return drain < parameters_.favoured_below ? 0 : drain < parameters_.avoided_from ? 1 : 2;
  }
  std::uint32_t draw(const Packet& packet, PortSet ports, RandomStream& random) const {
    unsigned best = 3;
    std::uint32_t alike = 0;
    for (std::uint32_t i = 0; i < ports.size(); ++i) {
      const unsigned of_it = class_of(ports[i], packet.priority);
      if (of_it > best) continue;
      alike = of_it == best ? alike + 1 : 1;
      best = of_it;
    }
    auto nth = static_cast<std::uint32_t>(random.below(alike));
    std::uint32_t index = 0;
    while (class_of(ports[index], packet.priority) != best || nth-- != 0) ++index;
    return index;
  }

  DetailParameters parameters_;
  const PathView& view_;
  RandomStream random_;
};

}  // namespace

std::unique_ptr<PathChoice> make_detail(const RoutingParameters& parameters,
                                        const PathContext& context) {
  return std::make_unique<Detail>(parameters.detail, context);
}

}  // namespace dcc
