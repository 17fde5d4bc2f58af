// dccvp completion: prints a script that makes a shell complete this command line. The script
// follows from the command line's own description.
#include <cstdio>
#include <string>
#include <vector>

#include "cli/command.h"

namespace dcc::vp {
namespace {

/// Returns the branch of the script that offers an option's values; empty if the option has no
/// values to offer. `type`: text of the help, where CLI11 appends a colon and the checks of the
/// value.
std::string values_of(std::string type) {
  type = type.substr(0, type.find(':'));
  if (type.find('|') != std::string::npos) {
    std::string words = type;
    for (char& c : words) c = c == '|' ? ' ' : c;
    return "_dccvp_words '" + words + "'";
  }
  if (type == "DIR") return "_dccvp_folders";
  if (type.rfind("FILE", 0) == 0) return "_dccvp_files";
  if (type == "CONFIG.yaml" || type == "SWEEP.yaml") return "_dccvp_yaml";
  if (type == "key.path=value") return "_dccvp_parameters";
  return "";
}

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

struct Branches {
  std::string values;       // shell branches of the form "command,option) …"
  std::string options;      // shell branches of the form "command) options"
  std::string positionals;  // shell branches of the form "command) …"
};

void describe(const CLI::App& command, Branches& branches) {
  const std::string& name = command.get_name();
  std::vector<std::string> options;
  for (const CLI::Option* const option : command.get_options()) {
    if (option->get_group().empty()) continue;  // the script leaves out a retired option
    const std::vector<std::string> names = names_of(*option);
    options.insert(options.end(), names.begin(), names.end());
    const std::string values = values_of(option->get_type_name());
    if (option->get_positional()) {
      // Names of experiments are the only positional arguments that are not files.
      const std::string own = option->get_type_name() == "NAME" ? "_dccvp_experiments" : values;
      if (!own.empty()) branches.positionals += "    " + name + ") " + own + " ;;\n";
      continue;
    }
    if (option->get_expected_max() == 0) continue;  // leaves out a flag, which takes no value
    std::vector<std::string> patterns;
    for (const std::string& one : names) patterns.push_back(name + "," + one);
    branches.values +=
        "    " + joined(patterns, "|") + ") " + (values.empty() ? ":" : values) + "; return ;;\n";
  }
  branches.options += "    " + name + ") _dccvp_words '" + joined(options, " ") + "' ;;\n";
}

constexpr const char* kHelpers = R"sh(_dccvp_words() { COMPREPLY=($(compgen -W "$1" -- "$cur")); }
_dccvp_as_files() { compopt -o filenames 2>/dev/null; }
_dccvp_folders() { _dccvp_as_files; COMPREPLY=($(compgen -d -- "$cur")); }
_dccvp_files() { _dccvp_as_files; COMPREPLY=($(compgen -f -- "$cur")); }
_dccvp_yaml() { _dccvp_as_files; COMPREPLY=($(compgen -f -X '!*.y*ml' -- "$cur") $(compgen -d -- "$cur")); }
_dccvp_experiments() {
  _dccvp_words "$("${COMP_WORDS[0]}" reproduce --list 2>/dev/null | while read -r name _; do echo "$name"; done)"
}
_dccvp_parameters() {
  compopt -o nospace 2>/dev/null
  _dccvp_words "$("${COMP_WORDS[0]}" params 2>/dev/null | sed -n 's/^\([A-Za-z_0-9.]*\): .*/\1=/p')"
}
)sh";

std::string bash_script(const CLI::App& app) {
  Branches branches;
  std::vector<std::string> commands;
  for (const CLI::App* const command : app.get_subcommands(nullptr)) {
    if (command->get_group().empty()) continue;  // the script leaves out a retired command
    commands.push_back(command->get_name());
    describe(*command, branches);
  }
  return std::string("# Completion of dccvp's command line, made by `dccvp completion`.\n") +
         kHelpers +
         "_dccvp() {\n"
         "  local cur=\"${COMP_WORDS[COMP_CWORD]}\" before=\"${COMP_WORDS[COMP_CWORD-1]}\" "
         "command= i\n"
         "  COMPREPLY=()\n"
         "  # '=' is a word of its own: --out=DIR\n"
         "  if [ \"$cur\" = = ]; then cur=; "
         "elif [ \"$before\" = = ]; then before=\"${COMP_WORDS[COMP_CWORD-2]}\"; fi\n"
         "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "    case \"${COMP_WORDS[i]}\" in\n"
         "      " +
         joined(commands, "|") +
         ") command=\"${COMP_WORDS[i]}\"; break ;;\n"
         "    esac\n"
         "  done\n"
         "  if [ -z \"$command\" ]; then\n"
         "    _dccvp_words '" +
         joined(commands, " ") +
         " --help --version'\n"
         "    return\n"
         "  fi\n"
         "  case \"$command,$before\" in\n" +
         branches.values +
         "  esac\n"
         "  case \"$cur\" in\n"
         "    -*) ;;\n"
         "    *) case \"$command\" in\n" +
         branches.positionals +
         "    esac\n"
         "    return ;;\n"
         "  esac\n"
         "  case \"$command\" in\n" +
         branches.options +
         "  esac\n"
         "}\n"
         "complete -F _dccvp dccvp\n";
}

}  // namespace

void add_completion_command(CLI::App& app, int& status) {
  CLI::App* const command =
      app.add_subcommand("completion", "a script that makes a shell complete this command line");
  const auto shell = std::make_shared<std::string>();
  command->add_option("shell", *shell, "bash or zsh")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh"}))
      ->type_name("bash|zsh");
  command->footer(
      "Examples:\n"
      "  source <(build/dccvp completion bash)\n"
      "  build/dccvp completion zsh >> ~/.zshrc");
  command->callback([&app, shell, &status] {
    if (*shell == "zsh") {
      std::printf(
          "#compdef dccvp\n"  // zsh looks for the line "#compdef" in an installed file
          "whence compdef >/dev/null || { autoload -Uz compinit && compinit -i; }\n"
          "autoload -U +X bashcompinit && bashcompinit\n");
    }
    std::fputs(bash_script(app).c_str(), stdout);
    if (*shell ==
        "zsh") {  // zsh calls the completion function when it completes for the first time
      std::printf("if [[ $funcstack[1] = _dccvp ]]; then _bash_complete -F _dccvp; fi\n");
    }
    status = kExitOk;
  });
}

}  // namespace dcc::vp
