// Computes the answers of the core's model to the rate unit's input pins.
#pragma once

#include <cstdint>
#include <string>

#include "controller/parameters.h"
#include "controller/rate_tables.h"
#include "rate_dut.h"

namespace dcc {

struct RateAnswer {
  bool increase = false;
  std::uint32_t rc = 0;
  std::uint32_t rt = 0;
  std::uint32_t alpha = 0;  // new alpha of a cut
  bool at_maximum = false;  // for increases: true if the rate is the maximum
};

/// Returns the model's answer to the request at the pins; req_valid is ignored.
RateAnswer expected_answer(const RateInputs& in, const RateRegisters& registers,
                           const RateTables& tables);
/// True if all bits that the request's kind defines are equal in both answers.
bool agrees(const RateOutputs& out, const RateAnswer& answer);
/// Describes the request or table access at the pins, for messages.
std::string described(const RateInputs& in);
/// Describes the unit's and the model's answers, for messages.
std::string compared(const RateOutputs& out, const RateAnswer& answer);

}  // namespace dcc
