"""Writes the descriptions of the hand-off package for other tools: tool.py component PACKAGE

PACKAGE/dcc_top.xml: IP-XACT (IEEE 1685-2014), the register map's component with ports, parameters,
bus interface and file sets; PACKAGE/dcc_top.core: FuseSoC (CAPI2).
"""
import copy
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

from dccvp.handoff.module_header import read_header

IPXACT = "http://www.accellera.org/XMLSchema/IPXACT/1685-2014"
XSI = "http://www.w3.org/2001/XMLSchema-instance"
# The elements of an IP-XACT component that this file writes, in the order of the standard.
ORDER = ["vendor", "library", "name", "version", "busInterfaces", "memoryMaps", "model", "fileSets",
         "description", "parameters"]
APB = {"PADDR": "paddr_i", "PPROT": "pprot_i", "PSELx": "psel_i", "PENABLE": "penable_i",
       "PWRITE": "pwrite_i", "PWDATA": "pwdata_i", "PSTRB": "pstrb_i", "PREADY": "pready_o",
       "PRDATA": "prdata_o", "PSLVERR": "pslverr_o", "PCLK": "clk_i", "PRESETn": "rst_ni"}


def tag(name):
    return f"{{{IPXACT}}}{name}"


def child(parent, name, text=None):
    element = ElementTree.SubElement(parent, tag(name))
    if text is not None:
        element.text = str(text)
    return element


def bus_interface(component, ports):
    """Adds the ports of the module header to the bus interface of the memory map's component."""
    bus = component.find(f"{tag('busInterfaces')}/{tag('busInterface')}")
    types = ElementTree.Element(tag("abstractionTypes"))
    kind = child(types, "abstractionType")
    child(kind, "abstractionRef").attrib.update(
        vendor="amba.com", library="AMBA4", name="APB4_rtl", version="r0p0_0")
    maps = child(kind, "portMaps")
    names = {port.name for port in ports}
    for logical, physical in APB.items():
        if physical not in names:
            sys.exit(f"component: the header has no port {physical}")
        pair = child(maps, "portMap")
        child(child(pair, "logicalPort"), "name", logical)
        child(child(pair, "physicalPort"), "name", physical)
    bus.insert(2, types)  # IP-XACT requires busInterface's name and type (places 0 and 1) before this element.


def model(top, parameters, ports):
    element = ElementTree.Element(tag("model"))
    view = child(child(element, "views"), "view")
    child(view, "name", "rtl")
    child(view, "componentInstantiationRef", "rtl")
    instance = child(child(element, "instantiations"), "componentInstantiation")
    child(instance, "name", "rtl")
    child(instance, "language", "SystemVerilog")
    child(instance, "moduleName", top)
    values = child(instance, "moduleParameters")
    for parameter in parameters:
        value = child(values, "moduleParameter")
        child(value, "name", parameter.name)
        child(value, "value", parameter.name)  # the value refers to the component's parameter with this id
    child(child(instance, "fileSetRef"), "localName", "rtl")
    all_ports = child(element, "ports")
    for port in ports:
        one = child(all_ports, "port")
        child(one, "name", port.name)
        if port.comment:
            child(one, "description", port.comment)
        wire = child(one, "wire")
        child(wire, "direction", {"input": "in", "output": "out"}[port.direction])
        if port.width:
            left, right = port.width.strip("[]").split(":")
            vector = child(child(wire, "vectors"), "vector")
            child(vector, "left", left)
            child(vector, "right", right)
    return element


def file_sets(groups):
    element = ElementTree.Element(tag("fileSets"))
    for name, files in groups.items():
        group = child(element, "fileSet")
        child(group, "name", name)
        for path, kind in files:
            file = child(group, "file")
            child(file, "name", path)
            if kind in ("systemVerilogSource", "verilogSource"):
                child(file, "fileType", kind)
            else:
                child(file, "fileType", "user").set("user", kind)
    return element


def parameter_list(parameters):
    element = ElementTree.Element(tag("parameters"))
    for parameter in parameters:
        one = child(element, "parameter")
        one.attrib.update(parameterId=parameter.name, type="int", resolve="user")
        child(one, "name", parameter.name)
        child(one, "description", parameter.comment)
        child(one, "value", parameter.default)
    return element


def package_version(package):
    """Returns the version in the last row of CHANGES.md. The register map's own version is that of register
    VERSION."""
    rows = re.findall(r"^\| (\d+\.\d+) \|", (package / "CHANGES.md").read_text(encoding="utf-8"), re.M)
    if not rows:
        sys.exit("component: CHANGES.md has no version")
    return rows[-1]


def ip_xact(package, top, parameters, ports, groups, version):
    ElementTree.register_namespace("ipxact", IPXACT)
    ElementTree.register_namespace("xsi", XSI)
    registers = ElementTree.parse(package / "registers/dcc.xml").getroot()
    component = copy.deepcopy(registers)
    for name in component.iterfind(tag("name")):
        name.text = top
    for element in component.iterfind(tag("version")):
        element.text = version
    bus_interface(component, ports)
    for element in (model(top, parameters, ports), file_sets(groups), parameter_list(parameters)):
        component.append(element)
    component[:] = sorted(component, key=lambda e: ORDER.index(e.tag.split("}")[1]))
    ElementTree.indent(component)
    text = ElementTree.tostring(component, encoding="unicode")
    (package / f"{top}.xml").write_text('<?xml version="1.0" encoding="UTF-8"?>\n' + text + "\n",
                                        encoding="utf-8")


def fusesoc(package, top, parameters, groups, version):
    lines = ["CAPI=2:", f"name: dcc-vp:nic:{top}:{version}",
             "description: Differentiated congestion controller of an RDMA NIC", "", "filesets:"]
    kinds = {"rtl": "systemVerilogSource", "lint": "vlt", "constraints": "SDC", "bench": "systemVerilogSource",
             "assertions": "systemVerilogSource", "vectors": "user"}
    for name, files in groups.items():
        lines += [f"  {name}:", "    files:"]
        # Simulations run in the folder of the vectors, because the testbench's default is a file name without
        # a path.
        for path, _ in files:
            place = f": {{copyto: {pathlib.PurePath(path).name}}}" if name == "vectors" else ""
            lines.append(f"      - {path}{place}")
        lines += [f"    file_type: {kinds[name]}"]
    lines += ["", "parameters:"]
    for parameter in parameters:
        lines += [f"  {parameter.name}:", "    datatype: int", "    paramtype: vlogparam",
                  f"    default: {parameter.default}"]
    names = "[" + ", ".join(parameter.name for parameter in parameters) + "]"
    lines += ["", "targets:",
              "  default: &default", "    filesets: [rtl]", f"    toplevel: {top}",
              "    parameters: " + names,
              "  lint:", "    <<: *default", "    default_tool: verilator", "    filesets: [rtl, lint]",
              "    tools: {verilator: {mode: lint-only, verilator_options: [-Wall]}}",
              "  synth:", "    <<: *default", "    default_tool: yosys",
              "    filesets: [rtl, constraints]",
              # The simulator options are the same as in check.sh, whose comments explain them.
              "  sim:", "    default_tool: verilator", "    filesets: [rtl, assertions, bench, vectors]",
              "    toplevel: tb_controller",
              "    tools: {verilator: {mode: binary, verilator_options: [--timing, --assert, -O3, -fno-life, "
              "--x-initial, unique, -Wno-fatal, -Wno-lint, -Wno-style]}}"]
    (package / f"{top}.core").write_text("\n".join(lines) + "\n", encoding="utf-8")


def main(arguments):
    if len(arguments) != 1:
        sys.exit(__doc__)
    package = pathlib.Path(arguments[0])
    rtl = (package / "files.f").read_text(encoding="utf-8").split()
    top_file = next(path for path in rtl if path.endswith("/dcc_top.sv"))
    top, parameters, ports = read_header(package / top_file)

    def files(pattern, kind):
        return [(str(path.relative_to(package)), kind) for path in sorted(package.glob(pattern))]

    groups = {"rtl": [(path, "systemVerilogSource") for path in rtl],
              "assertions": files("sva/*.sv", "systemVerilogSource"),
              "bench": [("vectors/controller_dut.sv", "systemVerilogSource"),
                        ("vectors/tb_controller.v", "verilogSource")],
              "vectors": [("vectors/controller.vec", "user")],
              "lint": files("lint/*.vlt", "verilatorConfiguration"),
              "constraints": files("constraints/*.sdc", "SDC")}
    for name, group in groups.items():
        for path, _ in group:
            if not (package / path).is_file():
                sys.exit(f"component: {name}: there is no {path}")
    version = package_version(package)
    ip_xact(package, top, parameters, ports, groups, version)
    fusesoc(package, top, parameters, groups, f"{version}.0")
    return 0
