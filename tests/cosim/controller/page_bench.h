// Test bench that runs the controller's RTL beside the oracle. The bench compares every pin in
// every cycle, and every register and slot that software reads.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>

#include "controller_dut.h"
#include "page_oracle.h"

namespace dcc::page {

/// Parameters of the random inputs of a run. Probabilities are per cycle, in units of 1/1024.
struct Profile {
  std::uint32_t flows = 16;
  std::uint32_t cnp = 30, bytes = 200, command = 4;
  // number of cycles with full rates of each 4096 cycles; other cycles have a tenth of `cnp` and
  // `bytes`; 0: all cycles have full rates
  std::uint32_t burst = 0;
  std::uint32_t access = 2;      // probability of an access to a register, table or slot
  std::uint32_t soft_reset = 0;  // probability that an access is a soft reset, in 1/1024
  bool change_registers = true;
  // probability that an access writes a value close to the slot's own value, in 1/1024
  std::uint32_t aim = 0;
  std::uint32_t status = 0;  // probability of a read of a counter or of STATUS at any time
  std::uint32_t states = 0;  // probability of setting a slot to a state that traffic rarely reaches
};

// number of edges after which registers show all issued events
constexpr std::uint64_t kQuiet = 40;

/// True if an access to this address waits until the controller's pipeline is empty.
bool waits(bool write, std::uint32_t address);

class Bench {
 public:
  Bench(std::unique_ptr<ControllerDut> dut, std::uint64_t seed);

  /// Writes the registers for one run: the chosen law, and random values of all other registers.
  void program(bool dcqcn);
  void run(std::uint64_t cycles, const Profile& profile);
  /// Runs one cycle with these inputs and without starting a register access.
  void cycle(const Inputs& inputs);
  void write(std::uint32_t address, std::uint32_t value);
  std::uint32_t read(std::uint32_t address);
  void compare_counters();
  /// Reads all counters after an interval without issued events, so that a model that counts
  /// immediately agrees as well.
  void read_settled_counters();
  void compare_slots();

  Oracle& oracle() { return oracle_; }
  const Oracle& oracle() const { return oracle_; }
  ControllerDut& dut() { return *dut_; }
  /// The data that a read beginning in this cycle must return; empty if the oracle does not define
  /// the data.
  std::optional<std::uint32_t> will_read(std::uint32_t address) const;
  /// Description of the first difference between RTL and oracle; empty while there is none.
  const std::string& difference() const { return difference_; }

  // Coverage counts.
  std::uint64_t issued = 0, answered = 0, queries = 0, back_pressure = 0, accesses = 0;
  std::uint64_t resets = 0, states = 0;
  bool irq = false;    // level of the interrupt pin in the last cycle
  bool ready = false;  // level of the pin ready_o in the last cycle
  std::uint64_t refused = 0;
  bool may_refuse = false;  // true: an access may end with PSLVERR and then changes nothing
  /// True while a memory has lost bits: answers may be missing, but none may be wrong, and the
  /// controller may stop.
  bool faulty = false;
  /// Coverage of event pairs of one flow: count by first kind, second kind and edges between their
  /// sampling, up to 64.
  std::array<std::array<std::array<std::uint64_t, 65>, 4>, 4> pairs{};

 private:
  struct Access {
    bool write = false;
    std::uint32_t address = 0, value = 0;
    bool begun = false;
    std::uint64_t acts = 0;  // edge at which the write takes effect
    std::uint64_t ends = 0;  // edge at which the APB transfer ends
    std::uint64_t since = 0;
    bool status = false;  // true for a read whose value expected_status() predicts
    std::optional<std::uint64_t> expected;  // expected value of a read of a slot or table
  };

  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  std::uint32_t magnitude(std::uint32_t bits);
  bool chance(std::uint32_t of_1024) { return below(1024) < of_1024; }
  Inputs random_inputs(const Profile& profile);
  void random_access(const Profile& profile);
  void random_status();
  void begin_soft_reset();
  void aimed_access();
  void begin(bool write, std::uint32_t address, std::uint32_t value);
  void step(const Inputs& inputs);
  void act(std::uint32_t address, std::uint32_t value);
  std::optional<std::uint32_t> expected_window(std::uint32_t address) const;
  /// The expected value, one cycle ago, of a register that shows state. Counters are returned with
  /// all 64 bits. Empty if the oracle does not define the value.
  std::optional<std::uint64_t> expected_status(std::uint32_t address) const;
  void follow_status();
  void set_counters();
  void begin_late();
  void plan_hold(std::uint32_t slot);
  void plan_first(std::uint32_t flow);
  // A state to set in a slot, and the input that follows it.
  struct State {
    std::function<void(Slot&)> slot;  // changes to the slot after any_state()
    Inputs in;
    bool timer = false;  // true if the event under test is a timer expiry, which is no input
    bool far = false;    // true if the timer expires only after hours
    std::uint32_t interval = 0;  // TIMER_INTERVAL when the timer expires; 0: unchanged
  };
  void set_state();
  Slot any_state(const Slot& now);
  Inputs event_of(std::uint32_t flow);
  std::uint64_t sparse(std::uint32_t bits);
  std::uint32_t around(std::uint64_t value);
  void aim_age(State& state);
  void aim_owed(State& state);
  void aim_silence(State& state);
  void aim_overrate(State& state);
  void aim_patience(State& state);
  void aim_account(State& state);
  void aim_fast_phase(State& state);
  void aim_due(State& state);
  void aim_counts(State& state);
  void aim_interval(State& state);
  static std::optional<std::uint64_t> counter(const Counts& counts, std::uint32_t address);
  void differ(const std::string& what);

  std::unique_ptr<ControllerDut> dut_;
  Oracle oracle_;
  std::mt19937_64 random_;
  Access access_;
  bool accessing_ = false;
  std::uint32_t read_value_ = 0;
  std::uint64_t last_issue_ = 0;
  std::map<std::uint32_t, Issue> last_of_flow_;
  std::deque<std::string> recent_;  // latest issued events, printed with a difference
  std::string difference_;
  // State that software can read, as it is in this cycle and was in the previous cycle.
  struct Status {
    bool ready = false, idle = false, table_full = false;
    std::uint32_t time = 0;
    // lag of the timing wheel in ticks; empty if the oracle does not define it
    std::optional<std::uint64_t> lag;
  };
  Status status_, status_before_;
  struct Write {
    std::uint32_t address, value;
  };
  std::deque<Write> planned_;  // accesses to make in sequence
  std::deque<Inputs> after_;   // inputs to apply after the planned accesses
  std::uint64_t no_slot_seen_ = 0;
  // Upper counter half that the RTL latched when the lower half was read; empty if the oracle did
  // not define that value.
  std::optional<std::uint32_t> stat_high_ = 0;
  std::uint32_t irq_mask_ = 0;
  std::uint64_t reset_at_ = 0;  // edge of the last soft reset
};

}  // namespace dcc::page
