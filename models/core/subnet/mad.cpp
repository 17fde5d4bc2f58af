#include "subnet/mad.h"

namespace dcc {

Mad::Mad(Class mad_class, Method method, Attribute attribute, std::uint32_t modifier) {
  bytes_[0] = 1;                                     // field BaseVersion of the MAD header
  bytes_[1] = mad_class;                             // field MgmtClass of the MAD header
  bytes_[2] = mad_class == kAdministration ? 2 : 1;  // field ClassVersion of the MAD header
  bytes_[3] = method;
  put(16, 2, attribute);
  put(20, 4, modifier);
  // permissive LIDs: the whole route is directed
  if (mad_class == kDirectedRoute) put(32, 4, 0xFFFFFFFF);
}

std::uint64_t Mad::get(std::size_t offset, std::size_t size) const {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) value = value << 8 | bytes_[(offset + i) % kBytes];
  return value;
}

void Mad::put(std::size_t offset, std::size_t size, std::uint64_t value) {
  for (std::size_t i = size; i-- > 0; value >>= 8) {
    bytes_[(offset + i) % kBytes] = static_cast<std::uint8_t>(value);
  }
}

void Mad::answer(Status status) {
  bytes_[3] = kGetResponse;
  put(4, 2, (mad_class() == kDirectedRoute ? 0x8000u : 0u) | status);
}

}  // namespace dcc
