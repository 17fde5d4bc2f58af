#include "switch/egress_ports.h"

#include <memory>
#include <utility>

namespace dcc {

void EgressPorts::build(PortContext& context, const SwitchParameters& parameters, int count,
                        std::uint32_t rank) {
  const auto size = static_cast<std::size_t>(count);
  for (int number = 0; number < count; ++number) {
    std::unique_ptr<PortDiscipline> discipline =
        parameters.discipline.make({context.random, context.scheduler});
    if (discipline == nullptr) {
      queues_.reserve(size);
      queues_.emplace_back(context, number, parameters, rank);
    } else {
      disciplines_.reserve(size);
      context.needs_reverse_packets = discipline->needs_reverse_packets();
      disciplines_.emplace_back(context, number, parameters, std::move(discipline), rank);
    }
  }
}

}  // namespace dcc
