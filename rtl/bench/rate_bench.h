// Bench of one rate unit: random requests, compared with the core's model.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>

#include "controller/parameters.h"
#include "controller/rate_tables.h"
#include "rate_answer.h"
#include "rate_dut.h"
#include "rate_random.h"

namespace dcc {

/// Error thrown when the unit violates its contract. what() gives the cycle, the request and both
/// answers.
class RateMismatch : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Coverage counts of the bench, so that a test can demand enough of each kind.
struct RateBenchCounts {
  std::uint64_t cycles = 0;
  std::uint64_t answers = 0;
  std::uint64_t stalled = 0;     // number of cycles in which a request waited
  std::uint64_t reads = 0;       // number of table reads between requests
  std::uint64_t writes = 0;      // number of table writes during requests
  std::uint64_t least = 0;       // number of rate cuts down to R_MIN
  std::uint64_t at_maximum = 0;  // number of increases that reached the maximum rate
};

/// Drives a rate unit and checks all outputs in every cycle: each answer bit by bit, and its
/// arrival after kRateLatency stages, which move whenever no answer waits.
class RateBench {
 public:
  RateBench(RateDut& unit, std::uint32_t seed) : unit_(unit), random_(seed) {}

  /// Resets the unit; its sweep, during which the unit accepts no request, leaves the tables
  /// neutral. Reads every table, then writes the decrease table in the same cycles in which
  /// requests read this table. Then repeats `rounds` times: new registers and tables, 1500 cycles
  /// of requests under backpressure with table reads and writes among these requests, and a pause
  /// until every request is answered. Throws RateMismatch.
  RateBenchCounts run(std::uint32_t rounds);

 private:
  struct Stage {
    bool valid = false;
    bool read = false;
    RateAnswer answer;
    // contents of the tables as this request's look-ups read them
    std::shared_ptr<RateTables> seen;
    std::uint32_t word = 0;  // for a table read: the word read
    RateInputs asked;
  };

  void sweep();
  void write(RateTable table, std::uint32_t index, std::uint32_t word);
  void read_everything();
  /// Tests reads and writes of the decrease table in one cycle: while a request reads entry n, the
  /// bench writes entry n, or an entry whose address differs from n in one bit. The bench does this
  /// for every n from 0 to 255.
  void meet_reads();
  void load_tables();
  /// Handles a table write while requests are in the unit: requests that have not reached the table
  /// yet use the new value.
  void written(RateTable table, std::uint32_t index, std::uint32_t word);
  void requests(std::uint32_t cycles);
  RateInputs request();
  RateOutputs step(const RateInputs& in);
  void check(bool truth, const char* what) const;
  void check_answer(const RateOutputs& out) const;

  RateDut& unit_;
  RateRandom random_;
  RateRegisters registers_;
  RateTables tables_;
  std::array<Stage, kRateLatency> inside_;  // stages of the unit; the last one offers its answer
  bool reading_ = false;                    // true if a table read has entered the unit
  RateBenchCounts counts_;
};

}  // namespace dcc
