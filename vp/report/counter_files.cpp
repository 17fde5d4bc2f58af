#include "report/counter_files.h"

#include <string>
#include <utility>
#include <vector>

#include "report/run_files.h"

namespace dcc::vp {
namespace {

/// A host, port or queue that has counters in a table. Both output files name it in every line.
struct Owner {
  std::string cells;   // cells of the columns device,port,queue in counters.csv
  std::string labels;  // labels in braces in counters.prom
  const std::vector<std::uint64_t>& values;
};

struct Table {
  const std::vector<FieldCounter>& counters;
  std::vector<Owner> owners;
};

/// Escapes a label value: backslash and quote; a line feed becomes a space.
std::string label_value(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

/// Makes the owner of counters. `kind`: label of the device. `queue`: empty if the counter belongs
/// to the whole port.
Owner owner(const char* kind, const std::string& device, const std::string& port,
            const std::string& queue, const std::vector<std::uint64_t>& values) {
  std::string labels = std::string("{") + kind + "=\"" + label_value(device) + "\",port=\"" +
                       label_value(port) + '"';
  if (!queue.empty()) labels += ",queue=\"" + queue + '"';
  return {device + ',' + port + ',' + queue + ',', labels + "} ", values};
}

std::vector<Table> tables_of(const RunResults& results) {
  const FieldCounts& counts = *results.field_counters;
  Table hosts{host_counters(), {}};
  for (std::size_t i = 0; i < counts.hosts.size(); ++i) {
    hosts.owners.push_back(owner("host", results.hosts[i].name, "1", "", counts.hosts[i]));
  }
  Table ports{port_counters(), {}};
  Table queues{queue_counters(), {}};
  for (const FieldCounts::Port& one : counts.ports) {
    ports.owners.push_back(owner("switch", one.device, one.port, "", one.values));
    for (std::size_t p = 0; p < one.queues.size(); ++p) {
      queues.owners.push_back(
          owner("switch", one.device, one.port, std::to_string(p), one.queues[p]));
    }
  }
  return {std::move(hosts), std::move(ports), std::move(queues)};
}

std::string csv_text(const std::vector<Table>& tables) {
  std::string text = "device,port,queue,counter,value\n";
  for (const Table& table : tables) {
    for (const Owner& of : table.owners) {
      for (std::size_t i = 0; i < of.values.size(); ++i) {
        text.append(of.cells).append(table.counters[i].name).append(1, ',');
        text.append(std::to_string(of.values[i])).append(1, '\n');
      }
    }
  }
  return text;
}

/// Prometheus requires that all samples of a metric stand together.
std::string prometheus_text(const std::vector<Table>& tables) {
  std::string text;
  for (const Table& table : tables) {
    for (std::size_t i = 0; i < table.counters.size(); ++i) {
      const FieldCounter& one = table.counters[i];
      text.append("# HELP ").append(one.name).append(1, ' ').append(one.meaning);
      if (*one.unit != '\0') text.append(" (").append(one.unit).append(1, ')');
      text.append("\n# TYPE ").append(one.name).append(one.peak ? " gauge\n" : " counter\n");
      for (const Owner& of : table.owners) {
        text.append(one.name).append(of.labels);
        text.append(std::to_string(of.values[i])).append(1, '\n');
      }
    }
  }
  return text;
}

}  // namespace

void write_counter_files(const std::filesystem::path& folder, const RunResults& results) {
  const std::vector<Table> tables = tables_of(results);
  write_file(folder / "counters.csv", csv_text(tables));
  write_file(folder / "counters.prom", prometheus_text(tables));
}

}  // namespace dcc::vp
