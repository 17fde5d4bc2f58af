#include "schemes/program/program_image.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "riscv/elf_file.h"

namespace dcc {
namespace {

constexpr const char* kRemedy =
    "; build it with firmware/program (docs/programs.md), which has options and linker script";
constexpr std::uint32_t kProgramData = DCC_DATA_BASE + DCC_RESERVED_BYTES;
constexpr std::uint32_t kPage = 4096;

riscv::ElfFile read_fitting(const std::string& path, Bytes memory) {
  try {
    riscv::ElfFile file = riscv::ElfFile::read(path);
    file.check_fits({kProgramData, static_cast<std::uint32_t>(memory) - DCC_RESERVED_BYTES},
                    {DCC_CODE_BASE, DCC_CODE_BYTES});
    return file;
  } catch (const riscv::ElfError& error) {
    throw riscv::ElfError(error.what() + std::string(kRemedy));
  }
}

/// Number of bytes from `base` to the end of the ELF file's last segment in the memory at `base`.
std::uint32_t extent(const riscv::ElfFile& file, std::uint32_t base, std::uint32_t limit) {
  std::uint32_t bytes = 0;
  for (const riscv::ElfFile::Segment& segment : file.segments()) {
    const std::uint32_t offset = segment.address - base;
    if (offset < limit) bytes = std::max(bytes, offset + segment.memory_bytes);
  }
  return bytes;
}

}  // namespace

ProgramImage::ProgramImage(const std::string& path, Bytes memory) : path_(path) {
  const riscv::ElfFile file = read_fitting(path, memory);
  const auto refuse = [&](const std::string& what) {
    throw riscv::ElfError(path + ": " + what + kRemedy);
  };
  const std::uint32_t code = extent(file, DCC_CODE_BASE, DCC_CODE_BYTES);
  code_.resize((std::max<std::uint32_t>(code, sizeof program_) + kPage - 1) / kPage * kPage);
  file.load({DCC_CODE_BASE, static_cast<std::uint32_t>(code_.size())}, code_.data());
  data_.resize(extent(file, kProgramData, static_cast<std::uint32_t>(memory)));
  file.load({kProgramData, static_cast<std::uint32_t>(data_.size())}, data_.data());
  while (!data_.empty() && data_.back() == 0) data_.pop_back();
  std::memcpy(&program_, code_.data(), sizeof program_);
  if (program_.magic != DCC_PROGRAM_MAGIC) {
    refuse("no congestion-control program: DCC_PROGRAM(…) is not at the first address of code");
  }
  if (program_.abi != DCC_PROGRAM_ABI) {
    refuse("built for interface " + std::to_string(program_.abi) + " of programs; this NIC has " +
           std::to_string(DCC_PROGRAM_ABI));
  }
  if (program_.context_bytes > DCC_MAX_CONTEXT_BYTES) {
    refuse("a flow needs " + std::to_string(program_.context_bytes) +
           " bytes of context, more than the " + std::to_string(DCC_MAX_CONTEXT_BYTES) +
           " that a NIC can have");
  }
  bool handles = false;
  for (const dcc_handler handler : {program_.on_start, program_.on_cnp, program_.on_ack,
                                    program_.on_nack, program_.on_sent, program_.on_timer}) {
    handles = handles || handler != 0;
    if (handler != 0 && (handler - DCC_CODE_BASE >= code_.size() || (handler & 1) != 0)) {
      refuse("a handler lies outside its code");
    }
  }
  if (!handles) refuse("DCC_PROGRAM(…) names no handler");
  return_address_ = file.entry();
  symbols_ = file.symbols();
}

std::shared_ptr<const ProgramImage> ProgramImage::share(const std::string& path, Bytes memory) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, Bytes>, std::weak_ptr<const ProgramImage>> kept;
  const std::lock_guard<std::mutex> lock(mutex);
  std::weak_ptr<const ProgramImage>& place = kept[{path, memory}];
  std::shared_ptr<const ProgramImage> image = place.lock();
  if (image == nullptr) place = image = std::make_shared<const ProgramImage>(path, memory);
  return image;
}

}  // namespace dcc
