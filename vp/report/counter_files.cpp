#include "report/counter_files.h"

#include <fstream>
#include <functional>
#include <string>

#include "report/run_files.h"

namespace dcc::vp {
namespace {

/// Calls `visit` for every host, port or queue that has the counters of a table.
using Owners = std::function<void(
    const std::function<void(const std::string& device, const std::string& port, int queue,
                             const std::vector<std::uint64_t>& values)>& visit)>;

struct Table {
  const std::vector<FieldCounter>& counters;
  const char* owner;  // label of the device
  Owners each;
};

std::vector<Table> tables_of(const RunResults& results) {
  const FieldCounts& counts = *results.field_counters;
  static const std::string kOnlyPort = "1";
  return {{host_counters(), "host",
           [&](const auto& visit) {
             for (std::size_t i = 0; i < counts.hosts.size(); ++i) {
               visit(results.hosts[i].name, kOnlyPort, -1, counts.hosts[i]);
             }
           }},
          {port_counters(), "switch",
           [&](const auto& visit) {
             for (const auto& one : counts.ports) visit(one.device, one.port, -1, one.values);
           }},
          {queue_counters(), "switch", [&](const auto& visit) {
             for (const auto& one : counts.ports) {
               for (std::size_t p = 0; p < one.queues.size(); ++p) {
                 visit(one.device, one.port, static_cast<int>(p), one.queues[p]);
               }
             }
           }}};
}

/// Escapes a label value: backslash and quote; a line feed becomes a space.
std::string label_value(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

void write_csv(std::ofstream& out, const std::vector<Table>& tables) {
  out << "device,port,queue,counter,value\n";
  for (const Table& table : tables) {
    table.each([&](const std::string& device, const std::string& port, int queue,
                   const std::vector<std::uint64_t>& values) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        out << device << ',' << port << ',' << (queue < 0 ? "" : std::to_string(queue)) << ','
            << table.counters[i].name << ',' << values[i] << '\n';
      }
    });
  }
}

/// All samples of a metric must stand together.
void write_prometheus(std::ofstream& out, const std::vector<Table>& tables) {
  for (const Table& table : tables) {
    for (std::size_t i = 0; i < table.counters.size(); ++i) {
      const FieldCounter& one = table.counters[i];
      out << "# HELP " << one.name << ' ' << one.meaning
          << (*one.unit == '\0' ? "" : std::string(" (") + one.unit + ")") << "\n# TYPE "
          << one.name << (one.peak ? " gauge\n" : " counter\n");
      table.each([&](const std::string& device, const std::string& port, int queue,
                     const std::vector<std::uint64_t>& values) {
        out << one.name << '{' << table.owner << "=\"" << label_value(device) << "\",port=\""
            << label_value(port) << '"';
        if (queue >= 0) out << ",queue=\"" << queue << '"';
        out << "} " << values[i] << '\n';
      });
    }
  }
}

void write_file(const std::filesystem::path& path,
                void (*write)(std::ofstream&, const std::vector<Table>&),
                const std::vector<Table>& tables) {
  std::ofstream out(path, std::ios::binary);
  write(out, tables);
  out.close();
  if (!out) throw OutputError("'" + path.string() + "' could not be written");
}

}  // namespace

void write_counter_files(const std::filesystem::path& folder, const RunResults& results) {
  const std::vector<Table> tables = tables_of(results);
  write_file(folder / "counters.csv", write_csv, tables);
  write_file(folder / "counters.prom", write_prometheus, tables);
}

}  // namespace dcc::vp
