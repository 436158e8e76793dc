// Owns: the windowed parse of an LZ4 block: 32 stream bytes at once, each lane a candidate token.
// Must not know: where the block lies in a chunk, bit planes, reports.

static inline uint lanes_where(bool condition) {
    return uint(simd_vote::vote_t(simd_ballot(condition)));
}

// Where the parse stands; the same in every lane.
struct Progress {
    uint at;      // next stream byte
    uint done;    // bytes of the block decoded, matches in the queue included
    uint queued;  // matches in the queue
};

// A window of 32 bytes: lane l looks at the sequence that would begin at byte l.
struct Candidate {
    uint bytes;     // 4 stream bytes from this lane's on
    uint literals;
    uint length;
    uint offset;
    uint next;      // where the next token would be, counted from the window's first byte; 64: does not fit
};

// A candidate fits when it has fewer than 15 literals, all before byte 31, at most one length byte, and ends inside the
// stream: bounds 1, 2, 4 and 7 hold for it. What does not fit goes one sequence at a time.
static inline Candidate read_candidate(uint bytes, uint left, uint lane) {
    Candidate c;
    c.bytes = bytes;
    c.literals = (bytes >> 4) & 15u;
    const uint tail_lane = lane + 1u + c.literals;
    const uint tail = simd_shuffle(bytes, ushort(tail_lane & 31u));
    const uint more = (tail >> 16) & 255u;
    const bool extended = (bytes & 15u) == 15u;
    c.offset = tail & 0xffffu;
    c.length = (bytes & 15u) + 4u + (extended ? more : 0u);
    const uint next = tail_lane + (extended ? 3u : 2u);
    const bool fits = c.literals < 15u && tail_lane < kLanes && !(extended && more == 255u) && next <= left;
    c.next = fits ? next : 64u;
    return c;
}

// Takes all real sequences of a window (`starts`: the lanes that are tokens, `width`: bytes they span). One vote holds
// bounds 3, 5, 6 and 8 of them all. Literals go to the tile, matches to the queue.
static inline bool take_window(Candidate c, uint starts, uint width, TileInThreadgroup tile, threadgroup uint4 *queue,
                               uint room, thread Progress *progress, uint lane) {
    const bool leads = ((starts >> lane) & 1u) != 0u;
    const uint total = leads ? c.literals + c.length : 0u;
    const uint sum = simd_prefix_inclusive_sum(total);
    const uint to = progress->done + sum - total;
    const uint match_to = to + c.literals;
    const uint all = simd_broadcast(sum, ushort(31));
    if (simd_any((leads && c.offset - 1u >= match_to) || all > room - progress->done)) return false;  // bounds 3, 5, 6, 8
    const uint below = starts & ((1u << lane) - 1u);
    if (leads) queue[progress->queued + popcount(below)] = match_entry(tile, match_to, c.offset, c.length);
    const uint owner = below == 0u ? 0u : 31u - clz(below);
    const uint run = simd_shuffle((to << 4) | c.literals, ushort(owner));
    const uint rank = lane - owner - 1u;
    if (below != 0u && rank < (run & 15u)) tile.bytes[(run >> 4) + rank] = uchar(c.bytes & 255u);
    progress->at += width;
    progress->done += all;
    progress->queued += popcount(starts);
    return true;
}

// One sequence of any shape. Its literals go to the tile at once, its match to the queue.
static inline bool take_sequence(device const uint *words, uint end, uint token, TileInThreadgroup tile,
                                 threadgroup uint4 *queue, uint room, thread Progress *progress, uint lane) {
    device const uchar *stream = (device const uchar *)words;
    uint at = progress->at + 1u;
    uint literals = token >> 4;
    if (literals == 15u) {
        uint more = uint(stream[at + lane]);
        uint stops = lanes_where(more != 255u);
        for (; stops == 0u && at < end; at += kLanes) {  // a run of 0xff, 32 bytes a vote
            literals += 255u * kLanes;
            more = uint(stream[at + kLanes + lane]);
            stops = lanes_where(more != 255u);
        }
        if (stops == 0u) return false;  // bound 1
        const uint stop = ctz(stops);
        literals += 255u * stop + simd_broadcast(more, ushort(stop));
        at += stop + 1u;
        if (at > end) return false;  // bound 1
    }
    if (literals > end - at || literals > room - progress->done) return false;  // bounds 2 and 3
    copy_literals(tile, progress->done, words, at, literals, lane);
    at += literals;
    progress->done += literals;
    progress->at = at;
    if (at >= end) return true;
    if (end - at < 2u) return false;  // bound 4
    uint ahead = bytes_at(words, at + lane);
    const uint offset = simd_broadcast(ahead, ushort(0)) & 0xffffu;
    at += 2u;
    uint length = token & 15u;
    if (length == 15u) {
        uint stops = lanes_where(((ahead >> 16) & 255u) != 255u);
        for (; stops == 0u && at < end; at += kLanes) {  // a run of 0xff, 32 bytes a vote
            length += 255u * kLanes;
            ahead = bytes_at(words, at + kLanes - 2u + lane);
            stops = lanes_where(((ahead >> 16) & 255u) != 255u);
        }
        if (stops == 0u) return false;  // bound 7
        const uint stop = ctz(stops);
        length += 255u * stop + ((simd_broadcast(ahead, ushort(stop)) >> 16) & 255u);
        at += stop + 1u;
        if (at > end) return false;  // bound 7
    }
    length += 4u;
    if (offset - 1u >= progress->done || length > room - progress->done) return false;  // bounds 5, 6 and 8
    if (lane == 0u) queue[progress->queued] = match_entry(tile, progress->done, offset, length);
    progress->at = at;
    progress->done += length;
    progress->queued += 1u;
    return true;
}

// Executes the first 32 matches of the queue and moves the rest to its front; all of them when the stream has ended.
static inline void drain_queue(TileInThreadgroup tile, threadgroup uint4 *queue, thread Progress *progress, bool ended,
                               uint lane) {
    if (ended && lane < 4u) queue[progress->queued + lane] = uint4(0u, 0u, 0u, 0u);
    simdgroup_barrier(mem_flags::mem_threadgroup);
    run_queue(tile, queue, ended ? progress->queued : kQueueRun, lane);
    if (ended) return;
    progress->queued -= kQueueRun;
    const uint4 moved = queue[kQueueRun + lane];
    simdgroup_barrier(mem_flags::mem_threadgroup);
    if (lane < progress->queued) queue[lane] = moved;
}

// Decodes `stream_bytes` bytes at byte `begin` (below 128) of `words` into `room` bytes of the tile. True when the stream
// keeps all nine bounds. Leaves at a vote that all lanes share. Needs step_limit >= stream_bytes, stream_bytes <=
// kFusedStreamBytes, and 320 readable bytes behind the stream: two lines of 128 bytes are held in registers.
static inline bool decode_windowed(device const uint *words, uint begin, uint stream_bytes, TileInThreadgroup tile,
                                   threadgroup uint4 *queue, uint room, uint step_limit, uint lane) {
    const uint end = begin + stream_bytes;
    Progress progress;
    progress.at = begin;
    progress.done = 0u;
    progress.queued = 0u;
    uint line = 0u;
    uint near = words[lane];
    uint far = words[kLanes + lane];
    for (uint step = 0u; step < step_limit && progress.at < end; ++step) {
        if (progress.at - line >= 128u) {
            const bool following = progress.at - line < 256u;
            line = progress.at & ~127u;
            near = following ? far : words[(line >> 2) + lane];
            far = words[(line >> 2) + kLanes + lane];
        }
        const uint skip = progress.at - line;
        const uint word = (skip >> 2) + lane;
        const uint here = simd_shuffle(near, ushort(word & 31u));
        const uint there = simd_shuffle(far, ushort(word & 31u));
        const uint window = word < kLanes ? here : there;
        const uint byte = (skip & 3u) + lane;
        const uint low = simd_shuffle(window, ushort(byte >> 2));
        const uint high = simd_shuffle(window, ushort((byte >> 2) + 1u));
        const Candidate c = read_candidate(bytes_across(low, high, (byte & 3u) * 8u), end - progress.at, lane);
        uint starts = 0u;
        uint width = 0u;
        uint next = simd_broadcast(c.next, ushort(0));
        for (uint hop = 0u; hop < 11u && next < kLanes; ++hop) {  // a sequence takes 3 bytes or more
            starts |= 1u << width;
            width = next;
            next = simd_broadcast(c.next, ushort(next));
        }
        if (next < 64u) {  // the last one ends at the window's end or behind it
            starts |= 1u << width;
            width = next;
        }
        if (starts != 0u) {
            if (!take_window(c, starts, width, tile, queue, room, &progress, lane)) return false;
        } else {
            const uint token = simd_broadcast(c.bytes, ushort(0)) & 255u;
            if (!take_sequence(words, end, token, tile, queue, room, &progress, lane)) return false;
        }
        const bool ended = progress.at >= end;
        if (ended || progress.queued >= kQueueRun) drain_queue(tile, queue, &progress, ended, lane);
    }
    return progress.at == end && progress.done == room;  // bound 9
}
