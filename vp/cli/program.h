// The frame around the commands: parses arguments and returns the exit status.
#pragma once

namespace dcc::vp {

/// Parses the arguments, runs a command and returns the exit status. Prints errors to stderr.
int run_program(int argc, const char* const* argv);

}  // namespace dcc::vp
