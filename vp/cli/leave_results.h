// Runs a checked configuration and writes the output folder; all commands that run platforms use
// it.
#pragma once

#include "build/run.h"
#include "config/yaml_reader.h"
#include "measure/results.h"
#include "report/run_files.h"

namespace dcc::vp {

/// Runs a configuration. Input errors that the platform finds become ConfigError with their place
/// in the file.
RunResults simulate(const LoadedConfig& loaded, bool show_progress, const RunSetup& setup);

struct Leaving {
  bool quiet = false;  // true: print only errors
  bool plots = true;
};

/// Checks the results of a run, writes the files and prints the summary. Returns the exit status.
int leave_results(const LoadedConfig& loaded, RunResults& results, OutputFolder& folder,
                  const Leaving& how);

}  // namespace dcc::vp
