// Owns: dist/plotly.min.js, the text that `show` inlines once a notebook: plotly.js-dist minified.
// Must not know: how it is shown.
import { createRequire } from "node:module";
import { join } from "node:path";
import { isNewer, root } from "./run-step.mjs";

const require = createRequire(import.meta.url);

/** Minifies plotly.js when it is not up to date (10 MB become 4.6 MB in about a second). */
export async function buildPlotly() {
  const input = require.resolve("plotly.js-dist");
  const output = join(root, "dist", "plotly.min.js");
  if (isNewer([output], [input])) return;
  console.log("Minifying plotly.js");
  const { build } = await import("esbuild");
  await build({ entryPoints: [input], outfile: output, minify: true, charset: "ascii", logLevel: "error" });
}
