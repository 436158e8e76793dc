// Owns: a stress of the pool for the thread sanitizer: jobs that wait, batches at once, cancelled ones, damaged
// chunks, sums, a file cut short.
// Must not know: Node. Exits 0 when every batch ended as it must.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "backends/cpu/batch.h"
#include "fuzz/cases.h"

namespace framelab::fuzz {

namespace {

constexpr std::size_t kChunks = 60;
constexpr std::uint32_t kDamaged = 17;

[[noreturn]] void fail(const char* what) {
  std::printf("FAILED: %s\n", what);
  std::exit(1);
}

/** A file of kChunks chunks, one damaged, without a name. */
struct ChunkFile {
  std::FILE* file = std::tmpfile();
  std::uint64_t bytes = 0;
  std::size_t chunk_bytes = 0;
  std::vector<ChunkPlace> places;
  ByteVector decoded;

  ChunkFile() {
    Random random(5);
    ByteVector chunk = intact_chunk(kLayouts[1], random, chunk_bytes);
    if (file == nullptr || reference_chunk(chunk, chunk_bytes, 2, decoded) != Reason::ok) fail("no chunk");
    for (std::uint32_t i = 0; i < kChunks; ++i) {
      ByteVector stored = chunk;
      if (i == kDamaged) stored[3] ^= 1;
      places.push_back({bytes, stored.size(), 0, i, i * chunk_bytes});
      if (std::fwrite(stored.data(), stored.size(), 1, file) != 1) fail("no file");
      bytes += stored.size();
    }
    std::fflush(file);
  }
};

struct Running {
  std::vector<std::uint8_t> output;
  std::int32_t words[4] = {};
  std::atomic<bool> settled{false};
  std::shared_ptr<BatchJob> job;
};

std::unique_ptr<Running> start(const ChunkFile& chunks, unsigned threads) {
  auto running = std::make_unique<Running>();
  running->output.assign(kChunks * chunks.chunk_bytes, 0);
  Batch batch{};
  batch.fd = fileno(chunks.file);
  batch.file_bytes = chunks.bytes;
  batch.format = {Layout::bitshuffle_lz4, chunks.chunk_bytes, 2, 0, 0, 0};
  batch.chunks = chunks.places;
  batch.output = running->output.data();
  batch.control = {running->words, running->words + 1, running->words + 2};
  batch.kernels = &best_kernels();
  Running* const raw = running.get();
  running->job = std::make_shared<BatchJob>(std::move(batch), threads, [raw] { raw->settled.store(true); });
  Pool::shared().submit(running->job, threads);
  return running;
}

void check(const ChunkFile& chunks, Running& running, std::size_t whole) {
  running.job->wait();
  const BatchOutcome& outcome = running.job->outcome();
  if (!running.settled.load() || outcome.error != 0) fail("not settled");
  if (outcome.cancelled) return;
  for (std::uint32_t i = 0; i < kChunks; ++i) {
    const bool refused = (outcome.refused[i / 8] >> (i % 8) & 1) != 0;
    if (refused != (i == kDamaged || i >= whole)) fail("refused bits");
    const auto at = running.output.begin() + static_cast<std::ptrdiff_t>(i * chunks.chunk_bytes);
    if (!refused && !std::equal(chunks.decoded.begin(), chunks.decoded.end(), at)) fail("bytes");
  }
  if (running.words[1] != kChunks) fail("counters");
}

/** Longest wait for what must come. */
constexpr auto kPatience = std::chrono::seconds(60);

/** Where some threads wait for each other. */
struct Meeting {
  std::mutex mutex;
  std::condition_variable changed;
  unsigned awaited;
  unsigned here = 0;
  unsigned ended = 0;

  void wait_for(const unsigned& count) {
    std::unique_lock<std::mutex> lock(mutex);
    if (!changed.wait_for(lock, kPatience, [&] { return count == awaited; }))
      fail("a job stands behind a wait");
  }
  void add(unsigned& count) {
    const std::lock_guard<std::mutex> lock(mutex);
    ++count;
    changed.notify_all();
  }
};

/** Its one step ends when those of all jobs of the meeting have begun. */
class WaitingJob : public Job {
 public:
  explicit WaitingJob(Meeting& meeting) : meeting_(meeting) {}
  bool step(ThreadScratch&) noexcept override {
    if (begun_) return false;
    begun_ = true;
    meeting_.add(meeting_.here);
    meeting_.wait_for(meeting_.here);
    return true;
  }
  void finished() noexcept override { meeting_.add(meeting_.ended); }
  bool waits() const noexcept override { return true; }

 private:
  Meeting& meeting_;
  bool begun_ = false;
};

/** On a pool that has no threads yet: each job that waits brings its own, and all but a few end with them. */
void meet() {
  constexpr unsigned kMostLeft = 2;
  for (unsigned round = 0; round < 20; ++round) {
    // Never destroyed: the last job tells of its end from within.
    Meeting& meeting = *new Meeting{{}, {}, 3 + round};
    for (unsigned i = 0; i < meeting.awaited; ++i)
      Pool::shared().submit(std::make_shared<WaitingJob>(meeting), 1);
    meeting.wait_for(meeting.ended);
  }
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (Pool::shared().threads() > kMostLeft) {
    if (std::chrono::steady_clock::now() > end) fail("threads outlive the jobs that wait");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

/** The frames of the file added up: whatever the threads, the same sums. */
void add_up(const ChunkFile& chunks, unsigned threads) {
  const std::size_t pixels = chunks.chunk_bytes / 2;
  std::vector<std::int64_t> sums(pixels);
  std::vector<std::uint32_t> flagged(pixels);
  std::vector<double> images(kChunks, -1);
  double frames = 0;
  double left_out = 0;
  SumPlan plan{Element::u16, pixels, pixels, 1, {}, {}, {sums.data(), nullptr, flagged.data(), &frames}};
  for (std::size_t i = 0; i < kChunks; ++i) plan.slots.push_back(static_cast<std::int64_t>(i));
  plan.per_frame.push_back({false, {{0, static_cast<std::uint32_t>(pixels)}}, images.data(), &left_out});
  std::int32_t words[4] = {};
  Batch batch{};
  batch.fd = fileno(chunks.file);
  batch.file_bytes = chunks.bytes;
  batch.format = {Layout::bitshuffle_lz4, chunks.chunk_bytes, 2, 0, 0, 0};
  batch.chunks = chunks.places;
  batch.sums = open_frame_sums(std::move(plan));
  batch.control = {words, words + 1, words + 2};
  batch.kernels = &best_kernels();
  const auto job = std::make_shared<BatchJob>(std::move(batch), threads, [] {});
  Pool::shared().submit(job, threads);
  job->wait();

  std::int64_t image = 0;
  std::size_t none = 0;
  for (std::size_t i = 0; i < pixels; ++i) {
    const std::int64_t value = chunks.decoded[2 * i] + 256 * chunks.decoded[2 * i + 1];
    const bool is_measured = value < 65534;
    none += is_measured ? 0 : 1;
    image += is_measured ? value : 0;
    const auto good = static_cast<std::int64_t>(kChunks - 1);
    if (sums[i] != (is_measured ? good * value : 0)) fail("sums");
    if (flagged[i] != (is_measured ? 0 : kChunks - 1)) fail("flags");
  }
  const double left = static_cast<double>(none * (kChunks - 1));
  if (frames != kChunks - 1 || left_out != left) fail("counts of sums");
  for (std::size_t i = 0; i < kChunks; ++i) {
    const bool lost = i == kDamaged || none == pixels;
    if (images[i] != (lost ? -1 : static_cast<double>(image))) fail("images");
  }
}

int run() {
  meet();
  const ChunkFile chunks;
  for (unsigned round = 0; round < 40; ++round) {
    std::vector<std::unique_ptr<Running>> all;
    for (const unsigned threads : {1U, 2U, 7U}) all.push_back(start(chunks, threads));
    if (round % 2 == 0) __atomic_store_n(all[0]->words, 1, __ATOMIC_RELAXED);
    if (round % 3 == 0) all[1]->job->cancel();
    for (const auto& running : all) check(chunks, *running, kChunks);
    add_up(chunks, 1 + round % 7);
  }
  // Cut in the middle of chunk 40.
  if (ftruncate(fileno(chunks.file), static_cast<off_t>(chunks.places[40].address + 5)) != 0) fail("cut");
  const auto last = start(chunks, 2);
  check(chunks, *last, 40);
  std::printf("the pool ran 161 batches\n");
  return 0;
}

}  // namespace

}  // namespace framelab::fuzz

int main() { return framelab::fuzz::run(); }
