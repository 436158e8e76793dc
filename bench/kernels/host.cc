// Owns: what the Metal host does on the CPU for a batch of one file: all of it, and its reads and block tables alone.
// Must not know: Objective-C, how a batch is cut or encoded, what a GPU takes for it.
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "backends/cpu/kernels.h"
#include "backends/metal/batch.h"
#include "core/file.h"
#include "workload.h"
#if defined(FRAMELAB_STAND_IN)
#include "standin/faults.h"
#endif

namespace {

namespace metal = framelab::metal;

constexpr uint32_t kFrames = 8192;
constexpr size_t kSide = 192;
constexpr size_t kElementBytes = 2;
constexpr size_t kChunkBytes = kSide * kSide * kElementBytes;
// As the host has it: the two slices of a batch that its reads fill in turn.
constexpr size_t kStoredMemory = 2 * metal::kSliceStoredBytes;

[[noreturn]] void fail(const std::string &what) {
    fprintf(stderr, "%s\n", what.c_str());
    exit(3);
}

// Nanoseconds of the calling thread on a processor: what Metal's own threads and the GPU do is not in it.
int64_t thread_time() {
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return int64_t{now.tv_sec} * 1000000000 + now.tv_nsec;
}

void put_big_endian(uint8_t *to, uint64_t value, int bytes) {
    for (int i = bytes - 1; i >= 0; --i, value >>= 8) to[i] = uint8_t(value);
}

// A data file of so many frames: the chunks of a workload's distinct ones over and over, with their framing.
class File {
public:
    explicit File(const std::string &path) {
        const bench::Workload work = bench::make_workload({"host", cases::FrameKind::counts, kElementBytes, kSide, kFrames},
                                                          std::max(1u, std::thread::hardware_concurrency()));
        blocks = work.blocks.size() / work.distinct * kFrames;
        const std::vector<cases::Bytes> distinct = framed(work);
        std::ofstream out(path, std::ios::binary);
        for (uint32_t i = 0; i < kFrames; ++i) {
            const cases::Bytes &chunk = distinct[i % distinct.size()];
            chunks.push_back({bytes, chunk.size(), 0, i, i * kChunkBytes});
            out.write(reinterpret_cast<const char *>(chunk.data()), std::streamsize(chunk.size()));
            bytes += chunk.size();
        }
        if (!out.flush()) fail(path + " cannot be written");
        fd = open(path.c_str(), O_RDONLY);
        if (fd < 0) fail(path + " cannot be opened");
    }
    ~File() { close(fd); }

    int fd = -1;
    uint64_t bytes = 0;
    size_t blocks = 0;
    std::vector<framelab::ChunkPlace> chunks;

private:
    static std::vector<cases::Bytes> framed(const bench::Workload &work) {
        cases::Bytes stored = work.stored;
        std::vector<cases::Bytes> chunks;
        for (size_t i = 0; i < work.blocks.size(); ++i) {
            const cases::Block &block = work.blocks[i];
            const bool opens = i == 0 || work.blocks[i - 1].frame != block.frame;
            if (opens) {
                put_big_endian(&stored[block.stream - 16], kChunkBytes, 8);
                put_big_endian(&stored[block.stream - 8], metal::kFusedBlockBytes, 4);
                chunks.emplace_back();
            }
            put_big_endian(&stored[block.stream - 4], block.stream_bytes, 4);
            const auto from = stored.begin() + ptrdiff_t(block.stream) - (opens ? 16 : 4);
            const auto to = stored.begin() + ptrdiff_t(block.stream + block.stream_bytes);
            chunks.back().insert(chunks.back().end(), from, to);
        }
        return chunks;
    }
};

const framelab::ChunkFormat kFormat = {framelab::Layout::bitshuffle_lz4, kChunkBytes, kElementBytes, 0, 0, 0};

// Nanoseconds of the host's thread for the whole batch, from its list of chunks to its outcome.
int64_t whole(const File &file, const metal::Machine &machine, uint8_t *output) {
    int32_t cancel = 0, done = 0, refused = 0;
    const int64_t before = thread_time();
    {
        framelab::Batch batch{nullptr, file.fd, file.bytes, kFormat, file.chunks, output, nullptr,
                              {&cancel, &done, &refused}, &framelab::best_kernels()};
        metal::MetalBatchJob job(std::move(batch), machine, [] {});
        framelab::ThreadScratch scratch;
        while (job.step(scratch)) continue;
        job.finished();
        if (job.outcome().error != 0 || job.outcome().copied != 0) fail("the batch failed: " + job.outcome().failure);
    }
    const int64_t took = thread_time() - before;
    if (done != int32_t(kFrames) || refused != 0) fail("chunks were refused");
    return took;
}

struct Alone {
    int64_t reads;
    int64_t tables;
};

// The same reads and block tables and nothing else, a read after the other.
Alone alone(const File &file, metal::Buffer &memory, std::vector<metal::Block> &entries) {
    Alone spent{0, 0};
    metal::BlockTable table(kFormat);
    std::vector<framelab::ReadRun> runs;
    for (size_t i = 0; i < file.chunks.size(); ++i)
        framelab::add_to_runs(runs, i, file.chunks[i].address, file.chunks[i].stored_bytes, metal::kReadBytes);
    size_t place = 0;
    for (const framelab::ReadRun &run : runs) {
        if (place + run.bytes > kStoredMemory) place = 0;
        auto *const stored = static_cast<uint8_t *>(memory.contents()) + place;
        place += run.bytes;
        const int64_t begin = thread_time();
        if (framelab::read_at(file.fd, run.address, stored, run.bytes).bytes != run.bytes) fail("a short read");
        const int64_t read = thread_time();
        table.clear();
        bool trailing = false;
        for (size_t i = run.first; i < run.last; ++i) {
            const framelab::ChunkPlace &chunk = file.chunks[i];
            table.add(stored, chunk.address - run.address, chunk.stored_bytes, false, uint32_t(i - run.first),
                      (i - run.first) * kChunkBytes, trailing);
        }
        entries.resize(std::max<size_t>(entries.size(), table.count()));
        table.write(entries.data());
        spent.reads += read - begin;
        spent.tables += thread_time() - read;
    }
    return spent;
}

long commands() {
#if defined(FRAMELAB_STAND_IN)
    return standin::commands_committed();
#else
    return 0;
#endif
}

}  // namespace

// metal-host OUT.json DATA_FILE ROUNDS FORM=FILE.metal
int main(int argc, char **argv) {
    if (argc != 5 || strchr(argv[4], '=') == nullptr) return 2;
    const File file(argv[2]);
    std::ifstream text(strchr(argv[4], '=') + 1);
    const std::string source{std::istreambuf_iterator<char>(text), {}};
    std::string why;
    const std::shared_ptr<metal::Device> device = metal::Device::open(source.c_str(), why);
    if (device == nullptr) fail(why);
#if defined(FRAMELAB_STAND_IN)
    standin::faults().no_work = true;
#endif
    metal::Pace pace;
    const metal::Machine machine{device, std::make_shared<metal::Shelf>(), metal::Design::windowed, pace, 20};
    const std::unique_ptr<uint8_t, void (*)(void *)> output(
        static_cast<uint8_t *>(aligned_alloc(16384, kFrames * kChunkBytes)), free);
    const std::unique_ptr<metal::Buffer> memory = device->allocate(kStoredMemory);
    if (output == nullptr || memory == nullptr) fail("no memory");
    std::vector<metal::Block> entries;
    std::vector<int64_t> wholes, reads, tables;
    // The first rounds fill the file cache, touch buffers, and let command buffers grow to their usual length.
    const int warm_up = 4, rounds = std::max(1, atoi(argv[3]));
    long before = 0;
    for (int round = -warm_up; round < rounds; ++round) {
        before = commands();
        const int64_t took = whole(file, machine, output.get());
        const Alone parts = alone(file, *memory, entries);
        if (round < 0) continue;
        wholes.push_back(took);
        reads.push_back(parts.reads);
        tables.push_back(parts.tables);
    }
    const long sent = commands() - before;
    std::ofstream out(argv[1]);
    const auto row = [&](const char *name, std::vector<int64_t> &times) {
        std::sort(times.begin(), times.end());
        out << ",\"" << name << "\":{\"minNs\":" << times.front() << ",\"medianNs\":" << times[times.size() / 2] << "}";
    };
    out << "{\"device\":\"" << device->facts().name << "\",\"rounds\":" << rounds << ",\"frames\":" << kFrames
        << ",\"blocks\":" << file.blocks << ",\"storedBytes\":" << file.bytes
        << ",\"decodedBytes\":" << kFrames * kChunkBytes << ",\"commandBuffers\":" << sent;
    row("whole", wholes);
    row("reads", reads);
    row("tables", tables);
    out << "}\n";
    return out.flush() ? 0 : 3;
}
