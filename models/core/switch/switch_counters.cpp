// What a switch has counted, and who waits in it: for those who look on.
#include "stats/counter_sum.h"
#include "switch/switch_device.h"

namespace dcc {

std::vector<int> SwitchDevice::outputs_awaited(int input, int priority) const {
  std::vector<int> outputs;
  for (int port = 0; port < ports_; ++port) {
    const Port& egress = at(port);
    const Queue& queue = egress.queue[static_cast<std::size_t>(priority)];
    if (queue.bytes == 0) continue;
    bool waits = false;
    if (!egress.turns.empty()) {
      const TurnQueue& turns = egress.turns[static_cast<std::size_t>(priority)];
      waits = !turns.inputs[static_cast<std::size_t>(input)].fifo.empty();
    } else {
      const Packet* packet = queue.fifo.front();
      while (packet != nullptr && packet->ingress != input) packet = packet->next;
      waits = packet != nullptr;
    }
    if (waits) outputs.push_back(port);
  }
  return outputs;
}

SwitchCounters SwitchDevice::counters_of(const Port& port) {
  SwitchCounters counters = port.rare;
  counters.enqueued = port.enqueued;
  counters.dequeued = port.dequeued;
  counters.tx_bytes = port.tx_bytes;
  return counters;
}

SwitchCounters SwitchDevice::totals() const {
  SwitchCounters sum;
  sum.unroutable = unroutable_;
  sum.path_news_sent = actions_.sent;
  sum.path_news_taken = actions_.taken;
  for (const Port& port : egress_) add_to(sum, counters_of(port));
  return sum;
}

PfcCounters SwitchDevice::pfc_totals() const {
  PfcCounters sum;
  for (const Port& port : egress_) add_to(sum, port.pfc.counters());
  return sum;
}

}  // namespace dcc
