// Owns: what host and kernels share (limits, block table, batch parameters) and the damage report.
// Must not know: how a block is decoded or unshuffled.
#include <metal_stdlib>
using namespace metal;

constant constexpr uint kLanes = 32u;

// Largest block of the fused kernels, in bytes, and the tile that holds one.
constant constexpr uint kFusedBlockBytes = 8192u;
constant constexpr uint kTileQuads = kFusedBlockBytes / 16u;

// No valid stream of an 8,192-byte block is this long (a host refuses more than 8,240 bytes); no valid stream of a
// scratch block is longer than twice its block. Both keep every length sum of a block far below 2^32.
constant constexpr uint kFusedStreamBytes = 16383u;
constant constexpr uint kScratchBlockBytes = 65536u;
constant constexpr uint kScratchStreamBytes = 131072u;

// Matches waiting in threadgroup memory. A window adds at most 11 to fewer than 32.
constant constexpr uint kQueueEntries = 64u;
constant constexpr uint kQueueRun = 32u;

// SIMD groups (and blocks) of one threadgroup of decode_scratch.
constant constexpr uint kScratchGroups = 8u;

// One LZ4 block, or one run of raw bytes, of a chunk. 32 bytes.
struct Block {
    ulong stream;         // byte offset of the stored bytes in `stored`
    ulong target;         // byte offset of the decoded bytes in `output`, a multiple of the element size
    uint stream_bytes;
    uint decoded_bytes;
    uint frame;           // frame of the batch that is damaged when this block is refused
    uint scratch_quads;   // where the block lies in `scratch`, in units of 16 bytes; 0 for the fused kernels
};

// One dispatch. 40 bytes.
struct BatchParams {
    ulong stored_bytes;    // bytes of `stored` that hold streams; at least 512 readable bytes follow them
    ulong output_bytes;
    ulong scratch_bytes;
    uint block_count;      // entries of the block table
    uint first_block;      // entry that the first threadgroup takes: a table may be dispatched in slices
    uint frame_count;      // the damage report has 2 + ceil(frame_count / 32) words
    uint step_limit;       // most turns of a parse loop: the longest stream of the table, in bytes
};

static inline bool range_fits(ulong at, uint bytes, ulong limit) {
    return at <= limit && ulong(bytes) <= limit - at;
}

// The table comes from the host's framing code. A wrong entry is refused like a damaged block, never followed.
static inline bool entry_fits(device const Block *entry, constant BatchParams &params) {
    return range_fits(entry->stream, entry->stream_bytes, params.stored_bytes) &&
           range_fits(entry->target, entry->decoded_bytes, params.output_bytes) &&
           entry->frame < params.frame_count;
}

// Failure path only. Word 0: lowest damaged frame (the host sets it to 0xffffffff), word 1: one past the highest (0),
// words 2 and up: a bit a frame (0).
static inline void report_damage(device atomic_uint *damage, uint frame, uint frame_count) {
    const uint at = min(frame, frame_count - 1u);
    atomic_fetch_min_explicit(&damage[0], at, memory_order_relaxed);
    atomic_fetch_max_explicit(&damage[1], at + 1u, memory_order_relaxed);
    atomic_fetch_or_explicit(&damage[2u + (at >> 5)], 1u << (at & 31u), memory_order_relaxed);
}
