// How whoever looks at a run (the prompt, a debugger) gets back to where it has been.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace dcc::model {

/// Copies of the whole simulation, taken as it goes. Runs are deterministic: any earlier moment is
/// reached from a copy before it by running on. A copy is of everything, devices, network, RTL and
/// software, so all of them go back together.
class TimeMachine {
 public:
  virtual ~TimeMachine() = default;

  /// Copies there are; they are numbered from 0 in the order of time.
  virtual std::size_t snapshots() const = 0;
  /// Enough time has passed since the last for another. Cheap enough to be asked often.
  virtual bool is_due() const = 0;
  /// Takes one, number snapshots(), between two events. Comes back with nothing; and again, every
  /// time somebody travels here, with the orders he gives: then this is the past, nothing is known
  /// of what came after, and replaying() is true.
  virtual std::optional<std::string> take_snapshot() = 0;
  /// To snapshot `number`, to do there what `orders` say; later snapshots are forgotten.
  /// Precondition: number < snapshots(), orders.size() <= kMaxOrders.
  [[noreturn]] virtual void travel(std::size_t number, const std::string& orders) = 0;
  static constexpr std::size_t kMaxOrders = 1 << 16;

  /// On the way to a moment that was seen before: nothing is said of what happens.
  virtual bool replaying() const = 0;
  /// It is reached.
  virtual void arrived() = 0;
};

}  // namespace dcc::model
