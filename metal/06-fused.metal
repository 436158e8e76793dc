// Owns: the fused kernels: one SIMD group decodes one block in threadgroup memory and unshuffles it to the output.
// Must not know: chunks, files; blocks that are no whole rounds of 1,024 elements (07-scratch.metal).

// Can this kernel take the entry? At most 8,192 bytes, whole rounds of 1,024 elements, a target on an element.
static inline bool fused_fits(device const Block *entry, constant BatchParams &params, uint element_bytes) {
    const uint bytes = entry->decoded_bytes;
    return entry_fits(entry, params) && bytes != 0u && bytes <= kFusedBlockBytes &&
           (bytes & (1024u * element_bytes - 1u)) == 0u && (uint(entry->target) & (element_bytes - 1u)) == 0u &&
           entry->stream_bytes <= kFusedStreamBytes;
}

// The 128-byte line of `stored` in which the stream begins, and where in it.
static inline device const uint *stream_line(device const uchar *stored, ulong stream) {
    return (device const uint *)(stored + (stream & ~ulong(127u)));
}

static inline bool fused_uniform(device const uchar *stored, device const Block *entry, constant BatchParams &params,
                                 uint element_bytes, TileInThreadgroup tile, uint lane) {
    if (!fused_fits(entry, params, element_bytes)) return false;
    device const uint *words = stream_line(stored, entry->stream);
    return decode_uniform<mem_flags::mem_threadgroup>(words, uint(entry->stream) & 127u, entry->stream_bytes, tile,
                                                      entry->decoded_bytes, params.step_limit, lane);
}

static inline bool fused_windowed(device const uchar *stored, device const Block *entry, constant BatchParams &params,
                                  uint element_bytes, TileInThreadgroup tile, threadgroup uint4 *queue, uint lane) {
    if (!fused_fits(entry, params, element_bytes)) return false;
    device const uint *words = stream_line(stored, entry->stream);
    return decode_windowed(words, uint(entry->stream) & 127u, entry->stream_bytes, tile, queue, entry->decoded_bytes,
                           params.step_limit, lane);
}

// A whole block has constant plane strides: its unshuffle is compiled apart.
static inline void store_u8(TileInThreadgroup tile, device const Block *entry, device uchar *output, uint lane) {
    threadgroup const uint *planes = tile.words;
    device uchar *to = output + entry->target;
    const bool quads = (uint(entry->target) & 15u) == 0u;
    const uint bytes = entry->decoded_bytes;
    if (bytes == kFusedBlockBytes) {
        unshuffle_u8(planes, kFusedBlockBytes, to, quads, lane);
    } else {
        unshuffle_u8(planes, bytes, to, quads, lane);
    }
}

static inline void store_u16(TileInThreadgroup tile, device const Block *entry, device uchar *output, uint lane) {
    threadgroup const uint *planes = tile.words;
    device uchar *to = output + entry->target;
    const bool quads = (uint(entry->target) & 15u) == 0u;
    const uint bytes = entry->decoded_bytes;
    if (bytes == kFusedBlockBytes) {
        unshuffle_u16(planes, kFusedBlockBytes, to, quads, lane);
    } else {
        unshuffle_u16(planes, bytes, to, quads, lane);
    }
}

static inline void store_u32(TileInThreadgroup tile, device const Block *entry, device uchar *output, uint lane) {
    threadgroup const uint *planes = tile.words;
    device uchar *to = output + entry->target;
    const bool quads = (uint(entry->target) & 15u) == 0u;
    const uint bytes = entry->decoded_bytes;
    if (bytes == kFusedBlockBytes) {
        unshuffle_u32(planes, kFusedBlockBytes, to, quads, lane);
    } else {
        unshuffle_u32(planes, bytes, to, quads, lane);
    }
}

[[max_total_threads_per_threadgroup(32)]]
kernel void fused_uniform_u8(device const uchar *stored [[buffer(0)]], device const Block *blocks [[buffer(1)]],
                        device uchar *output [[buffer(2)]], device atomic_uint *damage [[buffer(3)]],
                        constant BatchParams &params [[buffer(4)]], uint group [[threadgroup_position_in_grid]],
                        uint lane [[thread_index_in_simdgroup]]) {
    threadgroup uint4 quads[kTileQuads];
    threadgroup uint ratios[kLanes];
    const uint block = params.first_block + group;
    if (block >= params.block_count) return;
    device const Block *entry = blocks + block;
    fill_ratios(ratios, lane);
    const TileInThreadgroup tile = tile_in_threadgroup(quads, ratios);
    if (!fused_uniform(stored, entry, params, 1u, tile, lane)) {
        if (lane == 0u) report_damage(damage, entry->frame, params.frame_count);
        return;
    }
    store_u8(tile, entry, output, lane);
}

[[max_total_threads_per_threadgroup(32)]]
kernel void fused_uniform_u16(device const uchar *stored [[buffer(0)]], device const Block *blocks [[buffer(1)]],
                        device uchar *output [[buffer(2)]], device atomic_uint *damage [[buffer(3)]],
                        constant BatchParams &params [[buffer(4)]], uint group [[threadgroup_position_in_grid]],
                        uint lane [[thread_index_in_simdgroup]]) {
    threadgroup uint4 quads[kTileQuads];
    threadgroup uint ratios[kLanes];
    const uint block = params.first_block + group;
    if (block >= params.block_count) return;
    device const Block *entry = blocks + block;
    fill_ratios(ratios, lane);
    const TileInThreadgroup tile = tile_in_threadgroup(quads, ratios);
    if (!fused_uniform(stored, entry, params, 2u, tile, lane)) {
        if (lane == 0u) report_damage(damage, entry->frame, params.frame_count);
        return;
    }
    store_u16(tile, entry, output, lane);
}

[[max_total_threads_per_threadgroup(32)]]
kernel void fused_uniform_u32(device const uchar *stored [[buffer(0)]], device const Block *blocks [[buffer(1)]],
                        device uchar *output [[buffer(2)]], device atomic_uint *damage [[buffer(3)]],
                        constant BatchParams &params [[buffer(4)]], uint group [[threadgroup_position_in_grid]],
                        uint lane [[thread_index_in_simdgroup]]) {
    threadgroup uint4 quads[kTileQuads];
    threadgroup uint ratios[kLanes];
    const uint block = params.first_block + group;
    if (block >= params.block_count) return;
    device const Block *entry = blocks + block;
    fill_ratios(ratios, lane);
    const TileInThreadgroup tile = tile_in_threadgroup(quads, ratios);
    if (!fused_uniform(stored, entry, params, 4u, tile, lane)) {
        if (lane == 0u) report_damage(damage, entry->frame, params.frame_count);
        return;
    }
    store_u32(tile, entry, output, lane);
}

[[max_total_threads_per_threadgroup(32)]]
kernel void fused_windowed_u8(device const uchar *stored [[buffer(0)]], device const Block *blocks [[buffer(1)]],
                        device uchar *output [[buffer(2)]], device atomic_uint *damage [[buffer(3)]],
                        constant BatchParams &params [[buffer(4)]], uint group [[threadgroup_position_in_grid]],
                        uint lane [[thread_index_in_simdgroup]]) {
    threadgroup uint4 quads[kTileQuads];
    threadgroup uint ratios[kLanes];
    threadgroup uint4 queue[kQueueEntries];
    const uint block = params.first_block + group;
    if (block >= params.block_count) return;
    device const Block *entry = blocks + block;
    fill_ratios(ratios, lane);
    const TileInThreadgroup tile = tile_in_threadgroup(quads, ratios);
    if (!fused_windowed(stored, entry, params, 1u, tile, queue, lane)) {
        if (lane == 0u) report_damage(damage, entry->frame, params.frame_count);
        return;
    }
    store_u8(tile, entry, output, lane);
}

[[max_total_threads_per_threadgroup(32)]]
kernel void fused_windowed_u16(device const uchar *stored [[buffer(0)]], device const Block *blocks [[buffer(1)]],
                        device uchar *output [[buffer(2)]], device atomic_uint *damage [[buffer(3)]],
                        constant BatchParams &params [[buffer(4)]], uint group [[threadgroup_position_in_grid]],
                        uint lane [[thread_index_in_simdgroup]]) {
    threadgroup uint4 quads[kTileQuads];
    threadgroup uint ratios[kLanes];
    threadgroup uint4 queue[kQueueEntries];
    const uint block = params.first_block + group;
    if (block >= params.block_count) return;
    device const Block *entry = blocks + block;
    fill_ratios(ratios, lane);
    const TileInThreadgroup tile = tile_in_threadgroup(quads, ratios);
    if (!fused_windowed(stored, entry, params, 2u, tile, queue, lane)) {
        if (lane == 0u) report_damage(damage, entry->frame, params.frame_count);
        return;
    }
    store_u16(tile, entry, output, lane);
}

[[max_total_threads_per_threadgroup(32)]]
kernel void fused_windowed_u32(device const uchar *stored [[buffer(0)]], device const Block *blocks [[buffer(1)]],
                        device uchar *output [[buffer(2)]], device atomic_uint *damage [[buffer(3)]],
                        constant BatchParams &params [[buffer(4)]], uint group [[threadgroup_position_in_grid]],
                        uint lane [[thread_index_in_simdgroup]]) {
    threadgroup uint4 quads[kTileQuads];
    threadgroup uint ratios[kLanes];
    threadgroup uint4 queue[kQueueEntries];
    const uint block = params.first_block + group;
    if (block >= params.block_count) return;
    device const Block *entry = blocks + block;
    fill_ratios(ratios, lane);
    const TileInThreadgroup tile = tile_in_threadgroup(quads, ratios);
    if (!fused_windowed(stored, entry, params, 4u, tile, queue, lane)) {
        if (lane == 0u) report_damage(damage, entry->frame, params.frame_count);
        return;
    }
    store_u32(tile, entry, output, lane);
}
