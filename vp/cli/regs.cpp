// dccvp regs: prints the register maps as software accesses them.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/text_table.h"
#include "describe/enum_names.h"
#include "registers/generated/dcc_map.h"
#include "registers/generated/nic_map.h"

namespace dcc {
DCC_ENUM_NAMES(regs::Access, {regs::Access::kReadOnly, "RO"}, {regs::Access::kReadWrite, "RW"},
               {regs::Access::kWrite0Clear, "W0C"}, {regs::Access::kWrite1Clear, "W1C"},
               {regs::Access::kWriteOnly, "WO"});
}  // namespace dcc

namespace dcc::vp {
namespace {

using Json = nlohmann::ordered_json;
using regs::FieldInfo;
using regs::MapInfo;
using regs::RegisterInfo;

/// Formats a bus address with the width of its map.
std::string hex(std::uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%05x", value);
  return text;
}

std::string bits(const FieldInfo& field) {
  const int top = field.lsb + field.width - 1;
  return field.width == 1 ? "[" + std::to_string(top) + "]"
                          : "[" + std::to_string(top) + ":" + std::to_string(field.lsb) + "]";
}

Json field_json(const FieldInfo& field) {
  Json values = Json::object();
  for (const regs::ValueInfo& value : field.values) values[value.name] = value.value;
  return {{"name", field.name},     {"lsb", field.lsb},
          {"width", field.width},   {"access", name_of(field.access)},
          {"reset", field.reset},   {"min", field.min},
          {"max", field.max},       {"unit", field.unit},
          {"format", field.format}, {"description", field.description},
          {"values", values}};
}

Json register_json(const RegisterInfo& reg) {
  Json fields = Json::array();
  for (const FieldInfo& field : reg.fields) fields.push_back(field_json(field));
  return {{"name", reg.name},
          {"offset", reg.offset},
          {"reset", reg.reset},
          {"description", reg.description},
          {"fields", fields}};
}

Json map_json(const MapInfo& map) {
  Json json{{"name", map.name}, {"title", map.title}, {"size", map.size}};
  json["registers"] = Json::array();
  for (const RegisterInfo& reg : map.registers) json["registers"].push_back(register_json(reg));
  json["counters"] = Json::array();
  for (const regs::CounterInfo& counter : map.counters) {
    json["counters"].push_back(
        {{"name", counter.name}, {"offset", counter.offset}, {"description", counter.description}});
  }
  json["windows"] = Json::array();
  for (const regs::WindowInfo& window : map.windows) {
    Json words = Json::array();
    for (const RegisterInfo& word : window.words) words.push_back(register_json(word));
    json["windows"].push_back({{"name", window.name},
                               {"offset", window.offset},
                               {"entries", window.entries},
                               {"stride", window.stride},
                               {"index", window.index},
                               {"writable", window.writable},
                               {"description", window.description},
                               {"words", words}});
  }
  return json;
}

void print_register(const RegisterInfo& reg, const char* indent) {
  std::printf("%s%s  %-18s reset 0x%08x  %s\n", indent, hex(reg.offset).c_str(), reg.name,
              reg.reset, reg.description);
  for (const FieldInfo& field : reg.fields) {
    std::printf("%s         %-8s %-3s %s: %s\n", indent, bits(field).c_str(), name_of(field.access),
                field.name, field.description);
  }
}

void print_map(const MapInfo& map) {
  std::printf("%s (%s), %u bytes\n", map.title, map.name, map.size);
  for (const RegisterInfo& reg : map.registers) print_register(reg, "  ");
  std::printf("  64-bit counters (read the low word first)\n");
  for (const regs::CounterInfo& counter : map.counters) {
    std::printf("  %s  %-28s %s\n", hex(counter.offset).c_str(), counter.name, counter.description);
  }
  for (const regs::WindowInfo& window : map.windows) {
    std::printf("  %s  %s[%u], %u bytes each, by %s: %s\n", hex(window.offset).c_str(), window.name,
                window.entries, window.stride, window.index, window.description);
    for (const RegisterInfo& word : window.words) print_register(word, "      +");
  }
}

}  // namespace

void add_regs_command(CLI::App& app, int& status) {
  CLI::App* const command =
      app.add_subcommand("regs", "the register maps of the controller and the NIC");
  const auto format = std::make_shared<FormatArgument>();
  format->add_to(*command);
  command->footer(
      "Examples:\n"
      "  dccvp regs\n"
      "  dccvp regs --format json");
  command->callback([format, &status] {
    const MapInfo* const maps[] = {&regs::dcc_map::kMap, &regs::nic_map::kMap};
    Json all = Json::array();
    for (const MapInfo* map : maps) {
      if (format->json()) {
        all.push_back(map_json(*map));
      } else {
        print_map(*map);
      }
    }
    if (format->json()) std::printf("%s\n", all.dump(1).c_str());
    status = kExitOk;
  });
}

}  // namespace dcc::vp
