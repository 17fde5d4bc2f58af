#include "wire/pcapng.h"

#include <cassert>
#include <cstring>
#include <stdexcept>

namespace dcc {

namespace {
constexpr std::size_t kBuffer = 1 << 20;
// maximum bytes of a section or interface block; real blocks are far smaller
constexpr std::size_t kMaxHeaderBlock = 4096;
// bytes of an enhanced packet block besides the data: type, length, interface, time (2 words),
// captured length, packet length
constexpr std::size_t kPacketHeader = 28;

constexpr std::uint32_t kSectionBlock = 0x0A0D0D0A;
constexpr std::uint32_t kInterfaceBlock = 1;
constexpr std::uint32_t kPacketBlock = 6;
constexpr std::uint32_t kByteOrderMagic = 0x1A2B3C4D;
constexpr std::uint32_t kLinkEthernet = 1;

constexpr std::uint32_t kOptionEnd = 0;
// option code shb_userappl: application that wrote the file
constexpr std::uint32_t kApplication = 4;
constexpr std::uint32_t kName = 2;  // option code if_name: name of the interface
// option code if_description: description of the interface
constexpr std::uint32_t kDescription = 3;
constexpr std::uint32_t kSpeed = 8;       // option code if_speed: rate of the interface
constexpr std::uint32_t kResolution = 9;  // option code if_tsresol: resolution of time stamps
constexpr std::uint8_t kNanoseconds = 9;  // time stamp resolution of 10^-9 s

constexpr std::size_t padding(std::size_t size) { return (0u - size) & 3u; }

void put_le32(std::uint8_t* at, std::uint32_t value) {
  at[0] = static_cast<std::uint8_t>(value);
  at[1] = static_cast<std::uint8_t>(value >> 8);
  at[2] = static_cast<std::uint8_t>(value >> 16);
  at[3] = static_cast<std::uint8_t>(value >> 24);
}
}  // namespace

PcapngWriter::PcapngWriter(const std::string& path, std::uint32_t snap_length)
    : path_(path),
      snap_length_(snap_length),
      file_(std::fopen(path.c_str(), "wb")),
      buffer_(kBuffer) {
  assert(snap_length <= 0xFFFF);
  if (file_ == nullptr) throw std::runtime_error("'" + path + "' cannot be created");
  // no buffer of the C library, since buffer_ replaces it
  std::setvbuf(file_.get(), nullptr, _IONBF, 0);
  const std::size_t begin = used_;
  put32(kSectionBlock);
  put32(0);
  put32(kByteOrderMagic);
  put16(1);  // version of the format: 1.0
  put16(0);
  put32(0xFFFFFFFF);  // section length 0xFFFFFFFF: not specified
  put32(0xFFFFFFFF);
  static constexpr char kProgram[] = "dccvp";
  put_option(kApplication, kProgram, sizeof kProgram - 1);
  put_option(kOptionEnd, nullptr, 0);
  finish_block(begin);
}

std::uint32_t PcapngWriter::add_interface(const PcapngInterface& port) {
  assert(port.name.size() + port.description.size() < kMaxHeaderBlock / 2);
  if (buffer_.size() - used_ < kMaxHeaderBlock) flush();
  const std::size_t begin = used_;
  put32(kInterfaceBlock);
  put32(0);
  put16(kLinkEthernet);
  put16(0);
  put32(snap_length_);
  put_option(kName, port.name.data(), port.name.size());
  put_option(kDescription, port.description.data(), port.description.size());
  std::uint8_t speed[8];
  put_le32(speed, static_cast<std::uint32_t>(port.bits_per_second));
  put_le32(speed + 4, static_cast<std::uint32_t>(port.bits_per_second >> 32));
  put_option(kSpeed, speed, sizeof speed);
  put_option(kResolution, &kNanoseconds, 1);
  put_option(kOptionEnd, nullptr, 0);
  finish_block(begin);
  return ports_++;
}

std::uint8_t* PcapngWriter::begin_packet(std::uint32_t port, std::uint64_t nanoseconds) {
  // Flushes the buffer if the packet block does not fit; padding and the repeated block length
  // follow the packet's bytes.
  if (buffer_.size() - used_ < kPacketHeader + snap_length_ + 8) flush();
  std::uint8_t* const at = buffer_.data() + used_;
  put_le32(at, kPacketBlock);
  put_le32(at + 8, port);
  put_le32(at + 12, static_cast<std::uint32_t>(nanoseconds >> 32));
  put_le32(at + 16, static_cast<std::uint32_t>(nanoseconds));
  return at + kPacketHeader;
}

void PcapngWriter::end_packet(std::uint32_t captured, std::uint32_t length) {
  assert(captured <= snap_length_ && captured <= length);
  std::uint8_t* const at = buffer_.data() + used_;
  const std::size_t pad = padding(captured);
  const std::size_t block = kPacketHeader + captured + pad + 4;
  put_le32(at + 4, static_cast<std::uint32_t>(block));
  put_le32(at + 20, captured);
  put_le32(at + 24, length);
  std::memset(at + kPacketHeader + captured, 0, pad);
  put_le32(at + block - 4, static_cast<std::uint32_t>(block));
  used_ += block;
  ++packets_;
}

void PcapngWriter::close() {
  flush();
  if (file_ != nullptr && std::fclose(file_.release()) != 0) failed_ = true;
  if (failed_) throw std::runtime_error("'" + path_ + "' could not be written");
}

void PcapngWriter::flush() {
  if (std::fwrite(buffer_.data(), 1, used_, file_.get()) != used_) failed_ = true;
  used_ = 0;
}

void PcapngWriter::put16(std::uint32_t value) {
  buffer_[used_++] = static_cast<std::uint8_t>(value);
  buffer_[used_++] = static_cast<std::uint8_t>(value >> 8);
}

void PcapngWriter::put32(std::uint32_t value) {
  put_le32(buffer_.data() + used_, value);
  used_ += 4;
}

void PcapngWriter::put_option(std::uint32_t code, const void* value, std::size_t size) {
  put16(code);
  put16(static_cast<std::uint32_t>(size));
  if (size != 0) std::memcpy(buffer_.data() + used_, value, size);
  used_ += size;
  for (std::size_t i = padding(size); i > 0; --i) buffer_[used_++] = 0;
}

/// Writes the block length behind the block type and at the end of the block.
void PcapngWriter::finish_block(std::size_t begin) {
  const auto length = static_cast<std::uint32_t>(used_ - begin + 4);
  put_le32(buffer_.data() + begin + 4, length);
  put32(length);
}

}  // namespace dcc
