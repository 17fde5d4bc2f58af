// Tests the registry of transports and disciplines by name, and the properties that the platform
// knows before it creates a NIC.
#include "nic/transport_registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "schemes/ndp/ndp.h"
#include "schemes/ndp/trimming.h"
#include "switch/switch_device.h"

namespace dcc {
namespace {

template <class Seam>
std::vector<std::string> names() {
  std::vector<std::string> list;
  for (const auto& entry : Named<Seam>::all()) {
    EXPECT_FALSE(entry.description.empty()) << entry.name;
    EXPECT_EQ(entry.defaults() == nullptr, false) << entry.name;
    list.push_back(entry.name);
  }
  EXPECT_TRUE(std::is_sorted(list.begin(), list.end()));
  return list;
}

TEST(TransportRegistry, HasEachByName) {
  const auto count = [](const std::vector<std::string>& list, const char* name) {
    return std::count(list.begin(), list.end(), name);
  };
  for (const char* name : {"braid", "d3", "expresspass", "fastpass", "fcp", "homa", "ndp", "pdq",
                           "pfabric", "phost", "pias", "rcp", "tcp", "tdma", "uec", "xcp"}) {
    EXPECT_EQ(count(names<TransportSeam>(), name), 1) << name;
  }
  for (const char* name : {"credit", "drop_tail", "explicit_rate", "fair_rate", "pfabric",
                           "preemptive_rate", "priced", "trimming", "window_feedback"}) {
    EXPECT_EQ(count(names<DisciplineSeam>(), name), 1) << name;
  }
}

TEST(TransportRegistry, RefusesANameThatIsTaken) {
  EXPECT_THROW(Transports::add({"ndp", "", {}, {}, {}}), std::logic_error);
  EXPECT_THROW(Transports::add({"roce", "", {}, {}, {}}), std::logic_error);
  EXPECT_THROW(Disciplines::add({"auto", "", {}, {}, {}}), std::logic_error);
}

TEST(TransportRegistry, IsRoceUnlessAnotherIsChosen) {
  const TransportChoice choice;
  EXPECT_EQ(choice.name(), "roce");
  EXPECT_EQ(choice.chosen(), nullptr);
  RandomStream random(1, "none");
  Scheduler clock;
  EXPECT_EQ(DisciplineChoice().make({random, clock}), nullptr) << "the switch's own queues";
}

TEST(TransportRegistry, ACopyHasItsOwnParameters) {
  TransportChoice original;
  original.choose("ndp");
  TransportChoice copy = original;
  copy.of<NdpParameters>("ndp").initial_window = 5;
  EXPECT_EQ(static_cast<const NdpParameters*>(original.chosen())->initial_window, 23u);
  EXPECT_EQ(static_cast<const NdpParameters*>(copy.chosen())->initial_window, 5u);
  original = copy;
  EXPECT_EQ(static_cast<const NdpParameters*>(original.chosen())->initial_window, 5u);
}

TEST(TransportRegistry, EveryTransportNamesADisciplineThatThereIs) {
  const std::vector<std::string> disciplines = names<DisciplineSeam>();
  for (const auto& entry : Transports::all()) {
    const std::string wanted = entry.defaults()->discipline();
    EXPECT_TRUE(wanted == "fifo" || std::count(disciplines.begin(), disciplines.end(), wanted) == 1)
        << entry.name << " wants " << wanted;
  }
}

}  // namespace
}  // namespace dcc
