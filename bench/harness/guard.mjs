// Owns: `npm run bench -- --guard`: ratios of short runs against floors, repeated before one counts as missed.
// Must not know: how contenders are made or timed.
import { framelabLoader, h5wasmLoader } from "../contenders/loaders.mjs";
import { runDecode } from "./decode.mjs";
import { runLoad } from "./load.mjs";
import { prepareDecoders, prepareLoad, prepareSets, prepareTools } from "./prepare.mjs";
import { decodeRatios, LIBRARIES, loadRatio, meanRatio } from "./ratios.mjs";

/**
 * Floors, well under what the decoder is made for, so that a busy machine passes and a lost technique does not. Counts
 * on one core, geometric mean over u8, u16 and u32, against the fastest library compiled for at most that set.
 */
const COUNTS_FLOORS = { avx512: 1.5, avx2: 1.3 };
/** A whole warm load of 1.2 GB with fresh output against h5wasm; a small one would time the opening of files. */
const H5WASM_FLOOR = 5;
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
  if (tools) checks.push(...checkDecode(tools), await checkLoad(tools));
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

async function checkLoad(tools) {
  const what = "whole warm load, fresh output, over h5wasm";
  const acquisition = prepareLoad(tools, "large");
  const loaders = [{ ...framelabLoader(), outputs: ["fresh"] }, h5wasmLoader()];
  let best = null;
  for (let attempt = 1; attempt <= ATTEMPTS && (best ?? 0) < H5WASM_FLOOR; attempt++) {
    const { rows, skipped } = await runLoad(acquisition, loaders, LOAD_ROUNDS);
    const h5wasm = skipped.find((entry) => entry.what.includes("h5wasm"));
    if (h5wasm) return { what, skipped: h5wasm.why };
    if (skipped.length > 0) return { what, failed: skipped[0].why };
    best = Math.max(best ?? 0, loadRatio(rows, rows[0].case, "fresh", { contender: "h5wasm" }));
  }
  return { what, ratio: best, floor: H5WASM_FLOOR };
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
