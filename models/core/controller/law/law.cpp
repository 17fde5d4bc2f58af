#include "controller/law/law.h"

#include <stdexcept>
#include <string>

namespace dcc {

Law::Law(std::uint8_t number, const char* name, const char* description)
    : Policy(name, description), number_(number) {
  if (number >= kNumbers || table_[number] != nullptr) {
    throw std::logic_error(std::string("law ") + name + ": the number " + std::to_string(number) +
                           " is taken or above " + std::to_string(kNumbers - 1));
  }
  table_[number] = this;
}

}  // namespace dcc
