// Parsers in lock-step: the model and a verilated unit, whose CNPs and byte notifications are all
// compared.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "nic/parser/parser_engine.h"

namespace dcc {

struct ParserLockstepOptions {
  std::string name;        // name for reports, such as "host 3 parser"
  std::uint64_t seed = 0;  // seed of the run, for reports
};

/// An engine that returns the model's answers. Throws LockstepMismatch in the call in which the
/// hardware's answer differs.
std::unique_ptr<ParserEngine> make_lockstep_parser(std::unique_ptr<ParserEngine> hardware,
                                                   const ParserLockstepOptions& options);

}  // namespace dcc
