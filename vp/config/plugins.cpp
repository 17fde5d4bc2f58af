#include "config/plugins.h"

#include <dlfcn.h>
#include <elf.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "config/own_files.h"
#include "controller/plugin.h"

namespace dcc::vp {
namespace {

namespace fs = std::filesystem;

/// The sections of an ELF file, found by name. Nothing beyond the file's end is read, whatever the
/// file's headers claim.
class Sections {
 public:
  explicit Sections(const fs::path& file) : in_(file, std::ios::binary) {
    Elf64_Ehdr head;
    if (!read(0, head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_type != ET_DYN ||
        head.e_shentsize != sizeof(Elf64_Shdr)) {
      throw std::runtime_error("is not a shared object");
    }
    for (unsigned i = 0; i < head.e_shnum; ++i) {
      Elf64_Shdr section;
      if (!read(head.e_shoff + i * sizeof section, section)) break;
      sections_.push_back(section);
    }
    if (head.e_shstrndx < sections_.size()) names_ = sections_[head.e_shstrndx].sh_offset;
  }

  /// Reads a section of that name. Returns false if there is none that holds a T.
  template <class T>
  bool find(const std::string& name, T& content) {
    std::vector<char> text(name.size() + 1);
    for (const Elf64_Shdr& section : sections_) {
      if (!read_bytes(names_ + section.sh_name, text.data(), text.size())) continue;
      if (std::memcmp(text.data(), name.c_str(), text.size()) != 0) continue;
      return section.sh_size >= sizeof content && read(section.sh_offset, content);
    }
    return false;
  }

 private:
  template <class T>
  bool read(std::uint64_t offset, T& value) {
    return read_bytes(offset, reinterpret_cast<char*>(&value), sizeof value);
  }
  bool read_bytes(std::uint64_t offset, char* to, std::size_t size) {
    in_.clear();
    if (offset > static_cast<std::uint64_t>(PTRDIFF_MAX)) return false;
    in_.seekg(static_cast<std::streamoff>(offset));
    in_.read(to, static_cast<std::streamsize>(size));
    return in_.gcount() == static_cast<std::streamsize>(size);
  }

  std::ifstream in_;
  std::vector<Elf64_Shdr> sections_;
  std::uint64_t names_ = 0;
};

std::vector<std::string>& loaded() {
  static std::vector<std::string> files;
  return files;
}

void check_description(const fs::path& file) {
  PluginDescription said;
  if (!Sections(file).find(kPluginSection, said) ||
      std::memcmp(said.magic, kPluginDescription.magic, sizeof said.magic) != 0) {
    throw std::runtime_error("does not say that it is a plug-in (dccvp_add_plugin adds that)");
  }
  if (said.interface != kPluginInterface) {
    throw std::runtime_error("is built for plug-in interface " + std::to_string(said.interface) +
                             ", this program has " + std::to_string(kPluginInterface) +
                             ": build it anew");
  }
  if (said.layout != kPluginDescription.layout) {
    throw std::runtime_error(
        "is built from other headers than this program, or by another compiler: rebuild it");
  }
}

}  // namespace

fs::path find_plugin(const std::string& name, const fs::path& folder) {
  std::error_code error;
  const auto is_file = [&error](const fs::path& file) { return fs::is_regular_file(file, error); };
  const bool bare = name.find('/') == std::string::npos && fs::path(name).extension().empty();
  if (!bare) {
    const fs::path file = fs::absolute(folder / name, error).lexically_normal();
    if (!is_file(file)) throw std::runtime_error("no such file: '" + file.string() + "'");
    return file;
  }
  std::vector<fs::path> places{folder};
  const char* const path = std::getenv("DCCVP_PLUGIN_PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string one; std::getline(folders, one, ':');) {
    if (!one.empty()) places.emplace_back(one);
  }
  const fs::path installed = own_program("plugins");
  if (installed.is_absolute()) places.push_back(installed);
  std::string looked;
  for (const fs::path& place : places) {
    const fs::path file = fs::absolute(place / (name + ".so"), error).lexically_normal();
    if (is_file(file)) return file;
    looked += (looked.empty() ? "" : ", ") + file.string();
  }
  throw std::runtime_error("no plug-in of that name (looked for " + looked + ")");
}

void load_plugin(const fs::path& file) {
  std::error_code error;
  for (const std::string& known : loaded()) {
    if (fs::equivalent(known, file, error)) return;
  }
  try {
    check_description(file);
    if (::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr) {
      throw std::runtime_error(std::string("cannot be loaded: ") + ::dlerror());
    }
    const std::vector<OwnRateUnit>& units = own_rate_units();
    if (units.size() > 1) {
      throw std::runtime_error("two rate units, " + units.front().name + " and " +
                               units.back().name + ", for one place");
    }
    // rethrows an error of the plug-in's initialisation, such as a name that is taken
  } catch (const std::exception& e) {
    throw std::runtime_error("'" + file.string() + "': " + e.what());
  } catch (...) {
    throw std::runtime_error("'" + file.string() +
                             "': throws something without a text when loaded");
  }
  loaded().push_back(file.string());
}

const std::vector<std::string>& loaded_plugins() { return loaded(); }

}  // namespace dcc::vp
