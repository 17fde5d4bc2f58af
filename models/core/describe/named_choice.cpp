#include "describe/named_choice.h"

namespace dcc {

void refuse_taken_name(const char* section, const std::string& name) {
  throw std::logic_error(std::string("two modules of ") + section + " named " + name);
}

}  // namespace dcc
