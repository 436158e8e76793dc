// Owns: the parts of suite.h.
// Must not know: which machine runs them.
#include "suite.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <string>

#include "counts.h"
#include "damage.h"
#include "probe.h"

namespace cases {
namespace {

class Suite {
public:
    Suite(Machine &machine, const SuiteSize &size) : machine_(machine), size_(size), decoder_(machine) {}
    int failures = 0;

    void part(const char *name, void (Suite::*run)()) {
        const int before = failures;
        checks_ = 0;
        (this->*run)();
        printf("%s: %d checks, %d failed\n", name, checks_, failures - before);
        fflush(stdout);
    }
    void layouts();
    void copies();
    void bounds();
    void damage();
    void wrong_tables();
    void far_addresses();
    void probe();
    void fuzz();

private:
    void check(const std::string &what, const std::string &wrong) {
        ++checks_;
        if (wrong.empty()) return;
        ++failures;
        printf("FAILED %s: %s\n", what.c_str(), wrong.c_str());
    }
    void check_paths(const std::string &what, const Batch &batch) {
        for (Path path : kPaths) check(what + ", " + path_name(path), difference(batch, decoder_.decode(batch, path)));
    }

    Machine &machine_;
    SuiteSize size_;
    Decoder decoder_;
    int checks_ = 0;
};

// Frames of every element size: whole blocks, vector and other short blocks, raw tails, small and large block sizes,
// targets that lie on an element and not on 16 bytes.
void Suite::layouts() {
    struct Layout {
        size_t height, width, block_bytes;
    };
    const Layout layouts[] = {{192, 192, 8192}, {96, 96, 8192}, {61, 67, 8192}, {96, 96, 2048}, {96, 96, 512},
                              {1, 7, 8192},     {1, 8, 8192},   {33, 31, 8192}, {120, 130, 65536}};
    for (size_t element_bytes : {1, 2, 4})
        for (const Layout &layout : layouts) {
            Batch batch(element_bytes, size_.seed);
            uint32_t index = 0;
            for (FrameKind kind : {FrameKind::hot, FrameKind::counts, FrameKind::random, FrameKind::zeros, FrameKind::poisson20}) {
                if (size_.small && index > 2 && layout.block_bytes == 8192 && layout.height > 90) break;
                batch.add_frame(make_frame(kind, layout.height, layout.width, element_bytes, size_.seed, ++index), layout.block_bytes);
            }
            check_paths("u" + std::to_string(8 * element_bytes) + " " + std::to_string(layout.height) + " x " +
                            std::to_string(layout.width) + " in blocks of " + std::to_string(layout.block_bytes), batch);
        }
}

// Every offset up to 200 and some beyond, short and long lengths, any alignment: the copy engine's cases.
void Suite::copies() {
    std::vector<size_t> offsets, lengths{4, 5, 7, 8, 15, 18, 19, 31, 32, 33, 47, 64, 100, 161, 273, 274, 500, 1200};
    for (size_t i = 1; i <= 200; i += size_.small && i > 36 ? 9 : 1) offsets.push_back(i);
    for (size_t far : {255, 256, 511, 1000, 1183, 1290}) offsets.push_back(far);
    Batch batch(2, size_.seed);
    for (size_t offset : offsets) {
        Bytes stream;
        size_t done = 0;
        auto put = [&](size_t literals, size_t match) {
            Bytes bytes(literals);
            for (uint8_t &b : bytes) b = uint8_t(batch.random());
            put_sequence(stream, bytes.data(), literals, offset, match);
            done += literals + match;
        };
        put(std::max<size_t>(offset, 40) + batch.random() % 5, 4);
        for (size_t length : lengths)
            if (done + length + 8 < 8192) put(batch.random() % 4, length);
        put(8192 - done, 0);
        batch.begin_frame();
        batch.add_block(stream, 8192);
    }
    check_paths("offsets and lengths", batch);
}

void Suite::bounds() {
    for (size_t element_bytes : {1, 2, 4})
        for (size_t room : {size_t(8192), 4096 / (element_bytes == 1 ? 1 : 2) * element_bytes, 8 * element_bytes * 37}) {
            Batch batch(element_bytes, size_.seed);
            int seen = 0;
            for (const BoundCase &one : bound_cases(room)) {
                batch.begin_frame();
                batch.add_block(one.stream, room);
                seen |= 1 << one.breaks;
                if (batch.verdicts.back() != one.breaks)
                    check(one.name, "breaks bound " + std::to_string(batch.verdicts.back()));
            }
            for (const BoundCase &one : bound_cases(room)) {  // alone: nothing but padding behind the stream
                Batch alone(element_bytes, size_.seed);
                alone.begin_frame();
                alone.add_block(one.stream, room);
                for (int padding : {0, 255}) {
                    decoder_.padding = padding;
                    check_paths(one.name + ", alone before " + std::to_string(padding), alone);
                }
                decoder_.padding = -1;
            }
            check("bounds covered", seen == 0x3ff ? "" : "not all nine");
            check_paths("bounds of u" + std::to_string(8 * element_bytes) + ", " + std::to_string(room) + " bytes", batch);
        }
}

// The 32 cases: first block of frame 2 and the last block, four kinds of damage, four layouts. After each, the next
// valid batch must be exact: scratch memory still holds what the damage left.
void Suite::damage() {
    struct Layout {
        size_t element_bytes, side;
    };
    for (const Layout &layout : {Layout{1, 96}, Layout{2, 128}, Layout{2, 96}, Layout{4, 96}}) {
        Batch good(layout.element_bytes, size_.seed);
        for (uint32_t i = 0; i < 4; ++i)
            good.add_frame(make_frame(FrameKind::counts, layout.side, layout.side, layout.element_bytes, 7, i), 8192);
        const size_t a_frame = good.blocks.size() / 4;
        for (DamageKind kind : kDamageKinds)
            for (size_t target : {2 * a_frame, good.blocks.size() - 1}) {
                Batch bad(layout.element_bytes, size_.seed + 1);
                for (size_t i = 0; i < good.blocks.size(); ++i) {
                    const Block &block = good.blocks[i];
                    const auto from = good.stored.begin() + ptrdiff_t(block.stream);
                    Bytes stream(from, from + block.stream_bytes);
                    if (i % a_frame == 0) bad.begin_frame();
                    if (i == target) stream = damaged(stream, kind, bad.random);
                    bad.add_block(stream, block.decoded_bytes);
                }
                const std::string what = std::string(damage_name(kind)) + " block " + std::to_string(target) + ", u" +
                                         std::to_string(8 * layout.element_bytes) + " " + std::to_string(layout.side);
                check(what, bad.verdicts[target] == kGood ? "the damage is a valid stream" : "");
                check_paths(what, bad);
                check_paths("after " + what, good);
            }
    }
}

// Entries that point outside the buffers are refused like damage; nothing is read or written for them.
void Suite::wrong_tables() {
    for (int fault = 0; fault < 5; ++fault) {
        Batch batch(2, size_.seed);
        for (uint32_t i = 0; i < 3; ++i) batch.add_frame(make_frame(FrameKind::counts, 64, 64, 2, 3, i), 8192);
        Block &entry = batch.blocks[1];
        const size_t at = entry.target;
        if (fault == 0) entry.stream = batch.stored.size() - entry.stream_bytes + 1;
        if (fault == 1) entry.stream = UINT64_MAX - 3;
        if (fault == 2) entry.target = batch.expected.size() - 8190;
        if (fault == 3) entry.target = UINT64_MAX - 7;
        if (fault == 4) entry.stream_bytes = UINT32_MAX;
        std::fill_n(batch.expected.begin() + ptrdiff_t(at), 8192, kPoison);
        batch.verdicts[1] = kWrongSize;
        check_paths("wrong entry " + std::to_string(fault), batch);
    }
}

// A block beyond 4 GiB in the stored bytes and in the output.
void Suite::far_addresses() {
    if (!size_.far_addresses) return;
    constexpr size_t kFar = (size_t(1) << 32) + (size_t(1) << 30) + 6;
    Batch batch(2, size_.seed);
    batch.add_frame(make_frame(FrameKind::counts, 64, 64, 2, 5, 0), 8192);
    const Block near = batch.blocks[0];
    const size_t stored_bytes = kFar + near.stream_bytes, output_bytes = kFar + 8192;
    void *stored = machine_.allocate(stored_bytes + kStoredPadding);
    void *output = machine_.allocate(output_bytes);
    void *damage = machine_.allocate(12);
    const uint32_t clean[] = {UINT32_MAX, 0, 0};
    const Block block{kFar, kFar, near.stream_bytes, 8192, 0, 0};
    void *table = machine_.allocate(sizeof block);
    machine_.upload(table, &block, sizeof block);
    machine_.upload(static_cast<uint8_t *>(stored) + kFar, batch.stored.data() + near.stream, near.stream_bytes);
    const BatchParams params{stored_bytes, output_bytes, 0, 1, 0, 1, near.stream_bytes};
    for (const char *kernel : {"fused_uniform_u16", "fused_windowed_u16"}) {
        machine_.upload(damage, clean, sizeof clean);
        machine_.fill(static_cast<uint8_t *>(output) + kFar, kPoison, 8192);
        machine_.run(kernel, {stored, table, output, damage, nullptr}, &params, 1);
        Bytes got(8192);
        machine_.download(got.data(), static_cast<uint8_t *>(output) + kFar, got.size());
        uint32_t report[3];
        machine_.download(report, damage, sizeof report);
        check(kernel, std::equal(got.begin(), got.end(), batch.expected.begin()) && report[1] == 0 ? "" : "beyond 4 GiB");
    }
    for (void *memory : {stored, output, damage, table}) machine_.release(memory);
}

void Suite::probe() { check("SIMD operations", probe_difference(machine_)); }

void Suite::fuzz() {
    for (size_t element_bytes : {1, 2, 4}) {
        const Batch batch = fuzz_batch(size_.fuzz_blocks / 3, size_.seed + uint32_t(element_bytes), element_bytes);
        decoder_.output_shift = size_.seed % 3 * element_bytes;
        check_paths("fuzz u" + std::to_string(8 * element_bytes), batch);
    }
    decoder_.output_shift = 0;
}

}  // namespace

int run_suite(Machine &machine, const SuiteSize &size) {
    Suite suite(machine, size);
    suite.part("probe", &Suite::probe);
    suite.part("layouts", &Suite::layouts);
    suite.part("copies", &Suite::copies);
    suite.part("bounds", &Suite::bounds);
    suite.part("damage", &Suite::damage);
    suite.part("wrong tables", &Suite::wrong_tables);
    suite.part("far addresses", &Suite::far_addresses);
    suite.part("fuzz", &Suite::fuzz);
    return suite.failures;
}

Batch fuzz_batch(uint32_t blocks, uint32_t seed, size_t element_bytes) {
    Batch batch(element_bytes, seed);
    std::mt19937 random(seed * 7919 + uint32_t(element_bytes));
    Bytes elements;
    for (uint32_t i = 0; i < blocks; ++i) {
        const unsigned shape = random() % 6;
        const size_t decoded = shape < 4 ? 8192 : shape == 4 ? 4096 : 8 * element_bytes * (4 + random() % 200);
        const unsigned source = random() % 4;
        Bytes stream;
        if (source < 2) {
            const size_t pixels = decoded / element_bytes;
            elements = make_frame(source == 0 || random() % 4 != 0 ? FrameKind::counts : FrameKind(random() % 5), pixels / 32 + 1, 32,
                                  element_bytes, seed, i);
            const Bytes planes = shuffle_bits(elements.data(), decoded, element_bytes);
            stream = encode_block(planes.data(), decoded);
        } else {
            // Some decode to more or less than the block: a missing bound shows only there.
            const size_t other = random() % 5 == 0 ? decoded + random() % 900 : random() % 9 == 0 ? decoded / 2 : decoded;
            stream = random_stream(random, std::max<size_t>(other, 32));
        }
        if (random() % 2 == 0) mutate(stream, random);
        batch.begin_frame();
        batch.add_block(stream, decoded);
    }
    return batch;
}

// A line for each layout of the batch: how many blocks the reference takes, and how many each bound refuses.
static void print_verdicts(const Batch &batch) {
    std::map<std::string, std::array<size_t, kWrongSize + 1>> layouts;
    for (size_t i = 0; i < batch.blocks.size(); ++i) {
        const uint32_t bytes = batch.blocks[i].decoded_bytes;
        const std::string layout = bytes == 8192 || bytes == 4096 ? std::to_string(bytes) : "other";
        ++layouts[layout][batch.verdicts[i]];
    }
    for (const auto &[layout, counts] : layouts) {
        printf("fuzz verdicts u%zu-%s", 8 * batch.element_bytes, layout.c_str());
        for (size_t count : counts) printf(" %zu", count);
        printf("\n");
    }
}

int run_fuzz(Machine &machine, uint32_t blocks, uint32_t seed, size_t element_bytes) {
    const Batch batch = fuzz_batch(blocks, seed, element_bytes);
    print_verdicts(batch);
    const size_t refused = size_t(std::count_if(batch.verdicts.begin(), batch.verdicts.end(), [](Bound b) { return b != kGood; }));
    int failures = 0;
    Decoder decoder(machine);
    for (Path path : kPaths) {
        const std::string wrong = difference(batch, decoder.decode(batch, path));
        failures += wrong.empty() ? 0 : 1;
        printf("fuzz u%zu %s: %u blocks, %zu malformed%s%s\n", 8 * element_bytes, path_name(path), blocks, refused,
               wrong.empty() ? "" : ", FAILED: ", wrong.c_str());
        fflush(stdout);
    }
    return failures;
}

}  // namespace cases
