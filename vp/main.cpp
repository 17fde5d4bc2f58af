// The program.
#include "cli/command.h"

int main(int argc, char** argv) { return dcc::vp::run_program(argc, argv); }

// libsystemc brings its own main(), which looks for this; ours is linked first, but the symbol must
// exist where the whole archive is pulled in.
extern "C" int sc_main(int, char**) { return 0; }
