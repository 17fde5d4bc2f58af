// Changes the class of flows while they run (`new_dscp` of a traffic entry).
#pragma once

#include <cstddef>
#include <deque>

#include "build/platform_part.h"
#include "sim/scheduler.h"

namespace dcc::vp {

/// Changes the class of flows at the NIC, like register QP_CMD, on hosts without software. On hosts
/// with software the application calls the driver's nic_change_class instead.
class ClassChanges final : public PlatformPart {
 public:
  explicit ClassChanges(Platform& platform);
  void begin() override;

 private:
  struct Entry {
    Entry(ClassChanges& changes, std::size_t place);
    void change() { owner.change(index); }

    ClassChanges& owner;
    std::size_t index;  // index of the flow's entry in `traffic`
    Event due;
  };
  /// Changes a flow's class. Throws std::runtime_error if a NIC refuses the change of a running
  /// flow.
  void change(std::size_t index);

  Platform& platform_;
  std::deque<Entry> entries_;
};

}  // namespace dcc::vp
