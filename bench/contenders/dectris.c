// Owns: DECTRIS's compression library as a contender.
// Must not know: how it is compiled (decoders.mjs does).
#include "contender.h"
#include "src/compression.h"

static int decode(const void* self, const struct bench_chunk* chunk) {
  (void)self;
  return compression_decompress_buffer(COMPRESSION_BSLZ4, (char*)chunk->frame, chunk->frame_bytes,
                                       (const char*)chunk->stored, chunk->stored_bytes,
                                       chunk->element_bytes) != chunk->frame_bytes;
}

struct bench_decoder bench_find(const char* variant) {
  (void)variant;
  const struct bench_decoder decoder = {decode, NULL};
  return decoder;
}
