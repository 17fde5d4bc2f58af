// Draws plots of a run's results by Python, if Python is installed.
#pragma once

#include <filesystem>
#include <string>

namespace dcc::vp {

/// Runs the tool plot-run on a folder. Returns an empty text if pictures were drawn, else the
/// reason in a sentence. Missing pictures never fail a run.
std::string draw_plots(const std::filesystem::path& folder);

}  // namespace dcc::vp
