// Owns: what the decode bench asks of a contender: a shared object with these functions.
// Must not know: any contender, data set or clock.
#pragma once
#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define BENCH_EXPORT __attribute__((visibility("default")))

/** One chunk of filter 32008 and the frame it decodes to. */
struct bench_chunk {
  const uint8_t* stored;
  size_t stored_bytes;
  /** Bytes from `stored` on that may be read: at least stored_bytes. */
  size_t readable_bytes;
  uint8_t* frame;
  size_t frame_bytes;
  unsigned element_bytes;
};

/** Bytes of u64 decoded size and u32 block size before the first block. */
#define BENCH_CHUNK_HEADER 12

/** A decoder: `decode(self, chunk)` gives 0 when the frame is whole. Called by several threads at once. */
struct bench_decoder {
  int (*decode)(const void* self, const struct bench_chunk* chunk);
  const void* self;
};

/** The decoder called `variant` (`-` where there is one only); its `decode` is null when this machine has
 * none. */
BENCH_EXPORT struct bench_decoder bench_find(const char* variant);

static inline uint32_t bench_big_endian(const uint8_t* p) {
  return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/** Bytes of a block of this chunk, as its header says. */
static inline size_t bench_block_bytes(const struct bench_chunk* chunk) {
  return bench_big_endian(chunk->stored + 8);
}

/** Optional: encodes a frame as one chunk of blocks of `block_elements` (0: the library's default); gives its
 * bytes, 0 on failure. `stored` has room for the worst case. */
BENCH_EXPORT size_t bench_encode(const uint8_t* frame, size_t frame_bytes, unsigned element_bytes,
                                 size_t block_elements, uint8_t* stored);
BENCH_EXPORT size_t bench_encode_bound(size_t frame_bytes, unsigned element_bytes, size_t block_elements);

#if defined(__cplusplus)
}
#endif
