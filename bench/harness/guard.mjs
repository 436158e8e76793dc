// Owns: `npm run bench -- --guard`: ratios of short runs against floors, repeated before one counts as missed.
// Must not know: how contenders are made or timed.
import { framelabLoader, h5pyLoader, h5wasmLoader } from "../contenders/loaders.mjs";
import { ensurePythonPackages } from "../contenders/sources.mjs";
import { runDecode } from "./decode.mjs";
import { runLoad } from "./load.mjs";
import { prepareDecoders, prepareLoad, prepareSets, prepareTools } from "./prepare.mjs";
import { decodeRatios, LIBRARIES, loadRatio, meanRatio } from "./ratios.mjs";

/**
 * Floors, well under what the decoder is made for, so that a busy machine passes and a lost technique does not. Counts
 * on one core, geometric mean over u8, u16 and u32, against the fastest library compiled for at most that set.
 */
const COUNTS_FLOORS = { avx512: 1.7, avx2: 1.6 };
/** A whole warm load of 1.2 GB with fresh output against h5wasm; a small one would time the opening of files. */
const H5WASM_FLOOR = 6;
/** The same with kept memory against h5py + hdf5plugin in one process, into the same array again. */
const H5PY_FLOOR = 3;
/** A ratio counts as missed when this many runs miss it. */
const ATTEMPTS = 3;
const DECODE_ROUNDS = 7;
const LOAD_ROUNDS = 3;

/** Runs every check; gives the number of floors that were missed. */
export async function guard() {
  const checks = [];
  let tools;
  try {
    tools = prepareTools();
  } catch (error) {
    checks.push({ what: "all ratios", skipped: error.message });
  }
  if (tools) checks.push(...checkDecode(tools), ...(await checkLoads(tools)));
  return conclude(checks);
}

function checkDecode(tools) {
  const { contenders, skipped } = prepareDecoders(tools);
  const checks = skipped.map(({ what, why }) => ({ what: `decode against ${what}`, skipped: why }));
  const floors = Object.entries(COUNTS_FLOORS);
  const chosen = contenders.filter(
    ({ contender, isa }) =>
      LIBRARIES.includes(contender) || (contender === "framelab" && isa in COUNTS_FLOORS),
  );
  const plan = {
    rounds: DECODE_ROUNDS,
    threads: [1],
    sets: prepareSets(tools, ["counts"]),
    contenders: chosen,
  };
  const best = new Map();
  const missing = () => floors.filter(([isa, floor]) => (best.get(isa) ?? floor) < floor);
  for (let attempt = 1; attempt === 1 || (attempt <= ATTEMPTS && missing().length > 0); attempt++) {
    const { rows } = runDecode(tools.program, plan);
    for (const [isa] of floors) {
      const ratio = meanRatio(decodeRatios(rows, isa));
      if (ratio !== null) best.set(isa, Math.max(ratio, best.get(isa) ?? 0));
    }
  }
  for (const [isa, floor] of floors) {
    const what = `counts, one core, ${isa} over the fastest library`;
    const ratio = best.get(isa);
    checks.push(
      ratio === undefined ? { what, skipped: `this machine has no ${isa}` } : { what, ratio, floor },
    );
  }
  return checks;
}

const LOAD_CHECKS = [
  {
    what: "whole warm load, fresh output, over h5wasm",
    output: "fresh",
    floor: H5WASM_FLOOR,
    loader: h5wasmLoader,
  },
  {
    what: "whole warm load, reused output, over h5py + hdf5plugin in one process",
    output: "reused",
    floor: H5PY_FLOOR,
    loader: () => {
      ensurePythonPackages();
      return { ...h5pyLoader(1), outputs: ["reused"] };
    },
  },
];

async function checkLoads(tools) {
  const acquisition = prepareLoad(tools, "large");
  const checks = [];
  for (const check of LOAD_CHECKS) checks.push(await checkLoad(acquisition, check));
  return checks;
}

async function checkLoad(acquisition, { what, output, floor, loader }) {
  let peer;
  try {
    peer = loader();
  } catch (error) {
    return { what, skipped: error.message };
  }
  const { contender } = peer;
  const loaders = [framelabLoader(output), peer];
  let best = null;
  for (let attempt = 1; attempt <= ATTEMPTS && (best ?? 0) < floor; attempt++) {
    const { rows, skipped } = await runLoad(acquisition, loaders, LOAD_ROUNDS);
    const absent = skipped.find((entry) => entry.what.includes(contender));
    if (absent) return { what, skipped: absent.why };
    if (skipped.length > 0) return { what, failed: skipped[0].why };
    best = Math.max(best ?? 0, loadRatio(rows, rows[0].case, output, { contender }));
  }
  return { what, ratio: best, floor };
}

function conclude(checks) {
  let passed = 0;
  let failed = 0;
  for (const { what, ratio, floor, skipped, failed: why } of checks) {
    if (skipped) {
      console.log(`skipped  ${what}: ${skipped}`);
    } else if (why) {
      failed += 1;
      console.log(`FAILED   ${what}: ${why}`);
    } else {
      const ok = ratio >= floor;
      if (ok) passed += 1;
      else failed += 1;
      console.log(`${ok ? "ok      " : "MISSED  "} ${what}: ${ratio.toFixed(2)} x, floor ${floor} x`);
    }
  }
  console.log(`guard: ${passed} passed, ${failed} failed, ${checks.length - passed - failed} skipped`);
  return failed;
}
