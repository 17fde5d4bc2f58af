// DRILL (Ghorbani et al., SIGCOMM'17): each packet takes the port with the shortest queue among a
// few random ports and the best ports of the previous packet. Ports with different capacities
// behind them form components; a hash assigns each flow to a component in proportion to capacity.
#include "schemes/drill/drill.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "describe/visitor.h"
#include "fabric/fabric_map.h"
#include "sim/random.h"
#include "sim/state_digest.h"

namespace dcc {

namespace {

class Drill final : public PathChoice {
 public:
  Drill(const DrillParameters& parameters, const PathContext& context)
      : parameters_(parameters),
        view_(context.view),
        hash_seed_(context.hash_seed),
        random_(context.seed, "routing", context.index) {}

  void join(const FabricMap& fabric, int self) override {
    fabric_ = &fabric;
    self_ = self;
  }
  void routes_changed() override {
    sets_.clear();
    set_of_edge_.clear();
  }

  std::uint32_t peek(const Packet& packet, PortSet ports) const override {
    RandomStream ahead = random_;
    Candidates found;
    return look(component_of(packet, ports), ports, ahead, found);
  }
  std::uint32_t choose(Packet& packet, PortSet ports) override {
    Component& component = component_of(packet, ports);
    Candidates found;
    const std::uint32_t best = look(component, ports, random_, found);
    component.memory.clear();
    for (std::size_t i = 0; i < found.count && component.memory.size() < parameters_.memory; ++i) {
      const std::uint16_t index = found.list[i].index;
      const auto& memory = component.memory;
      if (std::find(memory.begin(), memory.end(), index) == memory.end()) {
        component.memory.push_back(index);
      }
    }
    return best;
  }
  /// State of DRILL for the digest. `sets` adds nothing, because peek() may create sets and their
  /// order has no effect.
  void add_state(StateDigest& d) const override {
    d(random_);
    d.unordered([this](auto one) {
      for (const Set& set : sets_) {
        for (const Component& component : set.components) {
          if (component.memory.empty()) continue;
          one(set.ports, component.each, component.indices, component.memory);
        }
      }
    });
  }

 private:
  struct Candidate {
    Bytes backlog = 0;
    std::uint16_t index = 0;
  };
  /// Candidate ports sorted by queue length; ports with equal queues keep the order in which they
  /// were drawn.
  struct Candidates {
    std::array<Candidate, 128> list;
    std::size_t count = 0;
  };
  /// Component: the ports of a set that have the same capacity behind them.
  struct Component {
    std::uint64_t each = 0;
    std::vector<std::uint16_t> indices;
    std::vector<std::uint16_t> memory;
  };
  struct Set {
    std::vector<int> ports;
    std::vector<Component> components;
  };

  std::uint32_t look(const Component& component, PortSet ports, RandomStream& random,
                     Candidates& found) const {
    const auto add = [&](std::uint16_t index) {
      found.list[found.count++] = {view_.backlog(ports[index]), index};
    };
    for (unsigned i = 0; i < parameters_.samples; ++i) {
      add(component.indices[random.below(component.indices.size())]);
    }
    for (const std::uint16_t index : component.memory) add(index);
    std::stable_sort(found.list.begin(),
                     found.list.begin() + static_cast<std::ptrdiff_t>(found.count),
                     [](const Candidate& a, const Candidate& b) { return a.backlog < b.backlog; });
    return found.list[0].index;
  }

  Component& component_of(const Packet& packet, PortSet ports) const {
    Set& set = set_of(packet.destination, ports);
    if (set.components.size() == 1) return set.components.front();
    Uint128 sum = 0;
    for (const Component& one : set.components) sum += Uint128(one.each) * one.indices.size();
    Uint128 at = (flow_hash(packet, hash_seed_) >> 32) * sum >> 32;
    for (Component& one : set.components) {
      const Uint128 share = Uint128(one.each) * one.indices.size();
      if (at < share) return one;
      at -= share;
    }
    return set.components.back();
  }

  Set& set_of(HostId destination, PortSet ports) const {
    if (fabric_ == nullptr) return sets_[find_or_add(destination, ports)];
    if (set_of_edge_.empty()) set_of_edge_.assign(fabric_->edges(), kUnknown);
    std::size_t& index = set_of_edge_[fabric_->edge_of(destination)];
    if (index == kUnknown) index = find_or_add(destination, ports);
    return sets_[index];
  }

  /// Finds or adds the port set of a destination. Destinations with equal ports and capacities
  /// share one set.
  std::size_t find_or_add(HostId destination, PortSet ports) const {
    Set set;
    for (std::uint32_t i = 0; i < ports.size(); ++i) {
      set.ports.push_back(ports[i]);
      const std::uint64_t capacity =
          fabric_ == nullptr ? 1 : fabric_->capacity(self_, ports[i], destination);
      const auto alike = std::find_if(set.components.begin(), set.components.end(),
                                      [&](const Component& c) { return c.each == capacity; });
      Component& component = alike != set.components.end() ? *alike : set.components.emplace_back();
      component.each = capacity;
      component.indices.push_back(static_cast<std::uint16_t>(i));
    }
    const auto same = std::find_if(sets_.begin(), sets_.end(), [&](const Set& other) {
      return other.ports == set.ports &&
             std::equal(other.components.begin(), other.components.end(), set.components.begin(),
                        set.components.end(), [](const Component& a, const Component& b) {
                          return a.each == b.each && a.indices == b.indices;
                        });
    });
    if (same != sets_.end()) return static_cast<std::size_t>(same - sets_.begin());
    sets_.push_back(std::move(set));
    return sets_.size() - 1;
  }

  static constexpr std::size_t kUnknown = ~std::size_t{0};

  DrillParameters parameters_;
  const PathView& view_;
  std::uint64_t hash_seed_;
  RandomStream random_;
  const FabricMap* fabric_ = nullptr;
  int self_ = 0;
  mutable std::vector<Set> sets_;
  mutable std::vector<std::size_t> set_of_edge_;
};

const Balancers::Registered<DrillParameters> kDrill{
    "drill", "packets to the shortest queue of a few ports", kMakes<Drill>};

}  // namespace

void DrillParameters::describe(ParameterVisitor& v) {
  v.field("samples", samples, {"1", "64"}, {"ports drawn for each packet", "DRILL, SIGCOMM'17: d"});
  v.field("memory", memory, {"0", "64"},
          {"number of shortest queues remembered from the last packet and compared again",
           "DRILL, SIGCOMM'17: m"});
}

}  // namespace dcc
