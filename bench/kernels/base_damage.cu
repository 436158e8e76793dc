// Owns: what the base form, without bounds, does to memory outside a damaged block: one damage case a process, for a
// case may end the GPU context.
// Must not know: timing, the shipped form's tests.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "../../test/metal/cases/batch.h"
#include "../../test/metal/cases/counts.h"
#include "../../test/metal/cases/damage.h"
#include "../../test/metal/cuda/machine_cuda.h"

namespace {

using cases::Batch;

struct Layout {
    size_t element_bytes, side;
};
const Layout kLayouts[] = {{1, 96}, {2, 128}, {2, 96}, {4, 96}};

Batch damaged_batch(const Layout &layout, cases::DamageKind kind, bool last, size_t &target) {
    Batch good(layout.element_bytes, 1);
    for (uint32_t i = 0; i < 4; ++i)
        good.add_frame(cases::make_frame(cases::FrameKind::counts, layout.side, layout.side, layout.element_bytes, 7, i), 8192);
    const size_t a_frame = good.blocks.size() / 4;
    target = last ? good.blocks.size() - 1 : 2 * a_frame;
    Batch bad(layout.element_bytes, 2);
    for (size_t i = 0; i < good.blocks.size(); ++i) {
        const auto from = good.stored.begin() + ptrdiff_t(good.blocks[i].stream);
        cases::Bytes stream(from, from + good.blocks[i].stream_bytes);
        if (i % a_frame == 0) bad.begin_frame();
        if (i == target) stream = cases::damaged(stream, kind, bad.random);
        bad.add_block(stream, good.blocks[i].decoded_bytes);
    }
    return bad;
}

}  // namespace

// base_damage CASE (0..31) uniform|windowed|scratch: prints one JSON row.
int main(int argc, char **argv) {
    if (argc < 3) return 2;
    const int number = atoi(argv[1]);
    cases::Path path = cases::Path::uniform;
    for (cases::Path one : cases::kPaths)
        if (strcmp(argv[2], cases::path_name(one)) == 0) path = one;
    const Layout &layout = kLayouts[number / 8];
    const cases::DamageKind kind = cases::kDamageKinds[number / 2 % 4];
    size_t target = 0;
    const Batch batch = damaged_batch(layout, kind, number % 2 != 0, target);
    cuda::CudaMachine machine("base");
    cases::Decoder decoder(machine);
    const cases::Outcome outcome = decoder.decode(batch, path);  // exits with 3 when the GPU stops it
    size_t outside = 0;
    const size_t begin = batch.blocks[target].target, end = begin + batch.blocks[target].decoded_bytes;
    for (size_t i = 0; i < batch.expected.size(); ++i)
        outside += (i < begin || i >= end) && outcome.output[i] != batch.expected[i];
    printf("{\"damage\": \"%s\", \"elementBytes\": %zu, \"side\": %zu, \"block\": \"%s\", \"path\": \"%s\", \"bytesChangedOutside\": %zu}\n",
           cases::damage_name(kind), layout.element_bytes, layout.side, number % 2 != 0 ? "last" : "first of frame 2", argv[2],
           outside);
    return 0;
}
