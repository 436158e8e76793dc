// Owns: FrameLab's cpu decoder as a contender, each instruction set by its name.
// Must not know: how its objects were compiled: it is linked with the addon's own.
#include "backends/cpu/chunk.h"
#include "contender.h"

namespace {

using namespace framelab;

int decode(const void* self, const bench_chunk* chunk) {
  static thread_local AlignedBuffer scratch;
  const ChunkFormat format{Layout::bitshuffle_lz4, chunk->frame_bytes, chunk->element_bytes, 0, 0, 0};
  const StoredChunk stored{chunk->stored, chunk->stored_bytes, chunk->stored + chunk->readable_bytes};
  const Kernels& kernels = *static_cast<const Kernels*>(self);
  return decode_chunk(kernels, format, 0, stored, chunk->frame, scratch) .reason == Reason::ok ? 0 : 1;
}

}  // namespace

bench_decoder bench_find(const char* variant) {
  const Kernels* const kernels = find_kernels(variant);
  return {kernels != nullptr ? decode : nullptr, kernels};
}
