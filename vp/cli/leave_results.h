// A run from a checked configuration to its folder: what commands that run platforms share.
#pragma once

#include "build/run.h"
#include "config/yaml_reader.h"
#include "measure/results.h"
#include "report/run_files.h"

namespace dcc::vp {

/// Runs it. What the platform finds wrong with its input is a ConfigError at its place.
RunResults simulate(const LoadedConfig& loaded, bool show_progress, const RunSetup& setup);

struct Leaving {
  bool quiet = false;  // only errors are printed
  bool plots = true;
};

/// Judges a run, writes its files and tells the user; the exit status.
int leave_results(const LoadedConfig& loaded, RunResults& results, OutputFolder& folder,
                  const Leaving& how);

}  // namespace dcc::vp
