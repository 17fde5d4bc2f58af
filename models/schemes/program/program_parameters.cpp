#include "schemes/program/program_parameters.h"

#include "describe/visitor.h"
#include "program/dcc_program.h"
#include "riscv/elf_file.h"
#include "schemes/program/program_image.h"

namespace dcc {

void ProgramParameters::describe(ParameterVisitor& v) {
  v.path("elf", elf, {}, {"file of the program (docs/programs.md)"});
  v.field("cores", cores, {"1", "8"}, {"cores of a NIC"});
  v.field("clock", clock, {"1MHz", "10GHz"}, {"clock of the cores"});
  v.field("instant", instant, {}, {"handlers take no time"});
  v.field("queue", queue, {"1", "65536"},
          {"events that may wait for a core; timers and begins of flows have places of their own"});
  v.choice("merge", merge,
           {"an event joins a waiting one of its flow and kind when the queue is full, always, or "
            "never"});
  v.field("dispatch", dispatch, {"0", "10000"},
          {"cycles in which a core fetches event and context, before the handler"});
  v.section("cpi", {"cycles of an instruction, by its class"}, [&] {
    const Range range{"0", "1000"};
    v.field("alu", cpi.alu, range, {"arithmetic without multiplication"});
    v.field("mul", cpi.mul, range, {"multiplications"});
    v.field("div", cpi.div, range, {"divisions and remainders"});
    v.field("load", cpi.load, range, {"loads"});
    v.field("store", cpi.store, range, {"stores"});
    v.field("branch", cpi.branch, range, {"conditional branches"});
    v.field("taken", cpi.taken, range, {"extra cycles of a conditional branch that is taken"});
    v.field("jump", cpi.jump, range, {"jumps, calls, returns"});
    v.field("system", cpi.system, range, {"CSR accesses, fences, atomic operations"});
  });
  v.field("context", context, {"64B", "256B"}, {"memory of a flow"});
  v.field("memory", memory, {"16KiB", "16MiB"},
          {"data memory of a NIC's cores, stack included, in pages of 4KiB"});
  v.field("limit", limit, {"100", "1000000000"},
          {"instructions after which a handler counts as endless"});
  v.field("trace", trace, {"0", "1000000"}, {"number of lines that a NIC's program may write"});
  v.numbers("values", values, 0, DCC_MAX_VALUES, {"0", "4294967295"},
            {"numbers for the program, which reads them by dcc_value()"});
  v.field("gdb", gdb, "off", {"1024", "65535"},
          {"loopback port of the debugger for the cores of one NIC", "docs/programs.md"});
  v.field("gdb_host", gdb_host, {"0", "1000000"}, {"host whose NIC has the debugger"});
}

void ProgramParameters::check(Bytes) const {
  if (elf.empty()) {
    throw ParameterError({"elf"}, "algorithm: program needs an elf, the file of the program");
  }
  if (memory % 4096 != 0) {
    throw ParameterError({"memory"}, "memory " + text_of(memory) + " is no multiple of 4KiB");
  }
  try {
    const ProgramImage image(elf, memory);
    if (static_cast<Bytes>(image.program().context_bytes) > context) {
      throw ParameterError({"context", "elf"},
                           elf + ": a flow needs " + std::to_string(image.program().context_bytes) +
                               " bytes of context, and the NIC has " + text_of(context) +
                               "; set context, at most " + std::to_string(DCC_MAX_CONTEXT_BYTES) +
                               "B, or make it smaller");
    }
  } catch (const riscv::ElfError& error) {
    throw ParameterError({"elf"}, error.what());
  }
}

}  // namespace dcc
