// dccvp cosim: runs the timing wheel's test bench.
#include <cstdio>
#include <memory>

#include "cli/command.h"

#ifdef DCC_HAVE_RTL
#include "cosim.h"
#endif

namespace dcc::vp {

#ifdef DCC_HAVE_RTL

void add_cosim_command(CLI::App& app, int& status) {
  auto options = std::make_shared<CosimOptions>();
  CLI::App* const command = app.add_subcommand(
      "cosim", "drive the timing wheel's RTL (or netlist, or model) against an oracle");
  command->add_option("--ops", options->ops, "operations, spread over the profiles")
      ->check(CLI::PositiveNumber);
  command->add_option("--seed", options->seed, "of the stimulus");
  command->add_option("--profile", options->profile,
                      "uniform | burst | wrap | full | cancel-race | corner | all");
  command->add_option("--dut", options->dut, "rtl | netlist | model");
  command->add_flag("--full-coverage", options->full_coverage,
                    "fail when a functional coverage bin stays empty");
  command->footer(
      "Examples:\n"
      "  dccvp cosim --ops 100000\n"
      "  dccvp cosim --ops 20000 --profile wrap --seed 7");
  command->callback([options, &status] { status = cosim_main(*options); });
}

#else

void add_cosim_command(CLI::App& app, int& status) {
  CLI::App* const command =
      app.add_subcommand("cosim", "not in this build: configure with -DDCCVP_RTL=ON");
  command->allow_extras();
  command->callback([&status] {
    std::fputs("dccvp: this build has no RTL; configure with -DDCCVP_RTL=ON\n", stderr);
    status = kExitBadInput;
  });
}

#endif

}  // namespace dcc::vp
