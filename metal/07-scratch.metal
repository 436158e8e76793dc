// Owns: the scratch path, for blocks that the fused kernels do not take: decode to device memory, then unshuffle.
// Must not know: chunks, files, the windowed parse.

static inline bool scratch_fits(device const Block *entry, constant BatchParams &params) {
    const ulong at = ulong(entry->scratch_quads) * 16u;
    return entry_fits(entry, params) && range_fits(at, entry->decoded_bytes, params.scratch_bytes);
}

static inline bool scratch_block(device const uchar *stored, device const Block *entry, device uchar *scratch,
                                 constant BatchParams &params, threadgroup const uint *ratios, uint lane) {
    if (!scratch_fits(entry, params) || entry->decoded_bytes > kScratchBlockBytes ||
        entry->stream_bytes > kScratchStreamBytes) {
        return false;
    }
    device const uint *words = stream_line(stored, entry->stream);
    device uint4 *quads = (device uint4 *)scratch + entry->scratch_quads;
    return decode_uniform<mem_flags::mem_device>(words, uint(entry->stream) & 127u, entry->stream_bytes,
                                                 tile_in_device(quads, ratios), entry->decoded_bytes,
                                                 params.step_limit, lane);
}

// Decodes 8 blocks a threadgroup, one a SIMD group, of at most kScratchBlockBytes bytes, to `scratch`. `accepted` gets a
// word a block: 1, or 0 for a refused one, which the unshuffle kernels then leave alone.
[[max_total_threads_per_threadgroup(256)]]
kernel void decode_scratch(device const uchar *stored [[buffer(0)]], device const Block *blocks [[buffer(1)]],
                           device uchar *scratch [[buffer(2)]], device atomic_uint *damage [[buffer(3)]],
                           constant BatchParams &params [[buffer(4)]], device uint *accepted [[buffer(5)]],
                           uint group [[threadgroup_position_in_grid]],
                           uint simdgroup [[simdgroup_index_in_threadgroup]],
                           uint lane [[thread_index_in_simdgroup]]) {
    threadgroup uint ratios[kScratchGroups * kLanes];
    const uint block = params.first_block + group * kScratchGroups + simdgroup;
    if (block >= params.block_count) return;  // a whole SIMD group; no barrier here spans more than one
    device const Block *entry = blocks + block;
    threadgroup uint *own_ratios = ratios + simdgroup * kLanes;
    fill_ratios(own_ratios, lane);
    const bool valid = scratch_block(stored, entry, scratch, params, own_ratios, lane);
    if (lane == 0u) {
        accepted[block] = valid ? 1u : 0u;
        if (!valid) report_damage(damage, entry->frame, params.frame_count);
    }
}

// Accepted blocks of whole rounds of 1,024 elements, one a SIMD group.
[[max_total_threads_per_threadgroup(32)]]
kernel void unshuffle_whole_u8(device const uchar *scratch [[buffer(0)]], device const Block *blocks [[buffer(1)]],
                         device uchar *output [[buffer(2)]], device const uint *accepted [[buffer(3)]],
                         constant BatchParams &params [[buffer(4)]], uint group [[threadgroup_position_in_grid]],
                         uint lane [[thread_index_in_simdgroup]]) {
    const uint block = params.first_block + group;
    if (block >= params.block_count) return;
    device const Block *entry = blocks + block;
    if (accepted[block] != 1u || !scratch_fits(entry, params) || (entry->decoded_bytes & 1023u) != 0u) return;
    device const uint *planes = (device const uint *)(scratch + ulong(entry->scratch_quads) * 16u);
    unshuffle_u8(planes, entry->decoded_bytes, output + entry->target, (uint(entry->target) & 15u) == 0u, lane);
}

// Accepted blocks of whole rounds of 1,024 elements, one a SIMD group.
[[max_total_threads_per_threadgroup(32)]]
kernel void unshuffle_whole_u16(device const uchar *scratch [[buffer(0)]], device const Block *blocks [[buffer(1)]],
                         device uchar *output [[buffer(2)]], device const uint *accepted [[buffer(3)]],
                         constant BatchParams &params [[buffer(4)]], uint group [[threadgroup_position_in_grid]],
                         uint lane [[thread_index_in_simdgroup]]) {
    const uint block = params.first_block + group;
    if (block >= params.block_count) return;
    device const Block *entry = blocks + block;
    if (accepted[block] != 1u || !scratch_fits(entry, params) || (entry->decoded_bytes & 2047u) != 0u) return;
    device const uint *planes = (device const uint *)(scratch + ulong(entry->scratch_quads) * 16u);
    unshuffle_u16(planes, entry->decoded_bytes, output + entry->target, (uint(entry->target) & 15u) == 0u, lane);
}

// Accepted blocks of whole rounds of 1,024 elements, one a SIMD group.
[[max_total_threads_per_threadgroup(32)]]
kernel void unshuffle_whole_u32(device const uchar *scratch [[buffer(0)]], device const Block *blocks [[buffer(1)]],
                         device uchar *output [[buffer(2)]], device const uint *accepted [[buffer(3)]],
                         constant BatchParams &params [[buffer(4)]], uint group [[threadgroup_position_in_grid]],
                         uint lane [[thread_index_in_simdgroup]]) {
    const uint block = params.first_block + group;
    if (block >= params.block_count) return;
    device const Block *entry = blocks + block;
    if (accepted[block] != 1u || !scratch_fits(entry, params) || (entry->decoded_bytes & 4095u) != 0u) return;
    device const uint *planes = (device const uint *)(scratch + ulong(entry->scratch_quads) * 16u);
    unshuffle_u32(planes, entry->decoded_bytes, output + entry->target, (uint(entry->target) & 15u) == 0u, lane);
}

// Accepted blocks of any multiple of 8 elements, one a threadgroup, 8 elements a thread and turn.
[[max_total_threads_per_threadgroup(256)]]
kernel void unshuffle_short_u8(device const uchar *scratch [[buffer(0)]], device const Block *blocks [[buffer(1)]],
                         device uchar *output [[buffer(2)]], device const uint *accepted [[buffer(3)]],
                         constant BatchParams &params [[buffer(4)]], uint group [[threadgroup_position_in_grid]],
                         uint thread_index [[thread_index_in_threadgroup]],
                         uint threads [[threads_per_threadgroup]]) {
    const uint block = params.first_block + group;
    if (block >= params.block_count) return;
    device const Block *entry = blocks + block;
    if (accepted[block] != 1u || !scratch_fits(entry, params) || (entry->decoded_bytes & 7u) != 0u) return;
    device const uchar *planes = scratch + ulong(entry->scratch_quads) * 16u;
    device uchar *to = (device uchar *)(output + entry->target);
    const uint stride = entry->decoded_bytes / 8u;
    for (uint i = thread_index; i < stride; i += threads) unshuffle_eight<uchar>(planes, stride, i, to);
}

// Accepted blocks of any multiple of 8 elements, one a threadgroup, 8 elements a thread and turn.
[[max_total_threads_per_threadgroup(256)]]
kernel void unshuffle_short_u16(device const uchar *scratch [[buffer(0)]], device const Block *blocks [[buffer(1)]],
                         device uchar *output [[buffer(2)]], device const uint *accepted [[buffer(3)]],
                         constant BatchParams &params [[buffer(4)]], uint group [[threadgroup_position_in_grid]],
                         uint thread_index [[thread_index_in_threadgroup]],
                         uint threads [[threads_per_threadgroup]]) {
    const uint block = params.first_block + group;
    if (block >= params.block_count) return;
    device const Block *entry = blocks + block;
    if (accepted[block] != 1u || !scratch_fits(entry, params) || (entry->decoded_bytes & 15u) != 0u) return;
    device const uchar *planes = scratch + ulong(entry->scratch_quads) * 16u;
    device ushort *to = (device ushort *)(output + entry->target);
    const uint stride = entry->decoded_bytes / 16u;
    for (uint i = thread_index; i < stride; i += threads) unshuffle_eight<ushort>(planes, stride, i, to);
}

// Accepted blocks of any multiple of 8 elements, one a threadgroup, 8 elements a thread and turn.
[[max_total_threads_per_threadgroup(256)]]
kernel void unshuffle_short_u32(device const uchar *scratch [[buffer(0)]], device const Block *blocks [[buffer(1)]],
                         device uchar *output [[buffer(2)]], device const uint *accepted [[buffer(3)]],
                         constant BatchParams &params [[buffer(4)]], uint group [[threadgroup_position_in_grid]],
                         uint thread_index [[thread_index_in_threadgroup]],
                         uint threads [[threads_per_threadgroup]]) {
    const uint block = params.first_block + group;
    if (block >= params.block_count) return;
    device const Block *entry = blocks + block;
    if (accepted[block] != 1u || !scratch_fits(entry, params) || (entry->decoded_bytes & 31u) != 0u) return;
    device const uchar *planes = scratch + ulong(entry->scratch_quads) * 16u;
    device uint *to = (device uint *)(output + entry->target);
    const uint stride = entry->decoded_bytes / 32u;
    for (uint i = thread_index; i < stride; i += threads) unshuffle_eight<uint>(planes, stride, i, to);
}

// Raw bytes as they are: the last elements of a chunk, fewer than 8, or a chunk that no filter touched. One entry a SIMD
// group; `stream_bytes` and `decoded_bytes` are equal.
[[max_total_threads_per_threadgroup(32)]]
kernel void copy_raw(device const uchar *stored [[buffer(0)]], device const Block *blocks [[buffer(1)]],
                     device uchar *output [[buffer(2)]], device atomic_uint *damage [[buffer(3)]],
                     constant BatchParams &params [[buffer(4)]], uint group [[threadgroup_position_in_grid]],
                     uint lane [[thread_index_in_simdgroup]]) {
    const uint block = params.first_block + group;
    if (block >= params.block_count) return;
    device const Block *entry = blocks + block;
    if (!entry_fits(entry, params) || entry->stream_bytes != entry->decoded_bytes) {
        if (lane == 0u) report_damage(damage, entry->frame, params.frame_count);
        return;
    }
    device const uchar *from = stored + entry->stream;
    device uchar *to = output + entry->target;
    for (uint i = lane; i < entry->decoded_bytes; i += kLanes) to[i] = from[i];
}
