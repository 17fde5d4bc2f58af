// Flows that get another class while they run (`new_dscp` of an entry of traffic).
#pragma once

#include <cstddef>
#include <deque>

#include "build/platform_part.h"
#include "sim/scheduler.h"

namespace dcc::vp {

class Platform;

/// Changes the class of flows of hosts without software, at the NIC, as the register QP_CMD does.
/// On hosts with software the application calls the driver's nic_change_class instead.
class ClassChanges final : public PlatformPart {
 public:
  explicit ClassChanges(Platform& platform);
  void begin() override;

 private:
  struct Entry {
    Entry(ClassChanges& changes, std::size_t place);
    void change() { owner.change(index); }

    ClassChanges& owner;
    std::size_t index;  // place in `traffic`
    Event due;
  };
  /// Throws std::runtime_error if a NIC refuses the change of a flow that is under way.
  void change(std::size_t index);

  Platform& platform_;
  std::deque<Entry> entries_;
};

}  // namespace dcc::vp
