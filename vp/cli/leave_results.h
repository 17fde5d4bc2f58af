// Runs a checked configuration and writes its folder: shared by the commands that run platforms.
#pragma once

#include "build/run.h"
#include "config/yaml_reader.h"
#include "measure/results.h"
#include "report/run_files.h"

namespace dcc::vp {

/// Runs a configuration. Errors of the input that the platform finds become ConfigError at their
/// place.
RunResults simulate(const LoadedConfig& loaded, bool show_progress, const RunSetup& setup);

struct Leaving {
  bool quiet = false;  // print only errors
  bool plots = true;
};

/// Checks the results, writes the files and prints the summary. Returns the exit status.
int leave_results(const LoadedConfig& loaded, RunResults& results, OutputFolder& folder,
                  const Leaving& how);

}  // namespace dcc::vp
