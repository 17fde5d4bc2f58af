// The program around the commands: arguments in, exit status out.
#pragma once

namespace dcc::vp {

/// The whole program: parses, runs a command, returns the exit status. Prints errors to stderr.
int run_program(int argc, const char* const* argv);

}  // namespace dcc::vp
