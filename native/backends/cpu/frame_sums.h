// Owns: adding the frames of decoded chunks to sums: a number a frame, or one a pixel; exact integers, whatever the
// number of threads.
// Must not know: Node-API, files, masks' shapes, why frames are added.
#pragma once
#include <memory>
#include <vector>

#include "backends/cpu/chunk.h"
#include "core/pool.h"

namespace framelab {

/** Integers of up to 32 bits; wider ones and floats are not added here. */
enum class Element : std::uint8_t { u8, u16, u32, i8, i16, i32 };

/** Neighbouring pixels of one detector row. */
struct PixelRun {
  std::uint32_t first;
  std::uint32_t count;
};

/** A number, or a centre of mass (row, column), for every frame, of chosen pixels. */
struct FrameTarget {
  bool center;
  /** Ascending, none over the end of a row. */
  std::vector<PixelRun> runs;
  /** One a frame, or two: written for accepted frames with a measurement (a centre: with a sum) alone. */
  double* values;
  /** Counts values that were no measurements. */
  double* flagged;
};

/** A number for every pixel; without `flagged`, nothing. Arrays of the frame's pixels that grow when all is merged. */
struct PatternTarget {
  /** Null: not asked for. */
  std::int64_t* sums = nullptr;
  /** Null: not asked for. Stays where nothing was measured. */
  double* largest = nullptr;
  /** Frames in which the pixel held no measurement. */
  std::uint32_t* flagged = nullptr;
  double* frames = nullptr;
};

/** What is added up. */
struct SumPlan {
  Element element;
  std::size_t frame_pixels;
  std::size_t width;
  /** A chunk is this many whole frames, 1 to 65,535. */
  std::size_t chunk_frames;
  /** Number of each chunk's each frame in the results; -1 = not wanted. */
  std::vector<std::int64_t> slots;
  std::vector<FrameTarget> per_frame;
  PatternTarget pattern;
};

/** The sums of one batch. */
class FrameSums {
 public:
  virtual ~FrameSums() = default;
  /**
   * Adds chunk `index` of the batch, all of it or, when it is refused, nothing. Safe on many threads at once. Throws
   * std::bad_alloc.
   */
  virtual Verdict add(const Kernels& kernels, const ChunkFormat& format, std::uint32_t filter_mask,
                      std::size_t index, StoredChunk stored, ThreadScratch& scratch) = 0;
  /** Once, after the last chunk: what threads have added goes to the plan's arrays. */
  virtual void merge() = 0;
};

/** The plan's chunks are of `chunk_frames * frame_pixels` elements. */
std::unique_ptr<FrameSums> open_frame_sums(SumPlan plan);

}  // namespace framelab
