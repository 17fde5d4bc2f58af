// dccvp man: prints the manual page, from the command line's own description.
#include <cstdio>
#include <string>

#include "cli/command.h"

namespace dcc::vp {
namespace {

/// Escapes text for the typesetter roff.
std::string plain(const std::string& text) {
  std::string out;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    line_begins = c == '\n';
  }
  return out;
}

/// The type of an option as the help shows it, without the checks that CLI11 appends after a colon.
std::string type_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type.substr(0, type.find(':'));
}

void print_options(const CLI::App& command) {
  for (const CLI::Option* const option : command.get_options()) {
    if (option->get_group().empty()) continue;  // the manual page leaves out a retired option
    std::string names;
    for (const std::string& name : option->get_snames())
      names += (names.empty() ? "-" : ", -") + name;
    for (const std::string& name : option->get_lnames()) {
      names += (names.empty() ? "--" : ", --") + name;
    }
    const bool valued = option->get_expected_max() != 0;
    std::printf(".TP\n");
    if (option->get_positional()) {
      std::printf("\\fI%s\\fR\n", plain(type_of(*option)).c_str());
    } else {
      std::printf("\\fB%s\\fR%s\n", plain(names).c_str(),
                  valued ? (" \\fI" + plain(type_of(*option)) + "\\fR").c_str() : "");
    }
    std::printf("%s\n", plain(option->get_description()).c_str());
  }
}

void print_page(const CLI::App& app) {
  std::printf(".TH DCCVP 1 \"\" \"dccvp " DCCVP_VERSION "\" \"User Commands\"\n.SH NAME\n");
  std::printf("dccvp \\- virtual prototype of an RDMA NIC's congestion controller\n");
  std::printf(".SH SYNOPSIS\n.B dccvp\n\\fICOMMAND\\fR [\\fIOPTION\\fR]...\n");
  std::printf(".SH DESCRIPTION\n%s\n", plain(app.get_description()).c_str());
  for (const CLI::App* const command : app.get_subcommands(nullptr)) {
    if (command->get_group().empty()) continue;  // the manual page leaves out a retired command
    std::printf(".SH \"dccvp %s\"\n%s\n", command->get_name().c_str(),
                plain(command->get_description()).c_str());
    print_options(*command);
    if (!command->get_footer().empty()) {
      std::printf(".PP\n.nf\n%s\n.fi\n", plain(command->get_footer()).c_str());
    }
  }
  std::printf(
      ".SH \"EXIT STATUS\"\n.TP\n0\ndone\n.TP\n1\nthe run broke a promise of its own\n"
      ".TP\n2\nunusable input, as file:line:column and what is wrong\n");
}

}  // namespace

void add_man_command(CLI::App& app, int& status) {
  CLI::App* const command = app.add_subcommand("man", "this program's manual page, as roff");
  command->footer("Examples:\n  dccvp man > dccvp.1\n  dccvp man | man -l -");
  command->callback([&app, &status] {
    print_page(app);
    status = kExitOk;
  });
}

}  // namespace dcc::vp
