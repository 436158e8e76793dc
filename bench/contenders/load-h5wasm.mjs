// Owns: h5wasm with h5wasm-plugins as a contender of the load bench.
// Must not know: the other contenders.
import h5wasm from "h5wasm/node";
import { install_local_plugins } from "h5wasm-plugins";
import { serve } from "./loader.mjs";

install_local_plugins(await h5wasm.ready);

await serve(async ({ dataFiles, dataset }) => {
  const start = performance.now();
  // One array a data file, never put together: the least work that gives all pixels.
  const pixels = dataFiles.map((path) => {
    const file = new h5wasm.File(path, "r");
    const { value } = file.get(dataset);
    file.close();
    return value;
  });
  return { ms: performance.now() - start, pixels };
});
