// Owns: the uniform parse of an LZ4 block: all lanes follow one sequence at a time, lengths cut to the room they have.
// Must not know: where the block lies in a chunk, bit planes, reports.

// Decodes `stream_bytes` bytes at byte `begin` of `words` into `room` bytes of the tile. True when the stream keeps all
// nine bounds of the format (numbers at the lines). There is no exit inside the loop: a refused sequence clears `valid`
// and is cut to the room that it has, so every write stays inside the block whatever the stream says.
// Needs step_limit >= stream_bytes, stream_bytes <= kScratchStreamBytes, and 8 readable bytes behind the stream.
template <mem_flags Fence, typename Tile>
static inline bool decode_uniform(device const uint *words, uint begin, uint stream_bytes, Tile tile, uint room,
                                  uint step_limit, uint lane) {
    device const uchar *stream = (device const uchar *)words;
    const uint end = begin + stream_bytes;
    uint at = begin;
    uint done = 0u;
    bool valid = true;
    for (uint step = 0u; step < step_limit && at < end; ++step) {
        const uint token = uint(stream[at]);
        at += 1u;
        uint literals = token >> 4;
        if (literals == 15u) {
            uint more = 255u;
            for (; more == 255u && at < end; ++at) {  // bound 1
                more = uint(stream[at]);
                literals += more;
            }
            valid = valid && more != 255u;  // bound 1
        }
        valid = valid && literals <= end - at;  // bound 2
        literals = min(literals, end - at);
        valid = valid && literals <= room - done;  // bound 3
        literals = min(literals, room - done);
        copy_literals(tile, done, words, at, literals, lane);
        at += literals;
        done += literals;
        if (at < end) {
            valid = valid && end - at >= 2u;  // bound 4
            const uint offset = uint(stream[at]) | (uint(stream[at + 1u]) << 8);
            at = min(at + 2u, end);
            uint length = token & 15u;
            if (length == 15u) {
                uint more = 255u;
                for (; more == 255u && at < end; ++at) {  // bound 7
                    more = uint(stream[at]);
                    length += more;
                }
                valid = valid && more != 255u;  // bound 7
            }
            length += 4u;
            const bool reaches = offset - 1u < done;  // bounds 5 and 6: 0 wraps to the largest value
            valid = valid && reaches;
            valid = valid && length <= room - done;  // bound 8
            length = reaches ? min(length, room - done) : 0u;
            simdgroup_barrier(Fence);
            copy_match<Fence>(tile, match_entry(tile, done, offset, length), lane);
            done += length;
        }
    }
    simdgroup_barrier(Fence);
    return valid && at == end && done == room;  // bound 9
}
