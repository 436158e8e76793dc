// Owns: reading the stored chunks of a planned piece of work into memory, each once, as they are.
// Must not know: what chunks hold, decoding.
import { read } from "node:fs";
import { promisify } from "node:util";
import type { OutputMemory } from "../backends/backend";
import { unreadable } from "../backends/read-chunk";
import type { CancelScope } from "./cancel";
import { type DataFile, withDataFile } from "./data-file";
import { allocateFrames, releaseFrames } from "./output-memory";
import type { Prepared } from "./prepare";
import { type SegmentIndex, segmentJobs } from "./segment-jobs";

/** Bytes of one read at most. */
const READ_BYTES = 8 * 2 ** 20;

/** Consecutive bytes of a file and their place in memory. */
interface Piece {
  readonly address: number;
  readonly place: number;
  bytes: number;
}

/** Where the chunks of one data file go. */
interface SegmentPlan {
  readonly index: SegmentIndex;
  readonly pieces: readonly Piece[];
  /** Place in memory of each chunk of the index's table; NaN = not needed, or not in the file. */
  readonly place: Float64Array;
}

/** What is to be held. */
export interface HoldPlan {
  readonly segments: readonly SegmentPlan[];
  /** Bytes of all stored chunks together. */
  readonly bytes: number;
}

/** Lays the chunks that a piece of work needs out in memory, in the order of their files. Reads nothing. */
export function planHold(prepared: Prepared): HoldPlan {
  let bytes = 0;
  const segments = prepared.indexes.map((index) => {
    const plan = planSegment(index, prepared.count, bytes);
    bytes = plan.end;
    return plan;
  });
  return { segments, bytes };
}

function planSegment(index: SegmentIndex, count: number, start: number): SegmentPlan & { end: number } {
  const jobs = segmentJobs(index, { from: 0, to: count });
  const { address, storedBytes, chunk } = jobs;
  const place = new Float64Array(index.table.count).fill(Number.NaN);
  const inside = (j: number) => address[j]! >= 0 && storedBytes[j]! <= index.facts.fileBytes - address[j]!;
  const order = [...chunk.keys()].filter(inside);
  order.sort((a, b) => address[a]! - address[b]! || storedBytes[a]! - storedBytes[b]!);
  const pieces: Piece[] = [];
  let end = start;
  let last = -1;
  for (const j of order) {
    const entry = chunk[j]! - index.table.first;
    // Chunks may share their bytes, and a selection may use a chunk more than once.
    if (last >= 0 && address[last] === address[j] && storedBytes[last] === storedBytes[j]) {
      place[entry] = place[chunk[last]! - index.table.first]!;
      continue;
    }
    last = j;
    place[entry] = end;
    addPiece(pieces, { address: address[j]!, place: end, bytes: storedBytes[j]! });
    end += storedBytes[j]!;
  }
  return { index, pieces, place, end };
}

function addPiece(pieces: Piece[], next: Piece): void {
  const open = pieces.at(-1);
  const follows = open && open.address + open.bytes === next.address;
  if (follows && open.bytes + next.bytes <= READ_BYTES) open.bytes += next.bytes;
  else pieces.push(next);
}

/** A piece of work that needs its files no more, and the memory that it reads instead. */
export interface HeldWork {
  readonly prepared: Prepared;
  readonly memory: OutputMemory;
}

/** Reads what was planned (and admitted). @throws MissingFileError, BackendError, AbortError, MemoryLimitError. */
export async function holdChunks(prepared: Prepared, plan: HoldPlan, cancel: CancelScope): Promise<HeldWork> {
  const memory = allocateFrames(prepared.acquisition.path, plan.bytes);
  try {
    const indexes: SegmentIndex[] = [];
    for (const segment of plan.segments) {
      prepared.ahead.reach(segment.index.facts.file);
      indexes.push(await holdSegment(segment, memory, cancel));
    }
    return { prepared: { ...prepared, indexes }, memory };
  } catch (error) {
    releaseFrames(memory);
    throw error;
  }
}

async function holdSegment(
  { index, pieces, place }: SegmentPlan,
  memory: OutputMemory,
  cancel: CancelScope,
): Promise<SegmentIndex> {
  const { table, facts } = index;
  return withDataFile(facts.file, async (file) => {
    for (const piece of pieces) {
      const filled = await readPiece(file, piece, memory);
      cancel.check();
      if (filled === piece.bytes) continue;
      // The file has become shorter since it was opened: chunks that were not read whole are not held.
      const [from, to] = [piece.place, piece.place + piece.bytes];
      for (let c = 0; c < place.length; c++) {
        const here = place[c]! >= from && place[c]! < to;
        if (here && place[c]! + table.bytes[c]! > from + filled) place[c] = Number.NaN;
      }
    }
    const held = { memory, first: table.first, address: place };
    return { ...index, held: { path: facts.file, fd: -1, bytes: file.bytes, held } };
  });
}

const readAt = promisify(read);

/** Bytes read before the end of the file. @throws BackendError the system cannot read the file. */
async function readPiece(file: DataFile, piece: Piece, memory: OutputMemory): Promise<number> {
  let filled = 0;
  try {
    while (filled < piece.bytes) {
      const bytes = Math.min(READ_BYTES, piece.bytes - filled);
      const target = new Uint8Array(memory.buffer, memory.start + piece.place + filled, bytes);
      const { bytesRead } = await readAt(file.fd, target, 0, bytes, piece.address + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return filled;
  } catch (cause) {
    throw unreadable(file.path, piece, cause);
  }
}
