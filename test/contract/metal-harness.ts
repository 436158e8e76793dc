// Owns: the addon over the stand-in Metal device, in the place of the package's own, and the faults that tests order from it.
// Must not know: what the tests check.
//
// It is the Metal host itself, compiled on Linux against a stand-in for Apple's frameworks that runs the kernels lane by
// lane on the CPU: about 2,000 blocks a second.
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type Addon, useAddon } from "#framelab/backends/addon";

/** Faults from opening on. */
export interface OpeningFaults {
  readonly noDevice?: boolean;
  readonly compileError?: boolean;
  readonly simdWidth?: number;
  readonly wrongKernel?: string;
  readonly mostBufferBytes?: number;
  readonly workingSetBytes?: number;
  /** Longest wait for a command buffer. */
  readonly waitMs?: number;
}

/** Faults of an open device. */
export interface RunningFaults {
  readonly refuseNoCopy?: boolean;
  readonly refuseBuffers?: boolean;
  readonly failingCommands?: number;
  readonly failure?: string;
  readonly neverEnds?: boolean;
}

/** Command buffers committed and not ended, now and most since the last hold; bytes read, and straight to the GPU's memory. */
export interface Flow {
  readonly inFlight: number;
  readonly mostInFlight: number;
  readonly read: number;
  readonly readStraight: number;
}

export interface StandIn extends Addon {
  /** These faults and no others from now on; the device is opened anew at the next load. */
  standInFaults(faults: OpeningFaults): void;
  standInBreak(faults: RunningFaults): void;
  standInCounts(): { readonly objects: number; readonly commands: number };
  /** While held, no command buffer runs, as behind another program's long work. */
  standInHold(held: boolean): void;
  standInFlow(): Flow;
  /** Addresses [begin, end) of the output's memory that buffers of the GPU lie over now. */
  standInWindows(): (readonly [number, number])[];
}

interface Script {
  standInRefused(): string | null;
  buildStandIn(): Promise<string>;
}

const SCRIPT = resolve(__dirname, "../../../scripts/metal-standin.mjs");

/** Builds the stand-in and makes every load of this process use it; or says why it cannot. */
export async function useStandIn(): Promise<StandIn | { readonly skip: string }> {
  const script = (await import(pathToFileURL(SCRIPT).href)) as Script;
  const refused = script.standInRefused();
  if (refused !== null) return { skip: refused };
  const addon = require(await script.buildStandIn()) as StandIn;
  useAddon(addon);
  return addon;
}
