#include "program_generator.h"

#include <algorithm>

#include "encode.h"

namespace dcc::riscv::test {
namespace {

constexpr unsigned kMaxDepth = 2;

bool reserved(unsigned r) {
  return r == ProgramGenerator::kData || r == ProgramGenerator::kCounter ||
         r == ProgramGenerator::kStack || r == ProgramGenerator::kShort;
}

}  // namespace

std::vector<std::uint8_t> ProgramGenerator::generate(unsigned items) {
  code_.clear();
  for (unsigned r = 1; r < 32; ++r) {
    if (!reserved(r) && random_.one_in(2)) {
      emit32(lui(r, static_cast<Word>(random_.bits())));
      emit32(addi(r, r, static_cast<std::int32_t>(random_.below(4096))));
    }
  }
  block(0, items);
  emit32(kNop);
  return code_;
}

void ProgramGenerator::block(unsigned depth, unsigned items) {
  for (unsigned i = 0; i < items; ++i) item(depth);
}

void ProgramGenerator::item(unsigned depth) {
  switch (random_.below(20)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return register_arithmetic();
    case 4:
    case 5:
      return immediate_arithmetic();
    case 6:
    case 7:
    case 8:
    case 9:
      return compressed_arithmetic();
    case 10:
      return corner_value();
    case 11:
    case 12:
      return memory_access();
    case 13:
      return random_.one_in(2) ? computed_memory_access() : atomic();
    case 14:
    case 15:
      return compressed_memory_access();
    case 16:
    case 17:
      return depth < kMaxDepth ? forward_jump(depth) : register_arithmetic();
    case 18:
      return depth < kMaxDepth ? computed_jump(depth) : immediate_arithmetic();
    default:
      if (depth == 0 && random_.one_in(3)) return loop(depth);
      if (random_.one_in(8)) return emit32(random_.one_in(2) ? kFence : kFenceI);
      return register_arithmetic();
  }
}

unsigned ProgramGenerator::target_register() {
  unsigned r = 0;
  do {
    r = any_register();
  } while (reserved(r));
  return r;
}

void ProgramGenerator::register_arithmetic() {
  const Word funct3 = random_.below(8);
  Word funct7 = random_.one_in(2) ? 1 : 0;
  if ((funct3 == 0 || funct3 == 5) && random_.one_in(4)) funct7 = 0x20;
  emit32(enc_r(funct7, any_register(), any_register(), funct3, target_register()));
}

void ProgramGenerator::immediate_arithmetic() {
  const Word rd = target_register();
  if (random_.one_in(6)) {
    emit32(enc_u(random_.below(1 << 20), rd, random_.one_in(2) ? 0x37 : 0x17));
    return;
  }
  const Word funct3 = random_.below(8);
  std::int32_t imm = static_cast<std::int32_t>(random_.below(4096));
  if (funct3 == 1) imm &= 31;
  if (funct3 == 5) imm = (imm & 31) | (random_.one_in(2) ? 0x400 : 0);
  emit32(enc_i(imm, any_register(), funct3, rd));
}

// Sets registers to operand values at which errors of carries, signs and divisions appear.
void ProgramGenerator::corner_value() {
  static constexpr Word kCorners[] = {0,          1,          2,          0xFFFFFFFF, 0xFFFFFFFE,
                                      0x80000000, 0x80000001, 0x7FFFFFFF, 0x0000FFFF, 0xFFFF0000,
                                      0x00008000, 31,         32,         0x55555555};
  const Word value = kCorners[random_.below(sizeof kCorners / sizeof *kCorners)];
  const Word rd = target_register();
  const auto low = static_cast<std::int32_t>(value << 20) >> 20;
  emit32(lui(rd, (value - static_cast<Word>(low)) >> 12));
  emit32(addi(rd, rd, low));
}

// Generates a random 16-bit arithmetic instruction of quadrants 1 and 2, or c.addi4spn.
void ProgramGenerator::compressed_arithmetic() {
  for (;;) {
    const Word h = random_.below(0x10000);
    const Word quadrant = h & 3;
    const Word funct3 = field(h, 15, 13);
    const Word rd = field(h, 11, 7);
    const Word rd_prime = field(h, 9, 7) + 8;
    const Word low_prime = field(h, 4, 2) + 8;
    const bool bit12 = field(h, 12, 12) != 0;
    bool good = false;
    if (quadrant == 0 && funct3 == 0) {  // c.addi4spn
      good = field(h, 12, 5) != 0 && !reserved(low_prime);
    } else if (quadrant == 1 && (funct3 == 0 || funct3 == 2)) {  // encodings of c.addi, c.li, hints
      good = !reserved(rd);
    } else if (quadrant == 1 && funct3 == 3) {  // c.lui
      good = rd != 2 && !reserved(rd) && (bit12 || field(h, 6, 2) != 0);
    } else if (quadrant == 1 && funct3 == 4) {
      const Word kind = field(h, 11, 10);
      good = !reserved(rd_prime) && (kind == 2 || !bit12);
    } else if (quadrant == 2 && funct3 == 0) {  // encodings of c.slli and hints
      good = !reserved(rd) && !bit12;
    } else if (quadrant == 2 && funct3 == 4) {  // encodings of c.mv, c.add and hints
      good = !reserved(rd) && field(h, 6, 2) != 0;
    }
    if (good) {
      emit16(h);
      return;
    }
  }
}

void ProgramGenerator::memory_access() {
  static constexpr Word kLoads[] = {0, 1, 2, 4, 5};
  const bool store = random_.one_in(2);
  const Word funct3 = store ? random_.below(3) : kLoads[random_.below(5)];
  const auto align = random_.one_in(4) ? ~0 : ~((1 << (funct3 & 3)) - 1);
  const auto imm = (static_cast<std::int32_t>(random_.below(4096)) - 2048) & align;
  const Word base = random_.one_in(3) ? kStack : kData;
  emit32(store ? enc_s(imm, any_register(), base, funct3)
               : enc_i(imm, base, funct3, target_register(), 0x03));
}

// Generates code that sets a register to an address in the data area, with an offset within `mask`.
// Returns the register.
unsigned ProgramGenerator::pointer_into_data(std::int32_t mask) {
  unsigned pointer = 0;
  do {
    pointer = target_register();
  } while (pointer == 0);
  emit32(enc_i(mask, any_register(), 7, pointer));
  emit32(enc_r(0, kData, pointer, 0, pointer));
  return pointer;
}

void ProgramGenerator::computed_memory_access() {
  const bool store = random_.one_in(2);
  const Word size = random_.below(3);
  const unsigned pointer = pointer_into_data(0x7FF & ~((1 << size) - 1));
  emit32(store ? enc_s(0, any_register(), pointer, size)
               : enc_i(0, pointer, size, target_register(), 0x03));
}

// Generates an atomic operation on memory, or a load-reserved, some instructions and a
// store-conditional. The store may succeed, go to another word, or come without a reservation.
void ProgramGenerator::atomic() {
  static constexpr Word kOperations[] = {0x00, 0x01, 0x04, 0x08, 0x0C, 0x10, 0x14, 0x18, 0x1C};
  const auto order = [this] { return random_.below(4); };  // bits aq and rl
  const unsigned pointer = pointer_into_data(random_.one_in(2) ? 0x0C : 0x7FC);
  if (random_.one_in(2)) {
    const Word funct5 = kOperations[random_.below(9)];
    emit32(enc_r(funct5 << 2 | order(), any_register(), pointer, 2, target_register(), 0x2F));
    return;
  }
  unsigned loaded = 0;
  do {
    loaded = target_register();
  } while (loaded == pointer);
  if (!random_.one_in(8)) emit32(enc_r(0x02 << 2 | order(), 0, pointer, 2, loaded, 0x2F));
  if (random_.one_in(4)) emit32(enc_s(0, any_register(), pointer, random_.below(3)));
  if (random_.one_in(8)) emit32(addi(pointer, pointer, 4));
  const unsigned times = random_.one_in(4) ? 2 : 1;
  for (unsigned i = 0; i < times; ++i) {
    unsigned result = 0;
    do {
      result = target_register();
    } while (result == pointer);
    emit32(enc_r(0x03 << 2 | order(), any_register(), pointer, 2, result, 0x2F));
  }
}

void ProgramGenerator::compressed_memory_access() {
  const Word imm_bits = random_.below(64);
  const Word prime = random_.below(8);
  switch (random_.below(4)) {
    case 0: {  // encoding of c.lw whose base is x9
      if (reserved(prime + 8)) return;
      emit16(0x4000 | field(imm_bits, 5, 3) << 10 | (kShort - 8) << 7 | field(imm_bits, 1, 0) << 5 |
             prime << 2);
      return;
    }
    case 1:
      emit16(0xC000 | field(imm_bits, 5, 3) << 10 | (kShort - 8) << 7 | field(imm_bits, 1, 0) << 5 |
             prime << 2);
      return;
    case 2: {  // c.lwsp
      const Word rd = target_register();
      if (rd != 0) emit16(0x4002 | field(imm_bits, 5, 5) << 12 | rd << 7 | (imm_bits & 31) << 2);
      return;
    }
    default:
      emit16(0xC002 | imm_bits << 7 | any_register() << 2);
      return;  // c.swsp
  }
}

// Generates a jump or branch over a block. The skipped block is generated first, because the offset
// depends on its length.
void ProgramGenerator::forward_jump(unsigned depth) {
  const unsigned kind = random_.below(7);
  const bool compressed = kind >= 3;
  const std::size_t at = code_.size();
  if (compressed) {
    emit16(0);
  } else {
    emit32(0);
  }
  block(depth + 1, random_.below(kind == 1 ? 40 : 7));
  const auto distance = static_cast<std::int32_t>(code_.size() - at);
  static constexpr Word kConditions[] = {0, 1, 4, 5, 6, 7};
  Word instruction = kNop;
  switch (kind) {
    case 0:
      instruction = enc_j(distance, target_register());
      break;
    case 1:
    case 2:
      instruction = enc_b(distance, any_register(), random_.one_in(3) ? 0 : any_register(),
                          kConditions[random_.below(6)]);
      break;
    case 3:
      instruction = enc_cj(distance, true);
      break;
    case 4:
      instruction = enc_cj(distance, false);
      break;
    default:
      // The instruction c.beqz reaches 254 bytes. For a longer block a c.nop takes its place.
      instruction = distance < 256 ? enc_cb(distance, random_.below(8), kind == 5) : 0x0001;
  }
  code_[at] = static_cast<std::uint8_t>(instruction);
  code_[at + 1] = static_cast<std::uint8_t>(instruction >> 8);
  if (!compressed) patch32(at, instruction);
}

// Generates a jump to a computed address: auipc followed by jalr, c.jr or c.jalr.
void ProgramGenerator::computed_jump(unsigned depth) {
  unsigned pointer = 0;
  do {
    pointer = target_register();
  } while (pointer == 0);
  const unsigned kind = random_.below(3);
  const std::size_t start = code_.size();
  emit32(enc_u(0, pointer, 0x17));
  const std::size_t at = code_.size();
  emit32(kNop);
  if (kind == 1) emit16(0x8002 | pointer << 7);
  if (kind == 2) emit16(0x9002 | pointer << 7);
  block(depth + 1, random_.below(7));
  auto distance = static_cast<std::int32_t>(code_.size() - start);
  if (kind == 0) {
    distance += random_.one_in(2) ? 1 : 0;  // jalr clears bit 0
    patch32(at, jalr(target_register(), pointer, distance));
  } else {
    patch32(at, addi(pointer, pointer, distance));
  }
}

void ProgramGenerator::loop(unsigned depth) {
  emit32(addi(kCounter, 0, static_cast<std::int32_t>(1 + random_.below(20))));
  const std::size_t start = code_.size();
  block(depth + 1, 1 + random_.below(12));
  emit32(addi(kCounter, kCounter, -1));
  const auto back = static_cast<std::int32_t>(start) - static_cast<std::int32_t>(code_.size());
  emit32(enc_b(back, 0, kCounter, 1));
}

void ProgramGenerator::emit16(std::uint32_t h) {
  code_.push_back(static_cast<std::uint8_t>(h));
  code_.push_back(static_cast<std::uint8_t>(h >> 8));
}

void ProgramGenerator::emit32(std::uint32_t w) {
  emit16(w & 0xFFFF);
  emit16(w >> 16);
}

void ProgramGenerator::patch32(std::size_t at, std::uint32_t w) {
  for (unsigned i = 0; i < 4; ++i) code_[at + i] = static_cast<std::uint8_t>(w >> (8 * i));
}

}  // namespace dcc::riscv::test
