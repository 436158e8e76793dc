// Owns: building, decoding and judging the batches of batch.h.
// Must not know: what a test wants to see.
#include "batch.h"

#include <algorithm>

#include "encode.h"

namespace cases {

const char *path_name(Path path) {
    return path == Path::uniform ? "uniform" : path == Path::windowed ? "windowed" : "scratch";
}

void Batch::add_block(const Bytes &stream, size_t decoded) {
    for (uint32_t strangers = random() % 8; strangers > 0; --strangers) stored.push_back(uint8_t(random()));
    blocks.push_back({stored.size(), expected.size(), uint32_t(stream.size()), uint32_t(decoded), frames - 1, 0});
    stored.insert(stored.end(), stream.begin(), stream.end());
    Bytes planes;
    verdicts.push_back(decode_block(stream.data(), stream.size(), decoded, planes));
    if (verdicts.back() == kGood) {
        const Bytes elements = unshuffle_bits(planes, element_bytes);
        expected.insert(expected.end(), elements.begin(), elements.end());
    } else {
        skip_output(decoded);
    }
}

void Batch::skip_output(size_t bytes) { expected.resize(expected.size() + bytes, kPoison); }

void Batch::add_raw(const uint8_t *bytes, size_t count) {
    raw.push_back({stored.size(), expected.size(), uint32_t(count), uint32_t(count), frames - 1, 0});
    stored.insert(stored.end(), bytes, bytes + count);
    expected.insert(expected.end(), bytes, bytes + count);
}

void Batch::add_frame(const Bytes &elements, size_t block_bytes) {
    begin_frame();
    const size_t eight = 8 * element_bytes;
    const size_t shuffled = elements.size() / eight * eight;
    for (size_t at = 0; at < shuffled;) {
        const size_t bytes = std::min(block_bytes, shuffled - at);
        const Bytes planes = shuffle_bits(elements.data() + at, bytes, element_bytes);
        add_block(encode_block(planes.data(), bytes), bytes);
        at += bytes;
    }
    if (shuffled < elements.size()) add_raw(elements.data() + shuffled, elements.size() - shuffled);
}

bool fused_takes(const Block &block, size_t element_bytes) {
    return block.decoded_bytes <= kFusedBlockBytes && block.decoded_bytes % (1024 * element_bytes) == 0;
}

Decoder::~Decoder() {
    if (scratch_ != nullptr) machine_.release(scratch_);
}

void Decoder::run_table(const std::string &kernel, std::vector<Block> table, std::vector<void *> buffers,
                        BatchParams params, uint32_t blocks_per_group) {
    const uint32_t count = uint32_t(table.size());
    buffers[1] = machine_.allocate(table.size() * sizeof(Block));
    machine_.upload(buffers[1], table.data(), table.size() * sizeof(Block));
    for (uint32_t first = 0; first < count;) {
        const uint32_t blocks = std::min(machine_.most_blocks(), count - first);
        params.first_block = first;
        params.block_count = first + blocks;
        machine_.run(kernel, buffers, &params, (blocks + blocks_per_group - 1) / blocks_per_group);
        first += blocks;
    }
    machine_.release(buffers[1]);
}

void Decoder::run_scratch(const Batch &batch, const std::vector<Block> &table, bool whole, void *stored, void *output,
                          void *damage, BatchParams params) {
    void *accepted = machine_.allocate(table.size() * 4);
    machine_.device_memory_shared_by_lanes(accepted, table.size() * 4);
    const std::string suffix = "_u" + std::to_string(8 * batch.element_bytes);
    run_table("decode_scratch", table, {stored, nullptr, scratch_, damage, nullptr, accepted}, params,
              machine_.scratch_groups());
    run_table((whole ? "unshuffle_whole" : "unshuffle_short") + suffix, table,
              {scratch_, nullptr, output, accepted, nullptr}, params, 1);
    machine_.release(accepted);
}

Outcome Decoder::decode(const Batch &batch, Path path) {
    std::vector<Block> fused, whole, other;
    size_t scratch_quads = 0;
    uint32_t longest = 0;
    for (Block block : batch.blocks) {
        block.target += output_shift;
        longest = std::max(longest, block.stream_bytes);
        block.scratch_quads = uint32_t(scratch_quads);
        scratch_quads += (block.decoded_bytes + 15) / 16;
        const bool vector = fused_takes(block, batch.element_bytes);
        (vector && path != Path::scratch ? fused : vector ? whole : other).push_back(block);
    }
    if (scratch_quads * 16 > scratch_bytes_) {
        if (scratch_ != nullptr) machine_.release(scratch_);
        scratch_bytes_ = scratch_quads * 16;
        scratch_ = machine_.allocate(scratch_bytes_);
        machine_.device_memory_shared_by_lanes(scratch_, scratch_bytes_);
    }
    const size_t output_bytes = batch.expected.size() + output_shift;
    const BatchParams params{batch.stored.size(), output_bytes, scratch_bytes_, 0, 0, batch.frames, longest};
    Bytes padded = batch.stored;
    for (size_t i = 0; i < kStoredPadding; ++i) padded.push_back(uint8_t(padding < 0 ? i * 7 + batch.stored.size() : size_t(padding)));
    Outcome outcome;
    outcome.damage.assign(2 + (batch.frames + 31) / 32, 0);
    outcome.damage[0] = UINT32_MAX;
    outcome.output.resize(output_bytes);
    void *stored = machine_.allocate(padded.size());
    void *output = machine_.allocate(output_bytes);
    void *damage = machine_.allocate(outcome.damage.size() * 4);
    machine_.upload(stored, padded.data(), padded.size());
    machine_.fill(output, kPoison, output_bytes);
    machine_.upload(damage, outcome.damage.data(), outcome.damage.size() * 4);
    const std::string suffix = "_u" + std::to_string(8 * batch.element_bytes);
    if (!fused.empty())
        run_table(std::string("fused_") + path_name(path) + suffix, fused, {stored, nullptr, output, damage, nullptr},
                  params, 1);
    if (!whole.empty()) run_scratch(batch, whole, true, stored, output, damage, params);
    if (!other.empty()) run_scratch(batch, other, false, stored, output, damage, params);
    std::vector<Block> raw = batch.raw;
    for (Block &block : raw) block.target += output_shift;
    if (!raw.empty()) run_table("copy_raw", raw, {stored, nullptr, output, damage, nullptr}, params, 1);
    machine_.download(outcome.output.data(), output, output_bytes);
    machine_.download(outcome.damage.data(), damage, outcome.damage.size() * 4);
    for (void *memory : {stored, output, damage}) machine_.release(memory);
    outcome.shift = output_shift;
    return outcome;
}

std::string difference(const Batch &batch, const Outcome &outcome) {
    std::vector<uint32_t> damage(2 + (batch.frames + 31) / 32, 0);
    damage[0] = UINT32_MAX;
    for (size_t i = 0; i < batch.blocks.size(); ++i) {
        if (batch.verdicts[i] == kGood) continue;
        const uint32_t frame = batch.blocks[i].frame;
        damage[0] = std::min(damage[0], frame);
        damage[1] = std::max(damage[1], frame + 1);
        damage[2 + frame / 32] |= 1u << (frame % 32);
    }
    for (uint32_t frame = 0; frame < batch.frames; ++frame) {
        const bool want = damage[2 + frame / 32] >> (frame % 32) & 1;
        if (outcome.frame_damaged(frame) != want)
            return "frame " + std::to_string(frame) + (want ? " is damaged and passed" : " is good and was refused");
    }
    if (outcome.damage != damage) return "the damage report's lowest and highest frames are wrong";
    for (size_t i = 0; i < outcome.output.size(); ++i) {
        const uint8_t want = i < outcome.shift ? kPoison : batch.expected[i - outcome.shift];
        if (outcome.output[i] != want) return "output byte " + std::to_string(i) + " differs";
    }
    return "";
}

}  // namespace cases
