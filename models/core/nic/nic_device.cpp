#include "nic/nic_device.h"

#include "switch/pfc.h"

namespace dcc {

NicDevice::NicDevice(Scheduler& scheduler, PacketPool& pool, FlowLedger& ledger,
                     const NicParameters& parameters, std::uint32_t rank)
    : parameters_(parameters),
      scheduler_(scheduler),
      pool_(pool),
      rank_(rank),
      transmitter_(scheduler, pool, ledger, counters_, parameters_, rank),
      receiver_(scheduler, pool, ledger, counters_, parameters_, transmitter_, rank) {
  receiver_.observe_reordering(&reordering_);
}

void NicDevice::set_algorithm(Algorithm* algorithm) {
  algorithm_ = algorithm;
  transmitter_.set_algorithm(algorithm);
  receiver_.enable_cnps(algorithm != nullptr && algorithm->needs().cnp);
}

void NicDevice::set_weight(std::uint8_t dscp, const Ratio& weight) {
  if (algorithm_ != nullptr) algorithm_->on_weight(dscp, weight);
  if (transport_ != nullptr) transport_->on_weight(dscp, weight);
}

void NicDevice::set_transport(Transport* transport) {
  transport_ = transport;
  transmitter_.set_transport(transport);
}

void NicDevice::create_queue_pair(Qpn qpn, const QueuePairConfig& config) {
  transmitter_.create_queue_pair(qpn, config);
  if (transport_ != nullptr) {
    transport_->create_queue_pair(qpn, config);
    return;
  }
  receiver_.create_queue_pair(qpn, config);
}

void NicDevice::connect_queue_pair(Qpn qpn) {
  if (transport_ != nullptr) {
    transport_->connect_queue_pair(qpn);
  } else {
    transmitter_.connect_queue_pair(qpn);
  }
}

void NicDevice::destroy_queue_pair(Qpn qpn) {
  if (transport_ != nullptr) transport_->destroy_queue_pair(qpn);
  transmitter_.destroy_queue_pair(qpn);
  receiver_.destroy_queue_pair(qpn);
}

void NicDevice::set_carrier(bool up) {
  transmitter_.set_carrier(up);
  if (dcbx_ != nullptr) dcbx_->set_carrier(up);
}

void NicDevice::enable_dcbx(const DcbxSettings& settings, PicoSeconds interval,
                            std::uint32_t rank) {
  const roce::MacAddress address = roce::mac_of(parameters_.host);
  dcbx_ = std::make_unique<DcbxEnd>(
      scheduler_, pool_, DcbxEnd::Identity{address, address, "port0"}, settings, interval, rank,
      [this](Packet* frame) { transmitter_.send_link_control(frame); },
      [this](std::uint8_t pfc) { transmitter_.set_pfc_mask(pfc); });
}

void NicDevice::storm(unsigned priorities) {
  storm_ = priorities;
  send_pause(stopped_);
}

void NicDevice::send_pause(unsigned priorities) {
  stopped_ = priorities;
  priorities |= storm_;
  counters_.pauses_sent += static_cast<unsigned>(__builtin_popcount(priorities));
  send_pause_frame();
}

void NicDevice::send_pause_frame() {
  const unsigned priorities = stopped_ | storm_;
  ++counters_.pause_frames_sent;
  for (std::size_t p = 0; p < kPriorities; ++p) pause_frames_sent_[p] += priorities >> p & 1;
  Packet* const frame = pool_.allocate();
  frame->kind = PacketKind::kPause;
  frame->wire_bytes = kPauseFrameBytes;
  frame->pause_classes = static_cast<std::uint8_t>(priorities);
  if (const unsigned quanta = parameters_.pause_quanta) {
    frame->pause_quanta = quanta;
    Event& renewal = pause_times().renewal;
    if (renewal.is_scheduled()) scheduler_.cancel(renewal);
    if (priorities != 0)
      scheduler_.schedule_in(renewal, renewal_time(quanta, parameters_.line_rate));
  }
  transmitter_.send_link_control(frame);
}

NicDevice::PauseTimes& NicDevice::pause_times() {
  if (pause_times_ == nullptr) {
    pause_times_.reset(
        new PauseTimes{{scheduler_, Event::calling<&NicDevice::end_pauses>(*this, rank_)},
                       Event::calling<&NicDevice::send_pause_frame>(*this, rank_)});
  }
  return *pause_times_;
}

void NicDevice::end_pauses() { transmitter_.end_pauses(pause_times_->theirs.take_ended()); }

void NicDevice::set_mtu(std::uint32_t mtu) {
  parameters_.mtu = mtu;
  transmitter_.mtu_changed();
}

void NicDevice::prefetch(const Packet& packet, int) const {
  if (packet.kind == PacketKind::kData) {
    receiver_.prefetch(packet);
  } else {
    transmitter_.prefetch(packet.destination_qpn);
  }
}

void NicDevice::receive(Packet* packet, int) {
  ++counters_.packets_received;
  if (packet->kind == PacketKind::kLldp) {
    if (dcbx_ != nullptr) dcbx_->receive(*packet);
    pool_.free(packet);
    return;
  }
  // A disabled NIC still obeys pauses, since a missed frame is never repeated.
  if (!enabled_ && !is_flow_control(packet->kind)) {
    ++counters_.not_enabled;
    pool_.free(packet);
    return;
  }
  if (transport_ != nullptr && !is_flow_control(packet->kind)) {
    transport_->receive(packet);
    return;
  }
  switch (packet->kind) {
    case PacketKind::kData:
      receiver_.on_data(packet);  // on_data() frees the packet
      return;
    case PacketKind::kAck:
      transmitter_.requester().on_ack(*packet);
      break;
    case PacketKind::kNak:
      transmitter_.requester().on_nak(*packet);
      break;
    case PacketKind::kCnp:
      transmitter_.on_cnp(*packet);
      break;
    case PacketKind::kCnm:
      transmitter_.on_cnm(*packet);
      break;
    case PacketKind::kPause:
      transmitter_.on_pause(packet->pause_classes);
      if (packet->pause_quanta != 0) {
        pause_times().theirs.received(packet->pause_classes,
                                      pause_time(packet->pause_quanta, parameters_.line_rate));
      } else if (pause_times_ != nullptr) {
        pause_times_->theirs.received(0, {});
      }
      break;
    case PacketKind::kFlowPause:
      transmitter_.on_flow_pause(packet->destination, packet->pause_classes != 0);
      break;
    case PacketKind::kCreditLimit:  // CreditGate handles credit packets
    case PacketKind::kLldp:         // LLDP frames are handled before the switch statement
    case PacketKind::kTrimmed:      // RoCE does not use trimmed packets
    case PacketKind::kReturned:
    case PacketKind::kCredit:
    case PacketKind::kRequest:
    case PacketKind::kPathNews:  // only switches exchange these packets
      break;
  }
  pool_.free(packet);
}

}  // namespace dcc
