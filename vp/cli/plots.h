// Pictures of a run, drawn by Python where it is there.
#pragma once

#include <filesystem>
#include <string>

namespace dcc::vp {

/// Runs the tool plot-run on a folder. Empty when pictures were drawn, else the reason in a
/// sentence; never an error of the run.
std::string draw_plots(const std::filesystem::path& folder);

}  // namespace dcc::vp
