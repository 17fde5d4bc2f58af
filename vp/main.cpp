// Entry point of dccvp: silences SystemC's reports and runs the program.
#include <systemc>

#include "cli/program.h"

int main(int argc, char** argv) {
  // SystemC reports "Simulation stopped by user" at the end of every run; the message is
  // suppressed.
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  return dcc::vp::run_program(argc, argv);
}

// libsystemc has its own main(), which calls this function. This program's main() is linked first,
// but the symbol must exist if the whole archive is linked.
extern "C" int sc_main(int, char**) { return 0; }
