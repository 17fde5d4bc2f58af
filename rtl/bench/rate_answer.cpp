#include "rate_answer.h"

#include "controller/rate_unit.h"

namespace dcc {
namespace {
std::string text(std::uint64_t value) { return std::to_string(value); }
}  // namespace

RateAnswer expected_answer(const RateInputs& in, const RateRegisters& registers,
                           const RateTables& tables) {
  if (in.req_increase) {
    const IncreaseResult r = compute_increase(
        {in.req_rc, in.req_rt, in.req_dscp, static_cast<IncreaseStage>(in.req_stage), in.req_delta},
        registers, tables);
    return {true, r.rc, r.rt, 0, r.at_maximum};
  }
  const DecreaseResult r = compute_decrease(
      {in.req_rc, in.req_rt, in.req_alpha, in.req_delta, in.req_dscp, in.req_marks, in.req_first},
      registers, tables);
  return {false, r.rc, r.rt, r.alpha, false};
}

bool agrees(const RateOutputs& out, const RateAnswer& answer) {
  return out.rsp_increase == answer.increase && out.rsp_rc == answer.rc &&
         out.rsp_rt == answer.rt &&
         (answer.increase ? out.rsp_at_maximum == answer.at_maximum
                          : out.rsp_alpha == answer.alpha);
}

std::string described(const RateInputs& in) {
  if (in.tbl_valid && !in.req_valid) {
    return "read of table " + text(in.tbl_table) + " entry " + text(in.tbl_index);
  }
  if (in.req_increase) {
    return "increase rc " + text(in.req_rc) + " rt " + text(in.req_rt) + " dscp " +
           text(in.req_dscp) + " stage " + text(in.req_stage) + " packets " + text(in.req_delta);
  }
  return "decrease rc " + text(in.req_rc) + " rt " + text(in.req_rt) + " alpha " +
         text(in.req_alpha) + " delta " + text(in.req_delta) + " dscp " + text(in.req_dscp) +
         " marks " + text(in.req_marks) + (in.req_first ? " first" : "");
}

std::string compared(const RateOutputs& out, const RateAnswer& answer) {
  return "model rc " + text(answer.rc) + " rt " + text(answer.rt) + " alpha " + text(answer.alpha) +
         " at maximum " + text(answer.at_maximum) + ", unit " +
         (out.rsp_increase ? "increase" : "decrease") + " rc " + text(out.rsp_rc) + " rt " +
         text(out.rsp_rt) + " alpha " + text(out.rsp_alpha) + " at maximum " +
         text(out.rsp_at_maximum);
}

}  // namespace dcc
