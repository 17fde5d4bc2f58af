// What the bench of the whole controller is run with, law by law.
#pragma once

#include <ostream>

#include "page_bench.h"

namespace dcc::page {

struct Case {
  const char* name;
  bool averaging;
  Profile profile;
};

inline void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

inline Profile few_flows() { return {}; }
inline Profile crowd() {
  Profile p;
  p.flows = 256;
  p.cnp = 200;
  p.bytes = 500;
  return p;
}
inline Profile flood() {  // more than one event a cycle: loss and back-pressure
  Profile p;
  p.flows = 256;
  p.cnp = 900;
  p.bytes = 1024;
  p.command = 100;
  p.burst = 1500;
  return p;
}
inline Profile one_flow() {
  Profile p;
  p.flows = 2;
  p.cnp = 60;
  p.bytes = 300;
  p.command = 20;
  return p;
}
inline Profile accesses() {
  Profile p;
  p.flows = 100;
  p.access = 100;
  return p;
}
inline Profile resets() {
  Profile p;
  p.flows = 200;
  p.cnp = 150;
  p.access = 20;
  p.soft_reset = 40;
  return p;
}
inline Profile quiet() {  // slots come free
  Profile p;
  p.flows = 40;
  p.cnp = 1;
  p.bytes = 20;
  return p;
}

inline const Case kCases[] = {
    {"DcqcnFewFlows", true, few_flows()}, {"MarksFewFlows", false, few_flows()},
    {"DcqcnCrowd", true, crowd()},        {"MarksCrowd", false, crowd()},
    {"DcqcnFlood", true, flood()},        {"MarksFlood", false, flood()},
    {"DcqcnOneFlow", true, one_flow()},   {"MarksOneFlow", false, one_flow()},
    {"DcqcnAccesses", true, accesses()},  {"MarksAccesses", false, accesses()},
    {"DcqcnResets", true, resets()},      {"MarksResets", false, resets()},
    {"DcqcnQuiet", true, quiet()},        {"MarksQuiet", false, quiet()},
};

}  // namespace dcc::page
