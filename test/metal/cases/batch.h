// Owns: a batch of blocks for the kernels: stored bytes with strangers between the streams, tables, expected bytes.
// Must not know: what a test wants to see.
#pragma once
#include <random>
#include <string>

#include "machine.h"
#include "reference.h"

namespace cases {

enum class Path { uniform, windowed, scratch };
constexpr Path kPaths[] = {Path::uniform, Path::windowed, Path::scratch};
const char *path_name(Path path);

// A byte that no test writes on purpose: output is filled with it first.
constexpr uint8_t kPoison = 0xA5;

struct Batch {
    explicit Batch(size_t element_bytes, uint32_t seed) : element_bytes(element_bytes), random(seed) {}

    size_t element_bytes;
    std::mt19937 random;
    Bytes stored;
    std::vector<Block> blocks;     // LZ4 blocks, in output order
    std::vector<Block> raw;        // raw runs
    std::vector<Bound> verdicts;   // the reference's, a block
    Bytes expected;                // output as it must be: poison where nothing may be written
    uint32_t frames = 0;

    // Appends a block of frame `frames - 1` that decodes to the next `decoded` bytes of output. `neighbour` bytes
    // behind the stream are random.
    void add_block(const Bytes &stream, size_t decoded);
    void add_raw(const uint8_t *bytes, size_t count);
    // Leaves `bytes` of output that belong to no block.
    void skip_output(size_t bytes);
    // Appends a frame: blocks of `block_bytes`, a short block, and the last elements raw.
    void add_frame(const Bytes &elements, size_t block_bytes);
    void begin_frame() { ++frames; }
};

struct Outcome {
    Bytes output;                  // from the first byte of the output buffer on
    size_t shift = 0;              // where the batch's first byte lies in it
    std::vector<uint32_t> damage;  // the report's words
    bool frame_damaged(uint32_t frame) const { return damage[2 + frame / 32] >> (frame % 32) & 1; }
};

// Decodes a batch on a machine: every block that the path's fused kernel takes there, others on the scratch path.
class Decoder {
public:
    explicit Decoder(Machine &machine) : machine_(machine) {}
    // Scratch memory is kept from run to run and not cleared.
    ~Decoder();
    Outcome decode(const Batch &batch, Path path);
    // Where the batch's first byte goes in the output buffer.
    size_t output_shift = 0;
    // The byte that fills the padding behind the stored bytes; -1: all kinds.
    int padding = -1;

private:
    void run_table(const std::string &kernel, std::vector<Block> table, std::vector<void *> buffers, BatchParams params,
                   uint32_t blocks_per_group);
    void run_scratch(const Batch &batch, const std::vector<Block> &table, bool whole, void *stored, void *output,
                     void *damage, BatchParams params);
    Machine &machine_;
    void *scratch_ = nullptr;
    size_t scratch_bytes_ = 0;
};

// True for blocks that the fused kernels take.
bool fused_takes(const Block &block, size_t element_bytes);

// First difference between an outcome and what the batch expects, in words; empty when there is none.
std::string difference(const Batch &batch, const Outcome &outcome);

}  // namespace cases
