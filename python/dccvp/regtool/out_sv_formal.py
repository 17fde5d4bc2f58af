"""Writes formal properties of the register block's storage that follow from bus accesses alone.

Each register that stores or passes on written data has one property: the hardware sees the last written value, and a
read returns it. rtl/regs/formal/run.py --storage proves all properties, and finds for each register a trace that leaves
the reset value."""

from dccvp.regtool.out_sv_pkg import NOTE, is_error_cause, member
from dccvp.regtool.wording import camel

KEPT = ("RW", "W0C", "W1C", "WO")


def storing(regmap):
    """Returns the registers that have a storage property, in the order of their numbers."""
    return [r for r in regmap.registers if r.name != regmap.interrupt_test
            and (any(f.access in KEPT for f in r.fields) or r.source == "block")]


def _known(register):
    """Returns the fields whose value follows from bus accesses: all except the reason of a refused access."""
    if register.source == "block":
        return [f for f in register.fields if f.name in ("ADDRESS", "WRITE")]
    return [f for f in register.fields if f.access in KEPT]


def _part(field):
    return f"pwdata_i[{field.msb}:{field.lsb}]" if field.width > 1 else f"pwdata_i[{field.lsb}]"


def _next(regmap, register, field, at):
    """Returns SystemVerilog statements that track the expected value of a field from cycle to cycle."""
    name = member(register, field)
    if register.source == "block":
        return [f"if (refused) {name}_q <= {'paddr_i' if field.name == 'ADDRESS' else 'pwrite_i'};"]
    if field.access == "RW":
        return [f"if ({at}) {name}_q <= {_part(field)};"]
    if field.access == "W0C":
        return [f"if ({at}) {name}_q <= {name}_q & {_part(field)};"]
    if field.access == "WO":  # the register block passes a write-only field on for one cycle
        return [f"{name}_q <= {at} ? {_part(field)} : {field.width}'d0;"]
    cause = "refused" if is_error_cause(regmap, register, field) else f"hw2reg_i.{name}"
    if regmap.interrupt_test and register.name == regmap.interrupt_status:
        test = f"{regmap.name}_regs_pkg::{camel(regmap.interrupt_test)}Offset"
        cause += f" | (wrote && paddr_i == {test} ? {_part(field)} : {field.width}'d0)"
    return [f"{name}_q <= ({name}_q & ~({at} ? {_part(field)} : {field.width}'d0)) | {cause};"]


def _followed(regmap, register, lines, resets, steps, held, moved):
    """Adds declarations that track the expected value of a register, and the condition that the block agrees."""
    own = register.name.lower()
    at = f"wrote_{own}"
    index = len(held)
    if register.writable:
        lines.append(f"  logic {at};")
        lines.append(f"  assign {at} = wrote && paddr_i == {regmap.name}_regs_pkg::{camel(register.name)}Offset;")
    agrees, elsewhere = [], []
    mask = value = "32'd0"
    for field in _known(register):
        name = member(register, field)
        lines.append(f"  logic [{field.width - 1}:0] {name}_q;")
        resets.append(f"{name}_q <= {field.width}'h{field.reset:X};")
        steps += _next(regmap, register, field, at)
        elsewhere.append(f"{name}_q != {field.width}'h{field.reset:X}")
        if field.access in ("RW", "WO") and not regmap.inside(register):
            agrees.append(f"reg2hw.{name} == {name}_q")
        mask += f" | 32'h{field.mask:08X}"
        if field.access != "WO":
            value += f" | (32'({name}_q) << {field.lsb})"
    if register.strobe:
        lines.append(f"  logic {own}_told_q;")
        resets.append(f"{own}_told_q <= 1'b0;")
        steps.append(f"{own}_told_q <= {at};")
        agrees.append(f"reg2hw.{own}_qe == {own}_told_q")
    # Inverse of the mask of all fields; these bits read as 0.
    spare = 0xFFFFFFFF & ~sum(f.mask for f in register.fields)
    lines.append(f"  logic [31:0] {own}_word_q;  // as it was when a read of it was set up")
    steps.append(f"if (psel_i && !penable_i) {own}_word_q <= {value};")
    agrees.append(f"(!(reads && paddr_i == {regmap.name}_regs_pkg::{camel(register.name)}Offset) || "
                  f"((prdata ^ {own}_word_q) & ({mask} | 32'h{spare:08X})) == 32'd0)")
    held.append(f"  // {register.name}\n  assign held[{index}] = " + " &&\n                    ".join(agrees) + ";")
    moved.append(f"  assign moved[{index}] = " + " || ".join(elsewhere) + ";")


def generate(regmap):
    registers = storing(regmap)
    lines, resets, steps, held, moved = [], [], [], [], []
    for register in registers:
        _followed(regmap, register, lines, resets, steps, held, moved)
    count, pkg, aw = len(registers), f"{regmap.name}_regs_pkg", regmap.address_width
    out = [NOTE.format(source=regmap.source_name),
           f"// Storage properties of the {regmap.name} registers, derived from bus accesses alone; see",
           "// rtl/regs/formal/run.py --storage. Property i: the hardware and a read see the last written value;",
           f"// {count} + i: register i never leaves its reset value (false).",
           f"module {regmap.name}_regs_storage #(",
           "  parameter int unsigned Prop = 0", ") (",
           "  input logic        clk_i,", "  input logic        rst_ni,",
           f"  input logic [{aw - 1}:0] paddr_i,",
           "  input logic [2:0]  pprot_i,", "  input logic        psel_i,", "  input logic        penable_i,",
           "  input logic        pwrite_i,", "  input logic [31:0] pwdata_i,", "  input logic [3:0]  pstrb_i,",
           f"  input {pkg}::{regmap.name}_hw2reg_t hw2reg_i"]
    if regmap.windows:
        out[-1] += ","
        out += ["  input logic        win_ready_i,", "  input logic [31:0] win_rdata_i"]
    out += [");", "  logic        pready, pslverr, irq;", "  logic [31:0] prdata;",
            f"  {pkg}::{regmap.name}_reg2hw_t reg2hw;"]
    windows = ""
    if regmap.windows:
        words = max(w.entries * len(w.words) for w in regmap.windows)
        out += [f"  logic [{len(regmap.windows) - 1}:0] win_sel;", "  logic        win_write;",
                f"  logic [{max(1, (words - 1).bit_length()) - 1}:0] win_addr;", "  logic [31:0] win_wdata;"]
        windows = (" .win_sel_o(win_sel), .win_write_o(win_write),\n    .win_addr_o(win_addr), "
                   ".win_wdata_o(win_wdata), .win_ready_i(win_ready_i), .win_rdata_i(win_rdata_i),")
    out += [f"  {regmap.name}_regs_apb u_regs (",
            "    .clk_i(clk_i), .rst_ni(rst_ni), .paddr_i(paddr_i), .pprot_i(pprot_i), .psel_i(psel_i),",
            "    .penable_i(penable_i), .pwrite_i(pwrite_i), .pwdata_i(pwdata_i), .pstrb_i(pstrb_i),",
            "    .pready_o(pready), .prdata_o(prdata), .pslverr_o(pslverr), .reg2hw_o(reg2hw),",
            f"    .hw2reg_i(hw2reg_i),{windows} .irq_o(irq)", "  );",
            f"  apb_requester #(.AddrW({aw})) u_requester (",
            "    .clk_i(clk_i), .rst_ni(rst_ni), .psel_i(psel_i), .penable_i(penable_i), .pready_i(pready),",
            "    .pwrite_i(pwrite_i), .paddr_i(paddr_i), .pwdata_i(pwdata_i), .pstrb_i(pstrb_i)", "  );", "",
            "  // How an access ends.", "  logic wrote, reads, refused;",
            "  assign wrote   = psel_i && penable_i && pready && !pslverr && pwrite_i;",
            "  assign reads   = psel_i && penable_i && pready && !pslverr && !pwrite_i;",
            "  assign refused = psel_i && penable_i && pready && pslverr;", ""]
    out += lines
    out += ["", "  always_ff @(posedge clk_i or negedge rst_ni) begin", "    if (!rst_ni) begin"]
    out += [f"      {r}" for r in resets] + ["    end else begin"] + [f"      {s}" for s in steps]
    out += ["    end", "  end", "", f"  logic [{count - 1}:0] held, moved;"] + held + moved
    out += ["", "  logic was_reset_q = 1'b0;", "  always_ff @(posedge clk_i) was_reset_q <= 1'b1;",
            "  always_ff @(posedge clk_i) begin", "    if (was_reset_q) begin",
            f"      if (Prop < {count}) assert (held[Prop % {count}]);",
            f"      else assert (!moved[Prop % {count}]);",
            "    end", "  end", "endmodule", ""]
    return "\n".join(out)
