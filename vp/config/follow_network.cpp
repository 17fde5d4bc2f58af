#include "config/follow_network.h"

#include <optional>
#include <string>
#include <vector>

#include "config/schema.h"

namespace dcc::vp {
namespace {

/// True if no traffic of the configuration can lose a packet: flow control protects its priorities,
/// no fault acts on a link, and no NIC drops payload because its host's memory is slow.
bool is_lossless(const PlatformConfig& config) {
  for (const FaultParameters& fault : config.faults) {
    if (fault.kind != FaultKind::kMemoryFlip) return false;
  }
  const auto drops = [&config](const ReceiveBufferParameters& buffer, const DmaParameters& dma) {
    return buffer.when_full == ReceiveBufferParameters::WhenFull::kDrop &&
           config.nic.real_payload() && dma.rate < config.topology.slowest_link();
  };
  if (drops(config.nic.receive_buffer, config.nic.dma)) return false;
  for (const OtherNics& group : config.nics) {
    if (drops(group.receive_buffer, group.dma)) return false;
  }
  const SwitchParameters& s = config.switch_;
  if (s.has_credits()) return true;
  const DisciplineParameters* const ports = s.discipline.chosen();
  if (!s.pauses() || ports != nullptr) return false;
  const auto is_protected = [&](unsigned dscp) {
    return (s.lossless_priorities() >> config.dscp_of(dscp).priority & 1) != 0;
  };
  for (const TrafficSpec& traffic : config.traffic) {
    if (!is_protected(traffic.dscp)) return false;
  }
  return true;
}

/// Visits all parameters and applies the rules by which their defaults follow the network.
class Follower final : public ParameterVisitor {
 public:
  Follower(LoadedConfig& loaded, LongestPath& path) : loaded_(loaded), path_(path) {}

 protected:
  void leaf(const Leaf& leaf) override { last_ = path_of(leaf.key); }
  void follow(bool in_force, const char* rule, const Follow& set) override {
    if (!in_force || loaded_.places.count(last_) != 0) return;
    if (!scale_) scale_ = measured_network(loaded_.config, path_);
    set(*scale_);
    loaded_.config.followed[last_] = rule;
  }
  bool enter(const std::string& key, const Doc&) override {
    sections_.push_back(path_of(key));
    return true;
  }
  void enter_item(const std::string& key, std::size_t) override {
    sections_.push_back(lists_.back() + "." + key);
  }
  void leave() override { sections_.pop_back(); }
  ListPlan begin_list(const std::string& key, const Doc&, std::size_t size) override {
    lists_.push_back(path_of(key));
    return {size, false};
  }
  std::vector<unsigned> begin_map(const std::string& key, const Doc&,
                                  const std::vector<unsigned>& keys, unsigned) override {
    lists_.push_back(path_of(key));
    return keys;
  }
  void end_list() override { lists_.pop_back(); }
  bool begin_condition(bool applies, const char*) override { return applies; }
  void end_condition() override {}

 private:
  std::string path_of(const std::string& key) const {
    return sections_.empty() ? key : sections_.back() + "." + key;
  }
  LoadedConfig& loaded_;
  LongestPath& path_;
  std::optional<NetworkScale> scale_;
  std::string last_;  // path of the parameter that was described last
  std::vector<std::string> sections_;
  std::vector<std::string> lists_;
};

}  // namespace

NetworkScale measured_network(const PlatformConfig& config, LongestPath& path) {
  NetworkScale network;
  network.rate = config.topology.slowest_link();
  network.base_rtt = path.base_rtt();
  network.packet = path.full_packet();
  network.least_packet = roce::data_wire_bytes(config.smallest_mtu(), false, false);
  network.tick = config.nic.controller.tick;
  network.lossless = is_lossless(config);
  network.buffer = config.switch_.buffer;
  return network;
}

void follow_network(LoadedConfig& loaded, LongestPath& path) {
  Follower follower(loaded, path);
  describe(follower, loaded.config);
}

}  // namespace dcc::vp
