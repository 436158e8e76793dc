// Owns: unaligned loads and stores of fixed widths.
// Must not know: formats. Internal linkage: each instruction set's library compiles its own copy, so that the
// linker can never pick one built for a better processor.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#define FRAMELAB_INLINE inline __attribute__((always_inline))
#define FRAMELAB_LIKELY(x) __builtin_expect(!!(x), 1)
#define FRAMELAB_UNLIKELY(x) __builtin_expect(!!(x), 0)

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "FrameLab's native code is written for little-endian machines");

namespace framelab {
namespace {

FRAMELAB_INLINE std::uint16_t load_le16(const std::uint8_t* p) {
  std::uint16_t v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

FRAMELAB_INLINE std::uint64_t load64(const std::uint8_t* p) {
  std::uint64_t v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

FRAMELAB_INLINE void store64(std::uint8_t* p, std::uint64_t v) { std::memcpy(p, &v, sizeof v); }

FRAMELAB_INLINE std::uint32_t load_be32(const std::uint8_t* p) {
  std::uint32_t v;
  std::memcpy(&v, p, sizeof v);
  return __builtin_bswap32(v);
}

FRAMELAB_INLINE std::uint64_t load_be64(const std::uint8_t* p) { return __builtin_bswap64(load64(p)); }

}  // namespace
}  // namespace framelab
