// DeTail's adaptive load balancing (Zats et al., SIGCOMM'12): a port's drain bytes (bytes of a
// packet's priority and of higher priorities) put the port into one of three classes; each packet
// takes a random port of the best class that is not empty.
#include "schemes/detail/detail.h"

#include "describe/parameter_error.h"
#include "describe/visitor.h"
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
  /// Preference class of a port: 0 is favoured, 1 neutral, 2 avoided.
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

const Balancers::Registered<DetailParameters> kDetail{
    "detail", "packets to ports with few bytes of their priority and higher ones", kMakes<Detail>};

}  // namespace

void DetailParameters::describe(ParameterVisitor& v) {
  const char* const paper = "DeTail, SIGCOMM'12";
  v.field("favoured_below", favoured_below, {"1B", "1GiB"},
          {"ports with fewer bytes of the packet's priority and higher ones are preferred", paper});
  v.field("avoided_from", avoided_from, {"1B", "1GiB"},
          {"ports with at least so many bytes are avoided", paper});
}

void DetailParameters::check() const {
  if (favoured_below > avoided_from) {
    throw ParameterError({"avoided_from", "favoured_below"},
                         "avoided_from is below favoured_below");
  }
}

}  // namespace dcc
