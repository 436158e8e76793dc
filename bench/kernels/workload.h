// Owns: a bench case: many frames of one kind encoded, their block table, and what the encoded blocks look like.
// Must not know: kernels, GPUs.
#pragma once
#include <string>
#include <vector>

#include "../../test/metal/cases/counts.h"
#include "../../test/metal/cases/layout.h"

namespace bench {

struct Case {
    std::string name;
    cases::FrameKind kind;
    size_t element_bytes;
    size_t side;      // frames of side x side pixels
    uint32_t frames;  // decoded in one launch
};

struct Statistics {
    double sequences = 0;       // a block
    double stream_bytes = 0;    // a block
    double no_literals = 0;     // share of the sequences that have none
    double offset_2 = 0;        // share of the matches whose offset is 2
};

struct Workload {
    Case spec;
    uint32_t distinct = 0;      // frames made; repeated `frames / distinct` times, each time in memory of its own
    cases::Bytes elements;      // the distinct frames, decoded
    cases::Bytes stored;        // their chunks; a multiple of 128 bytes
    std::vector<cases::Block> blocks;  // of the distinct frames
    Statistics statistics;
};

// Frames are made on `threads` threads.
Workload make_workload(const Case &spec, unsigned threads);

}  // namespace bench
