// Owns: making the workloads of workload.h.
// Must not know: kernels, GPUs.
#include "workload.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "../../test/metal/cases/encode.h"

namespace bench {
namespace {

constexpr uint32_t kDistinctFrames = 1024;
constexpr size_t kBlockBytes = 8192;

struct Counts {
    uint64_t blocks = 0, sequences = 0, bytes = 0, no_literals = 0, matches = 0, offset_2 = 0;
};

size_t read_length(const cases::Bytes &s, size_t &at, size_t nibble) {
    size_t length = nibble;
    if (nibble == 15)
        for (uint8_t more = 255; more == 255;) length += more = s[at++];
    return length;
}

void count(const cases::Bytes &stream, Counts &counts) {
    ++counts.blocks;
    counts.bytes += stream.size();
    for (size_t at = 0; at < stream.size();) {
        const uint8_t token = stream[at++];
        const size_t literals = read_length(stream, at, token >> 4);
        ++counts.sequences;
        counts.no_literals += literals == 0;
        at += literals;
        if (at >= stream.size()) break;
        counts.offset_2 += stream[at] == 2 && stream[at + 1] == 0;
        ++counts.matches;
        at += 2;
        read_length(stream, at, token & 15);
    }
}

}  // namespace

Workload make_workload(const Case &spec, unsigned threads) {
    Workload work;
    work.spec = spec;
    work.distinct = std::min(spec.frames, kDistinctFrames);
    const size_t frame_bytes = spec.side * spec.side * spec.element_bytes;
    work.elements.resize(frame_bytes * work.distinct);
    std::vector<std::vector<cases::Bytes>> streams(work.distinct);
    std::vector<Counts> counts(threads);
    std::atomic<uint32_t> next{0};
    auto make = [&](unsigned thread) {
        for (uint32_t frame; (frame = next++) < work.distinct;) {
            const cases::Bytes pixels = cases::make_frame(spec.kind, spec.side, spec.side, spec.element_bytes, 1, frame);
            std::copy(pixels.begin(), pixels.end(), work.elements.begin() + ptrdiff_t(frame * frame_bytes));
            for (size_t at = 0; at < frame_bytes; at += kBlockBytes) {
                const size_t bytes = std::min(kBlockBytes, frame_bytes - at);
                const cases::Bytes planes = cases::shuffle_bits(pixels.data() + at, bytes, spec.element_bytes);
                streams[frame].push_back(cases::encode_block(planes.data(), bytes));
                count(streams[frame].back(), counts[thread]);
            }
        }
    };
    std::vector<std::thread> pool;
    for (unsigned t = 0; t < threads; ++t) pool.emplace_back(make, t);
    for (std::thread &t : pool) t.join();
    for (uint32_t frame = 0; frame < work.distinct; ++frame) {
        work.stored.resize(work.stored.size() + 12);  // the chunk's header
        size_t target = frame * frame_bytes;
        for (const cases::Bytes &stream : streams[frame]) {
            work.stored.resize(work.stored.size() + 4);  // the block's length
            const size_t bytes = std::min(kBlockBytes, (frame + 1) * frame_bytes - target);
            work.blocks.push_back({work.stored.size(), target, uint32_t(stream.size()), uint32_t(bytes), frame, 0});
            work.stored.insert(work.stored.end(), stream.begin(), stream.end());
            target += bytes;
        }
    }
    work.stored.resize((work.stored.size() + 127) / 128 * 128);
    Counts all;
    for (const Counts &c : counts) {
        all.blocks += c.blocks;
        all.sequences += c.sequences;
        all.bytes += c.bytes;
        all.no_literals += c.no_literals;
        all.matches += c.matches;
        all.offset_2 += c.offset_2;
    }
    if (all.blocks > 0 && all.matches > 0)
        work.statistics = {double(all.sequences) / double(all.blocks), double(all.bytes) / double(all.blocks),
                           double(all.no_literals) / double(all.sequences), double(all.offset_2) / double(all.matches)};
    return work;
}

}  // namespace bench
