// Owns: the fuzzer: every instruction set of this processor against the bytewise decoder, on guarded memory.
// Must not know: Node, files (but the one that cases are written to).
//
//   fuzz BLOCKS [CASES]    BLOCKS for each of 3 seeds and 4 layouts; CASES = file for the TypeScript
//   reference
#include <cstdio>
#include <cstdlib>
#include <string>

#include "backends/cpu/chunk.h"
#include "fuzz/cases.h"
#include "fuzz/guarded.h"
#include "fuzz/planes.h"

namespace framelab::fuzz {

namespace {

constexpr unsigned kSeeds = 3;
constexpr unsigned kReasons = 20;
/** Cases of each seed and layout that the TypeScript reference decodes as well. */
constexpr std::size_t kSharedCases = 400;
constexpr std::size_t kCapacity = std::size_t{1} << 18;

[[noreturn]] void fail(const std::string& what) {
  std::printf("FAILED: %s\n", what.c_str());
  std::exit(1);
}

void require(bool right, const char* what, const Kernels& kernels, const std::string& where) {
  if (!right) fail(std::string(what) + ": " + kernels.name + ", " + where);
}

/** Memory in which one case runs. */
struct Memory {
  Guarded stream{kCapacity};
  Guarded scratch{kCapacity};
  Guarded out{kCapacity};
};

/** A block with its stream at the end of readable memory (a wide load faults), or in the middle of a
 * neighbour's; with or without the output whose pages are fetched ahead. Two bits of `poison` choose. */
void check_block(const Kernels& kernels, Memory& memory, const ByteVector& stream, const BlockLayout& layout,
                 Reason expected, const ByteVector& block, std::uint8_t poison, const std::string& where) {
  const std::size_t behind = (poison & 1) == 0 ? 0 : 64;
  const bool fetches_ahead = (poison & 2) != 0;
  std::uint8_t* const in = memory.stream.last(stream.size() + behind, static_cast<std::uint8_t>(~poison));
  std::copy(stream.begin(), stream.end(), in);
  std::uint8_t* const scratch = memory.scratch.last(layout.bytes() + kBlockSlack, poison);
  std::uint8_t* const out = memory.out.last(layout.bytes(), poison);
  const BlockStream view = {in, in + stream.size(), in + stream.size() + behind};
  const auto element_bytes = static_cast<unsigned>(layout.element_bytes);
  const Reason reason = kernels.decode_block(view, scratch, layout.bytes(), fetches_ahead ? out : nullptr);
  if (reason != expected) {
    fail("verdict " + std::to_string(static_cast<int>(reason)) + ", reference " +
         std::to_string(static_cast<int>(expected)) + ": " + kernels.name + ", " + where);
  }
  require(memory.scratch.intact(), "bytes before the block changed", kernels, where);
  require(std::equal(stream.begin(), stream.end(), in), "the stream changed", kernels, where);
  if (reason == Reason::ok) {
    require(std::equal(block.begin(), block.end(), scratch), "bytes differ", kernels, where);
    kernels.unshuffle(scratch, out, layout.elements, element_bytes);
    const ByteVector elements = reference_unshuffle(block, layout.element_bytes);
    require(std::equal(elements.begin(), elements.end(), out), "elements differ", kernels, where);
  } else {
    for (std::size_t i = 0; i < layout.bytes(); ++i) {
      require(out[i] == poison, "a refused block reached the output", kernels, where);
    }
  }
  require(memory.out.intact(), "bytes before the output changed", kernels, where);
  memory.stream.reset();
  memory.out.reset();
  memory.scratch.reset();
}

/** Puts blocks together again; each begins where the one before ended. */
class Joined : public BlockSink {
 public:
  void take(const std::uint8_t* elements, std::size_t offset, std::size_t bytes) override {
    in_order = in_order && offset == joined.size();
    joined.insert(joined.end(), elements, elements + bytes);
  }
  ByteVector joined;
  bool in_order = true;
};

/** The same chunk block by block: the same verdict and bytes. */
void check_blocks(const Kernels& kernels, const ChunkFormat& format, StoredChunk stored, Reason expected,
                  const ByteVector& chunk, const std::string& where) {
  AlignedBuffer scratch;
  AlignedBuffer elements;
  Joined all;
  const Verdict verdict = decode_blocks(kernels, format, stored, SIZE_MAX, all, scratch, elements);
  require(verdict.reason == expected, "verdict of blocks", kernels, where);
  require(all.in_order && (expected != Reason::ok || all.joined == chunk), "blocks differ", kernels, where);
  // What was taken before a refusal is taken again up to there, and no more: sums take it back so.
  Joined again;
  decode_blocks(kernels, format, stored, all.joined.size(), again, scratch, elements);
  const std::size_t tail =
      expected == Reason::ok ? format.chunk_bytes % (8 * format.filter_element_bytes) : 0;
  require(all.joined.size() - again.joined.size() <= tail, "blocks up to a limit", kernels, where);
  require(std::equal(again.joined.begin(), again.joined.end(), all.joined.begin()), "blocks again", kernels,
          where);
}

void check_chunk(const Kernels& kernels, Memory& memory, const ByteVector& stored, std::size_t bytes,
                 const BlockLayout& layout, Reason expected, const ByteVector& chunk,
                 const std::string& where) {
  std::uint8_t* const in = memory.stream.last(stored.size(), 0);
  std::copy(stored.begin(), stored.end(), in);
  std::uint8_t* const out = memory.out.last(bytes, 0x77);
  const auto element_bytes = static_cast<unsigned>(layout.element_bytes);
  const ChunkFormat format = {Layout::bitshuffle_lz4, bytes, element_bytes, 0, 0, 0};
  AlignedBuffer scratch;
  const std::uint8_t* const end = in + stored.size();
  const Verdict verdict = decode_chunk(kernels, format, 0, {in, stored.size(), end}, out, scratch);
  require(verdict.reason == expected, "verdict of a chunk", kernels, where);
  if (expected == Reason::ok)
    require(std::equal(chunk.begin(), chunk.end(), out), "chunk differs", kernels, where);
  require(memory.out.intact(), "bytes before the chunk changed", kernels, where);
  check_blocks(kernels, format, {in, stored.size(), end}, expected, chunk, where);
  memory.stream.reset();
  memory.out.reset();
}

/** A case for the TypeScript reference: block bytes, stream bytes, verdict, sum of the accepted block,
 * stream. */
void write_case(std::FILE* to, std::size_t size, const ByteVector& stream, Reason reason,
                const ByteVector& block) {
  std::uint32_t sum = 2166136261U;
  if (reason == Reason::ok) {
    for (const std::uint8_t byte : block) sum = (sum ^ byte) * 16777619U;
  }
  const std::uint32_t head[] = {static_cast<std::uint32_t>(size), static_cast<std::uint32_t>(stream.size()),
                                static_cast<std::uint32_t>(reason), sum};
  if (std::fwrite(head, sizeof head, 1, to) != 1 ||
      (!stream.empty() && std::fwrite(stream.data(), stream.size(), 1, to) != 1)) {
    fail("cases cannot be written");
  }
}

template <class Check>
void on_every_set(const Check& check) {
  for (const Kernels* const* k = kAllKernels; *k != nullptr; ++k) {
    if ((*k)->supported()) check(**k);
  }
}

void fuzz_layout(const BlockLayout& layout, unsigned seed, std::size_t blocks, Memory& memory,
                 std::FILE* cases, std::size_t (&counts)[kReasons]) {
  Random random(seed * 1000 + layout.bytes() + layout.element_bytes);
  const std::vector<ByteVector> intact = intact_streams(layout, random);
  ByteVector block;
  for (std::size_t i = 0; i < blocks; ++i) {
    const ByteVector stream = i < intact.size() ? intact[i] : damaged_stream(intact, layout.bytes(), random);
    const Reason expected = reference_block(stream, layout.bytes(), block);
    if (i < intact.size() && expected != Reason::ok) fail("the reference refuses an intact block");
    ++counts[static_cast<unsigned>(expected)];
    const std::string where =
        std::string(layout.name) + ", seed " + std::to_string(seed) + ", block " + std::to_string(i);
    const std::uint8_t poison = random.byte();
    on_every_set([&](const Kernels& kernels) {
      check_block(kernels, memory, stream, layout, expected, block, poison, where);
    });
    if (cases != nullptr && i < kSharedCases) write_case(cases, layout.bytes(), stream, expected, block);
  }
}

void fuzz_chunks(const BlockLayout& layout, unsigned seed, std::size_t chunks, Memory& memory,
                 std::size_t (&counts)[kReasons]) {
  Random random(seed * 77 + layout.bytes());
  ByteVector decoded;
  for (std::size_t i = 0; i < chunks; ++i) {
    std::size_t bytes = 0;
    const ByteVector intact = intact_chunk(layout, random, bytes);
    for (unsigned k = 0; k < 8; ++k) {
      const ByteVector stored = k == 0 ? intact : damaged_chunk(intact, random);
      const Reason expected = reference_chunk(stored, bytes, layout.element_bytes, decoded);
      if (k == 0 && expected != Reason::ok) fail("the reference refuses an intact chunk");
      ++counts[static_cast<unsigned>(expected)];
      const std::string where =
          std::string(layout.name) + ", seed " + std::to_string(seed) + ", chunk " + std::to_string(i);
      on_every_set([&](const Kernels& kernels) {
        check_chunk(kernels, memory, stored, bytes, layout, expected, decoded, where);
      });
    }
  }
}

void print_counts(const char* what, const BlockLayout& layout, const std::size_t (&counts)[kReasons],
                  unsigned first, unsigned last) {
  std::printf("%-7s%-10s accepted %6zu  refused", what, layout.name, counts[0]);
  for (unsigned r = first; r <= last; ++r) std::printf(" %u:%zu", r, counts[r]);
  std::printf("\n");
}

/** Every reason of this range must have occurred: a fuzzer that never meets a bound says nothing about it. */
void require_all(const BlockLayout& layout, const std::size_t (&counts)[kReasons], unsigned first,
                 unsigned last) {
  for (unsigned r = first; r <= last; ++r) {
    if (counts[r] == 0) fail("reason " + std::to_string(r) + " never occurred in " + layout.name);
  }
}

int run(std::size_t blocks, const char* cases_path) {
  std::FILE* const cases = cases_path == nullptr ? nullptr : std::fopen(cases_path, "wb");
  if (cases_path != nullptr && cases == nullptr) fail("cases cannot be written");
  std::printf("instruction sets:");
  on_every_set([](const Kernels& kernels) { std::printf(" %s", kernels.name); });
  std::printf("; reasons 1 to 9 are the bounds of a block, 10 to 15 a chunk's framing\n");
  std::size_t sweep = 0;
  on_every_set([&](const Kernels& kernels) {
    const std::string wrong = check_planes(kernels, sweep);
    if (!wrong.empty()) fail("elements differ: " + wrong);
  });
  std::printf("planes  %zu blocks of %zu to %zu elements\n", sweep, kFewestPlaneElements, kMostPlaneElements);
  Memory memory;
  for (const BlockLayout& layout : kLayouts) {
    std::size_t in_blocks[kReasons] = {};
    std::size_t in_chunks[kReasons] = {};
    for (unsigned seed = 1; seed <= kSeeds; ++seed) {
      fuzz_layout(layout, seed, blocks, memory, cases, in_blocks);
      fuzz_chunks(layout, seed, blocks / 100 + 10, memory, in_chunks);
    }
    print_counts("blocks", layout, in_blocks, 1, 9);
    require_all(layout, in_blocks, 0, 9);
    print_counts("chunks", layout, in_chunks, 10, 15);
    // Framing needs some hundred chunks to meet everything.
    if (blocks >= 10000) require_all(layout, in_chunks, 10, 15);
  }
  if (cases != nullptr && std::fclose(cases) != 0) fail("cases cannot be written");
  return 0;
}

}  // namespace

}  // namespace framelab::fuzz

int main(int argc, char** argv) {
  const long blocks = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 1000;
  if (blocks < 1) return 2;
  return framelab::fuzz::run(static_cast<std::size_t>(blocks), argc > 2 ? argv[2] : nullptr);
}
