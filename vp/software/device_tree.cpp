#include "software/device_tree.h"

#include <fmt/format.h>

namespace dcc::vp {
namespace {

/// Writes the source text of a device tree: indented nodes, one property per line.
class SourceWriter {
 public:
  void open(const std::string& node) { line(node + " {"), ++depth_; }
  void close() { --depth_, line("};"); }
  void line(const std::string& text) {
    text_ += std::string(static_cast<std::size_t>(depth_), '\t') + text + "\n";
  }
  void property(const std::string& name, const std::string& value) {
    line(name + " = " + value + ";");
  }
  void text(const std::string& name, const std::string& value) {
    property(name, "\"" + value + "\"");
  }
  /// Writes a property of one 32-bit cell, or of two cells if needed, the upper cell first.
  void cell(const std::string& name, std::uint64_t value) {
    const std::uint64_t upper = value >> 32;
    property(name, upper == 0 ? fmt::format("<{}>", value)
                              : fmt::format("<0x{:x} 0x{:x}>", upper, value & 0xFFFFFFFF));
  }
  void region(std::uint64_t base, std::uint64_t size) {
    property("reg", fmt::format("<0x{:x} 0x{:x}>", base, size));
  }
  /// Writes how many cells the addresses and sizes of the node's children have (#address-cells,
  /// #size-cells).
  void cells(unsigned addresses, unsigned sizes) {
    cell("#address-cells", addresses);
    cell("#size-cells", sizes);
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  int depth_ = 0;
};

std::string node_name(const MachineDevice& device) {
  return fmt::format("{}@{:x}", device.node, device.base);
}

void write_cpus(SourceWriter& out, const DeviceTreeHost& host, const MachineMap& map) {
  out.open("cpus");
  out.cells(1, 0);
  out.cell("timebase-frequency", map.timebase);
  for (unsigned hart = 0; hart < host.harts; ++hart) {
    out.open(fmt::format("cpu@{:x}", host.hart_id + hart));
    out.text("device_type", "cpu");
    out.cell("reg", host.hart_id + hart);
    out.text("status", "okay");
    out.text("compatible", "riscv");
    out.text("riscv,isa", "rv32imac_zicsr_zifencei");
    out.text("mmu-type", "riscv,none");
    out.cell("clock-frequency", host.clock_hz);
    out.open(fmt::format("hart{}: interrupt-controller", hart));
    out.text("compatible", "riscv,cpu-intc");
    out.line("interrupt-controller;");
    out.cell("#address-cells", 0);
    out.cell("#interrupt-cells", 1);
    out.close();
    out.close();
  }
  out.close();
}

/// The interrupt lines of harts that a device drives, in order of its outputs.
std::string hart_lines(const DeviceTreeHost& host, const MachineDevice& device) {
  // The interrupt controller of machine dcc has one output.
  const bool one = device.interrupt_controller && host.machine == MachineKind::kDcc;
  std::string text;
  for (unsigned hart = 0; hart < (one ? 1 : host.harts); ++hart) {
    for (const unsigned line : device.hart_interrupts) {
      text += fmt::format("{}&hart{} {}", text.empty() ? "" : " ", hart, line);
    }
  }
  return text;
}

void write_device(SourceWriter& out, const DeviceTreeHost& host, const MachineDevice& device) {
  out.open((device.interrupt_controller ? "irq: " : "") + node_name(device));
  std::string names;
  for (const std::string& name : device.compatible) {
    names += (names.empty() ? "\"" : ", \"") + name + "\"";
  }
  out.property("compatible", names);
  out.region(device.base, device.size);
  if (!device.hart_interrupts.empty()) {
    out.property("interrupts-extended", "<" + hart_lines(host, device) + ">");
  }
  if (device.interrupt_controller) {
    out.line("interrupt-controller;");
    out.cell("#address-cells", 0);
    out.cell("#interrupt-cells", 1);
  }
  if (device.interrupt != 0) {
    out.property("interrupt-parent", "<&irq>");
    out.cell("interrupts", device.interrupt);
  }
  for (const auto& [name, value] : device.properties) out.cell(name, value);
  out.close();
}

}  // namespace

std::string device_tree(const DeviceTreeHost& host) {
  const MachineMap& map = machine_map(host.machine);
  SourceWriter out;
  out.line("/dts-v1/;");
  out.line("");
  out.open("/");
  out.cells(1, 1);
  out.text("compatible", "dccvp," + map.name);
  out.text("model", host.model);
  out.open("chosen");
  out.text("stdout-path", "/soc/" + node_name(map.device("UART")));
  out.close();
  write_cpus(out, host, map);
  const std::uint32_t ram = map.device("RAM").base;
  out.open(fmt::format("memory@{:x}", ram));
  out.text("device_type", "memory");
  out.region(ram, host.ram_bytes);
  out.close();
  out.open("soc");
  out.cells(1, 1);
  out.text("compatible", "simple-bus");
  out.line("ranges;");
  for (const MachineDevice& device : map.devices) {
    const bool there =
        (device.name != "NIC" || host.has_nic) && (device.name != "DCC" || host.has_controller);
    if (!device.node.empty() && there) write_device(out, host, device);
  }
  if (host.rom_bytes != 0) {
    out.open(fmt::format("rom@{:x}", host.rom_base));
    out.text("compatible", "mtd-rom");
    out.region(host.rom_base, host.rom_bytes);
    out.cell("bank-width", 4);
    out.close();
  }
  out.close();
  out.close();
  return out.take();
}

}  // namespace dcc::vp
