// The program.
#include <systemc>

#include "cli/program.h"

int main(int argc, char** argv) {
  // "Simulation stopped by user" is how every run ends.
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  return dcc::vp::run_program(argc, argv);
}

// libsystemc brings its own main(), which looks for this; ours is linked first, but the symbol must
// exist where the whole archive is pulled in.
extern "C" int sc_main(int, char**) { return 0; }
