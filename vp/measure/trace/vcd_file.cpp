#include "measure/trace/vcd_file.h"

#include <algorithm>
#include <numeric>

namespace dcc::vp {
namespace {

/// Identifier codes consist of the printable characters ! to ~.
std::string code_of(std::size_t number) {
  constexpr std::size_t kCharacters = 94;
  std::string code;
  do {
    code += static_cast<char>('!' + number % kCharacters);
    number /= kCharacters;
  } while (number != 0);
  return code;
}

std::vector<std::string> parts_of(const std::string& path) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t dot = std::min(path.find('.', at), path.size());
    parts.push_back(path.substr(at, dot - at));
    at = dot + 1;
  }
  return parts;
}

std::string binary(std::uint64_t value) {
  std::string digits;
  do {
    digits.insert(digits.begin(), (value & 1) != 0 ? '1' : '0');
    value >>= 1;
  } while (value != 0);
  return digits;
}

}  // namespace

VcdFile::VcdFile(const std::filesystem::path& file)
    : file_(file),
      body_path_(file.string() + ".body"),
      body_file_(body_path_),
      body_(body_file_.text()) {}

void VcdFile::close() {
  body_file_.close();
  write_declarations(file_.text());
  std::ifstream body(body_path_, std::ios::binary);
  if (body.peek() != std::ifstream::traits_type::eof()) file_.text() << body.rdbuf();
  body.close();
  std::filesystem::remove(body_path_);
  file_.close();
}

VcdFile::Signal VcdFile::add(const std::string& path, unsigned bits) {
  Variable variable;
  variable.path = path;
  variable.bits = bits;
  variable.code = code_of(variables_.size());
  variables_.push_back(std::move(variable));
  return variables_.size() - 1;
}

void VcdFile::time(PicoSeconds t) {
  if (t.count <= now_) return;
  now_ = t.count;
  body_ << '#' << now_ << '\n';
}

void VcdFile::change(Signal signal, PicoSeconds t, std::uint64_t value) {
  Variable& variable = variables_[signal];
  if (variable.driven && variable.value == value) return;
  time(t);
  variable.value = value;
  variable.driven = true;
  if (variable.bits == 1) {
    body_ << (value != 0 ? '1' : '0') << variable.code << '\n';
  } else {
    body_ << 'b' << binary(value) << ' ' << variable.code << '\n';
  }
}

void VcdFile::release(Signal signal, PicoSeconds t) {
  Variable& variable = variables_[signal];
  if (!variable.driven) return;
  time(t);
  variable.driven = false;
  body_ << (variable.bits == 1 ? "z" : "bz ") << variable.code << '\n';
}

void VcdFile::write_declarations(std::ofstream& out) const {
  out << "$version dccvp $end\n$timescale 1ps $end\n";
  std::vector<std::size_t> order(variables_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<std::vector<std::string>> parts;
  for (const Variable& variable : variables_) parts.push_back(parts_of(variable.path));
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    // A scope's own signals come before its inner scopes, so each scope opens once.
    return std::make_pair(std::vector<std::string>(parts[a].begin(), parts[a].end() - 1), a) <
           std::make_pair(std::vector<std::string>(parts[b].begin(), parts[b].end() - 1), b);
  });
  std::vector<std::string> open;
  for (const std::size_t i : order) {
    const std::size_t depth = parts[i].size() - 1;
    std::size_t common = 0;
    while (common < open.size() && common < depth && open[common] == parts[i][common]) ++common;
    for (; open.size() > common; open.pop_back()) out << "$upscope $end\n";
    for (std::size_t k = common; k < depth; ++k) {
      out << "$scope module " << parts[i][k] << " $end\n";
      open.push_back(parts[i][k]);
    }
    const Variable& v = variables_[i];
    out << "$var wire " << v.bits << ' ' << v.code << ' ' << parts[i].back() << " $end\n";
  }
  for (std::size_t k = 0; k < open.size(); ++k) out << "$upscope $end\n";
  out << "$enddefinitions $end\n#0\n$dumpvars\n";
  for (const Variable& v : variables_) out << (v.bits == 1 ? "x" : "bx ") << v.code << '\n';
  out << "$end\n";
}

}  // namespace dcc::vp
