// Parsers in lock-step: the model and a hardware unit, every CNP and every byte notification
// compared.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "nic/parser/parser_engine.h"

namespace dcc {

struct ParserLockstepOptions {
  std::string name;        // "host 3 parser", for reports
  std::uint64_t seed = 0;  // of the run, for reports
};

/// An engine that returns the model's answers. Throws LockstepMismatch from the call at which the
/// hardware answers otherwise.
std::unique_ptr<ParserEngine> make_lockstep_parser(std::unique_ptr<ParserEngine> hardware,
                                                   const ParserLockstepOptions& options);

}  // namespace dcc
