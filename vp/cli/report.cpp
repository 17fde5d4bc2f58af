// dccvp report: writes one HTML file about one or more runs.
#include <cstdio>
#include <filesystem>

#include "cli/command.h"
#include "cli/script.h"
#include "config/own_files.h"
#include "report/run_files.h"

namespace dcc::vp {
namespace {

namespace fs = std::filesystem;

struct ReportArguments {
  std::vector<std::string> folders;
  std::string file;
};

int report(const ReportArguments& arguments) {
  for (const std::string& folder : arguments.folders) {
    if (!fs::is_directory(folder)) throw OutputError("'" + folder + "' is not a folder");
  }
  std::string file = arguments.file;
  if (file.empty()) {
    const fs::path name = "report.html";
    file = arguments.folders.size() == 1 ? (fs::path(arguments.folders[0]) / name).string()
                                         : name.string();
  }
  if (fs::is_directory(file)) throw OutputError("'" + file + "' is a folder");
  std::vector<std::string> words{"--dccvp", this_program().string(), "-o", file};
  words.emplace_back("--");
  words.insert(words.end(), arguments.folders.begin(), arguments.folders.end());
  const int status = run_tool("report", words);
  if (status == kExitBadInput) return kExitBadInput;  // the script has printed the reason
  if (status != 0) {
    std::fprintf(stderr, "dccvp: internal error: the report tool failed\n");
    return kExitBrokenPromise;
  }
  std::printf("Report: %s\n", file.c_str());
  return kExitOk;
}

}  // namespace

void add_report_command(CLI::App& app, int& status) {
  CLI::App* const command = app.add_subcommand(
      "report", "one HTML file about one or more runs, side by side, or a sweep");
  const auto arguments = std::make_shared<ReportArguments>();
  command->add_option("folders", arguments->folders, "folders that runs left, or that of a sweep")
      ->required()
      ->type_name("DIR");
  command
      ->add_option("-o", arguments->file,
                   "the file (default: DIR/report.html; report.html for several)")
      ->type_name("FILE");
  command->footer(
      "The file needs no other and no network: open it in any browser.\n"
      "Examples:\n"
      "  dccvp report out/demo\n"
      "  dccvp report out/seed1 out/seed2 -o seeds.html\n"
      "  dccvp report out/thresholds");
  command->callback([arguments, &status] { status = report(*arguments); });
}

}  // namespace dcc::vp
