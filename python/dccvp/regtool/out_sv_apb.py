"""Writes the APB4 register block in the SystemVerilog subset that Verilator and yosys both read.

Decoding and reading happen in the set-up phase and are registered, so an access to a register has
no wait state and no path from address to read data; windows are reached in the access phase and
may wait.
"""

from dccvp.regtool.out_sv_pkg import NOTE, is_error_cause, member
from dccvp.regtool.wording import camel

CODES = {"unmapped": 1, "misaligned": 2, "read_only": 3, "narrow": 4, "out_of_range": 5,
         "locked": 6}


def _bits(width):
    return f"[{width - 1}:0]" if width > 1 else "     "


def _slice(field):
    return f"[{field.msb}:{field.lsb}]" if field.width > 1 else f"[{field.lsb}]"


def _out_of_range(data, field):
    """Returns SystemVerilog expressions that are true when written data is outside the range of the field."""
    value = f"{data}{_slice(field)}"
    tests = []
    if field.min > 0:
        tests.append(f"({value} < {field.width}'d{field.min})")
    if field.max < field.top:
        tests.append(f"({value} > {field.width}'d{field.max})")
    return tests


class _Block:
    def __init__(self, regmap):
        self.map = regmap
        self.pkg = f"{regmap.name}_regs_pkg"
        self.aw = regmap.address_width
        self.parameters = [r for r in regmap.registers if r.source == "parameter"]
        self.status = regmap.interrupt_status
        # Number of bits of win_addr_o: enough for the words of the largest window.
        words = [w.entries * len(w.words) for w in regmap.windows] or [2]
        self.win_aw = max(1, max(w - 1 for w in words).bit_length())

    def is_stored(self, register, field):
        return field.access in ("RW", "W0C", "W1C", "WO") or register.source == "block"

    def hit(self, register):
        return f"hit_{register.name.lower()}"

    def header(self):
        m = self.map
        lines = [NOTE.format(source=m.source_name),
                 f"// APB4 completer with the {m.name} registers; see rtl/regs/README.md.",
                 f"module {m.name}_regs_apb #("]
        parameters = [f"  parameter logic [31:0] {camel(r.name)} = {self.pkg}::{camel(r.name)}Reset"
                      for r in self.parameters]
        parameters += [f"  parameter int unsigned {camel(w.name)}Entries = "
                       f"{self.pkg}::{camel(w.name)}Entries" for w in m.windows]
        lines[-1] = f"module {m.name}_regs_apb" + (" #(" if parameters else " (")
        if parameters:
            lines += [",\n".join(parameters), ") ("]
        ports = [("input  logic", "clk_i", "PCLK"),
                 ("input  logic", "rst_ni", "PRESETn"),
                 (f"input  logic [{self.aw - 1}:0]", "paddr_i", ""),
                 ("input  logic [2:0]", "pprot_i", "every kind of access is let through"),
                 ("input  logic", "psel_i", ""),
                 ("input  logic", "penable_i", ""),
                 ("input  logic", "pwrite_i", ""),
                 ("input  logic [31:0]", "pwdata_i", ""),
                 ("input  logic [3:0]", "pstrb_i", ""),
                 ("output logic", "pready_o", ""),
                 ("output logic [31:0]", "prdata_o", ""),
                 ("output logic", "pslverr_o", "")]
        ports += [(f"output {self.pkg}::{m.name}_reg2hw_t", "reg2hw_o", ""),
                  (f"input  {self.pkg}::{m.name}_hw2reg_t", "hw2reg_i", "")]
        if m.windows:
            ports += [(f"output logic [{len(m.windows) - 1}:0]", "win_sel_o",
                       "one bit a window, held until win_ready_i"),
                      ("output logic", "win_write_o", ""),
                      (f"output logic [{self.win_aw - 1}:0]", "win_addr_o", "word in the window"),
                      ("output logic [31:0]", "win_wdata_o", ""),
                      ("input  logic", "win_ready_i", "ends the access; read data is valid"),
                      ("input  logic [31:0]", "win_rdata_i", "")]
        ports.append(("output logic", "irq_o", "level"))
        for i, (kind, name, text) in enumerate(ports):
            comma = "," if i + 1 < len(ports) else ""
            lines.append(f"  {kind:<36} {name}{comma}".rstrip() + (f"  // {text}" if text else ""))
        return lines + [");"]

    def decode(self):
        m = self.map
        wb = self.aw - 2
        lines = ["  // -- Decoding, in the set-up phase " + "-" * 40,
                 "  logic setup, access;",
                 "  assign setup  = psel_i & ~penable_i;",
                 "  assign access = psel_i & penable_i;", "",
                 f"  logic [{wb - 1}:0] word;",
                 f"  assign word = paddr_i[{self.aw - 1}:2];", ""]
        for register in m.registers:
            lines.append(f"  logic {self.hit(register)};")
        lines += [f"  assign {self.hit(r)} = word == {wb}'h{r.offset // 4:X};" for r in m.registers]
        terms = [self.hit(r) for r in m.registers]
        if m.counters:
            first = m.counters[0].offset // 4
            last = first + 2 * len(m.counters)
            lines += ["", "  logic hit_stat;",
                      f"  assign hit_stat = (word >= {wb}'h{first:X}) & (word < {wb}'h{last:X});"]
            terms.append("hit_stat")
        if m.windows:
            lines += ["", f"  logic [{len(m.windows) - 1}:0] hit_win;"]
            for i, window in enumerate(m.windows):
                first = window.offset // 4
                # Addresses are relative to the window's start, so that a window up to the end of the space needs no
                # wider comparison than its size.
                lines += [f"  logic [{wb - 1}:0] in_{window.name};",
                          f"  assign in_{window.name} = word - {wb}'h{first:X};",
                          f"  assign hit_win[{i}] = 32'(in_{window.name}) < "
                          f"32'({camel(window.name)}Entries * {len(window.words)});"]
            terms.append("(|hit_win)")
        lines += ["", "  logic mapped, writable, out_of_range;",
                  "  assign mapped = " + "\n                | ".join(terms) + ";"]
        writable = [self.hit(r) for r in m.registers if r.writable]
        writable += [f"hit_win[{i}]" for i, w in enumerate(m.windows) if w.writable]
        lines.append("  assign writable = " + ("\n                  | ".join(writable) or "1'b0") + ";")
        tests = []
        for register in m.registers:
            for field in register.fields:
                if field.writable:
                    tests += [f"({self.hit(register)} & {t})" for t in _out_of_range("pwdata_i", field)]
        for i, window in enumerate(m.windows):
            for word in window.words:
                for field in word.fields:
                    if window.writable and field.limited:
                        tests += [f"(hit_win[{i}] & {t})" for t in _out_of_range("pwdata_i", field)]
        lines.append("  assign out_of_range = "
                     + ("\n                      | ".join(tests) or "1'b0") + ";")
        lines += self.locked()
        lines += ["", "  // The lowest code wins.", "  logic [2:0] code_d, code_q;",
                  "  always_comb begin",
                  "    code_d = 3'd0;",
                  f"    if (!mapped)                              code_d = 3'd{CODES['unmapped']};",
                  f"    else if (paddr_i[1:0] != 2'd0)            code_d = 3'd{CODES['misaligned']};",
                  f"    else if (pwrite_i && !writable)           code_d = 3'd{CODES['read_only']};",
                  f"    else if (pwrite_i && (pstrb_i != 4'hF))   code_d = 3'd{CODES['narrow']};",
                  f"    else if (pwrite_i && out_of_range)        code_d = 3'd{CODES['out_of_range']};"]
        if m.write_enable:
            lines.append(f"    else if (pwrite_i && locked)              code_d = 3'd{CODES['locked']};")
        lines += ["  end", ""]
        return lines

    def locked(self):
        """Returns statements that detect a write to a register or window which a cleared bit of the write-enable
        register locks."""
        if not self.map.write_enable:
            return []
        lock = self.map.register(self.map.write_enable)
        lines, terms = [""], []
        for field in lock.fields:
            hits = [self.hit(r) for r in self.map.registers if r.regwen == field.mask]
            hits += [f"hit_win[{i}]" for i, w in enumerate(self.map.windows) if w.regwen == field.mask]
            lines.append(f"  logic {member(lock, field)}_q;")
            guarded = ("\n" + " " * 20 + "| ").join(hits) or "1'b0"
            shut = f"~{member(lock, field)}_q"
            if self.map.unlock and self.map.unlock[2] & field.mask:
                shut += f" & ~hw2reg_i.{member(*self.map.unlock[:2])}"
            terms.append(f"({shut} & ({guarded}))")
        return lines + ["  logic locked;",
                        "  assign locked = " + "\n                | ".join(terms) + ";"]

    def storage(self):
        lines = ["  // -- Storage " + "-" * 62]
        resets, written, updates = [], [], []
        enables = []
        for register in self.map.registers:
            stored = [f for f in register.fields if self.is_stored(register, f)]
            if not stored:
                continue
            if register.writable:
                name = register.name.lower()
                enables += [f"  logic we_{name}_q;"]
            for field in stored:
                self.field_storage(register, field, lines, resets, written, updates)
            if register.strobe:
                lines.append(f"  logic {register.name.lower()}_qe_q;")
                resets.append(f"{register.name.lower()}_qe_q <= 1'b0;")
                updates.append(f"{register.name.lower()}_qe_q <= write & we_{register.name.lower()}_q;")
        writable = [r for r in self.map.registers if r.writable]
        lines += ["", "  // Which register the access in progress writes, if it is not refused."]
        lines += enables
        lines += ["  logic write;", "  assign write = access & pwrite_i & pready_o;", "",
                  "  always_ff @(posedge clk_i or negedge rst_ni) begin", "    if (!rst_ni) begin"]
        lines += [f"      we_{r.name.lower()}_q <= 1'b0;" for r in writable]
        lines += ["    end else if (setup) begin"]
        lines += [f"      we_{r.name.lower()}_q <= {self.hit(r)} & (code_d == 3'd0);" for r in writable]
        lines += ["    end", "  end", "",
                  "  always_ff @(posedge clk_i or negedge rst_ni) begin", "    if (!rst_ni) begin"]
        lines += [f"      {r}" for r in resets]
        lines += ["    end else begin"]
        if written:  # All fields share one condition, because a simulator evaluates each condition in every cycle.
            lines += ["      if (write) begin"] + [f"        {u}" for u in written] + ["      end"]
        lines += [f"      {u}" for u in updates]
        lines += ["    end", "  end", ""]
        return lines

    def field_storage(self, register, field, lines, resets, written, updates):
        if register.name == self.map.interrupt_test:
            return  # Writes to the interrupt test register act on the causes, and the register reads as 0.
        name = member(register, field)
        own = f"we_{register.name.lower()}_q"
        enable = f"write & {own}"
        data = f"pwdata_i{_slice(field)}"
        if register.name != self.map.write_enable:  # The write-enable register is declared next to its decoder.
            lines.append(f"  logic {_bits(field.width)} {name}_q;")
        resets.append(f"{name}_q <= {field.width}'h{field.reset:X};")
        if register.source == "block":
            value = {"ADDRESS": "paddr_i", "CODE": "code_q", "WRITE": "pwrite_i"}[field.name]
            updates.append(f"if (refused) {name}_q <= {value};")
        elif field.access == "RW":
            written.append(f"if ({own}) {name}_q <= {data};")
        elif field.access == "W0C":
            written.append(f"if ({own}) {name}_q <= {name}_q & {data};")
        elif field.access == "WO":
            updates.append(f"{name}_q <= ({enable}) ? {data} : {field.width}'d0;")
        else:
            cause = "refused" if is_error_cause(self.map, register, field) else f"hw2reg_i.{name}"
            clear = f"(({enable}) ? {data} : {field.width}'d0)"
            if self.map.interrupt_test and register.name == self.map.interrupt_status:
                test = f"write & we_{self.map.interrupt_test.lower()}_q"
                cause += f" | (({test}) ? {data} : {field.width}'d0)"
            updates.append(f"{name}_q <= ({name}_q & ~{clear}) | {cause};")

    def word_expression(self, register):
        """Returns the register as software reads it: a concatenation from bit 31 down."""
        parts, top = [], 32
        for field in sorted(register.fields, key=lambda f: -f.lsb):
            if field.msb + 1 < top:
                parts.append(f"{top - field.msb - 1}'d0")
            parts.append(self.field_expression(register, field))
            top = field.lsb
        if top > 0:
            parts.append(f"{top}'d0")
        return parts[0] if len(parts) == 1 else "{" + ", ".join(parts) + "}"

    def field_expression(self, register, field):
        name = member(register, field)
        if field.access == "WO":
            return f"{field.width}'d0"
        if field.access in ("RW", "W0C", "W1C") or register.source == "block":
            return f"{name}_q"
        if register.source == "constant":
            return f"{field.width}'h{field.reset:X}"
        if register.source == "parameter":
            return f"{camel(register.name)}{_slice(field)}"
        return f"hw2reg_i.{name}"

    def reading(self):
        m = self.map
        wb = self.aw - 2
        lines = ["  // -- Reading, in the set-up phase " + "-" * 41,
                 "  logic [31:0] rdata_d, rdata_q;"]
        if m.counters:
            lines += ["  logic [31:0] stat_high_d, stat_high_q;  // latched by the low word"]
        lines += ["  always_comb begin", "    rdata_d = 32'd0;"]
        if m.counters:
            lines.append("    stat_high_d = stat_high_q;")
        lines.append("    case (word)")
        for register in m.registers:
            lines.append(f"      {wb}'h{register.offset // 4:X}: rdata_d = {self.word_expression(register)};")
        for counter in m.counters:
            lines += [f"      {wb}'h{counter.offset // 4:X}: begin",
                      f"        rdata_d = hw2reg_i.stat_{counter.name}[31:0];",
                      f"        stat_high_d = hw2reg_i.stat_{counter.name}[63:32];",
                      "      end",
                      f"      {wb}'h{counter.offset // 4 + 1:X}: rdata_d = stat_high_q;"]
        lines += ["      default: rdata_d = 32'd0;", "    endcase", "  end", "",
                  "  always_ff @(posedge clk_i or negedge rst_ni) begin", "    if (!rst_ni) begin",
                  "      rdata_q <= 32'd0;", "      code_q  <= 3'd0;"]
        if m.counters:
            lines.append("      stat_high_q <= 32'd0;")
        if m.windows:
            lines.append("      win_sel_q  <= '0;")
            lines.append("      win_addr_q <= '0;")
        lines += ["    end else if (setup) begin",
                  "      code_q  <= code_d;",
                  "      rdata_q <= (pwrite_i || (code_d != 3'd0)) ? 32'd0 : rdata_d;"]
        if m.counters:
            lines.append("      if (!pwrite_i && (code_d == 3'd0)) stat_high_q <= stat_high_d;")
        if m.windows:
            lines += [f"      win_sel_q  <= (code_d == 3'd0) ? hit_win : {len(m.windows)}'d0;",
                      "      win_addr_q <= win_addr_d;"]
        return lines + ["    end", "  end", ""]

    def windows(self):
        m = self.map
        if not m.windows:
            return []
        n = len(m.windows)
        lines = ["  // -- Windows " + "-" * 62,
                 f"  logic [{n - 1}:0] win_sel_q;",
                 f"  logic [{self.win_aw - 1}:0] win_addr_d, win_addr_q;",
                 "  always_comb begin", f"    win_addr_d = {self.win_aw}'d0;"]
        for i, window in enumerate(m.windows):
            words = window.entries * len(window.words)
            bits = max(1, (words - 1).bit_length())
            lines.append(f"    if (hit_win[{i}]) win_addr_d = {self.win_aw}'(in_{window.name}[{bits - 1}:0]);")
        lines += ["  end", "",
                  f"  assign win_sel_o   = access ? win_sel_q : {n}'d0;",
                  "  assign win_write_o = pwrite_i;",
                  "  assign win_addr_o  = win_addr_q;",
                  "  assign win_wdata_o = pwdata_i;", ""]
        return lines

    def responses(self):
        m = self.map
        in_window = "(|win_sel_q)" if m.windows else "1'b0"
        ready = f"access & (~{in_window} | win_ready_i)" if m.windows else "access"
        read = f"{in_window} ? win_rdata_i : rdata_q" if m.windows else "rdata_q"
        lines = ["  // -- Response " + "-" * 61,
                 "  logic refused;",
                 "  assign refused   = access & (code_q != 3'd0);",
                 f"  assign pready_o  = {ready};",
                 "  assign pslverr_o = refused;",
                 f"  assign prdata_o  = {read};", ""]
        if m.interrupt_status:
            status = m.register(m.interrupt_status)
            mask = m.register(m.interrupt_mask)
            terms = [f"(|({member(status, s)}_q & {member(mask, k)}_q))"
                     for s, k in zip(status.fields, mask.fields)]
            lines += ["  assign irq_o = " + "\n               | ".join(terms) + ";", ""]
        else:
            lines += ["  assign irq_o = 1'b0;", ""]
        for register in m.registers:
            if m.inside(register):
                continue
            lines += [f"  assign reg2hw_o.{member(register, f)} = {member(register, f)}_q;"
                      for f in register.fields if f.access in ("RW", "WO")]
            if register.strobe:
                name = register.name.lower()
                lines.append(f"  assign reg2hw_o.{name}_qe = {name}_qe_q;")
        lines += ["", "  // Let through, whatever it is.", "  logic unused_pprot;",
                  "  assign unused_pprot = ^pprot_i;"]
        return lines

    def generate(self):
        lines = self.header() + self.decode() + self.windows() + self.reading()
        lines += self.storage() + self.responses()
        return "\n".join(line.rstrip() for line in lines + ["endmodule", ""])


def generate(regmap):
    return _Block(regmap).generate()
