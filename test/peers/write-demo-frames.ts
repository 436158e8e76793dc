// Owns: writing the demo's source frames, one after the other, to the file named second; for demo_files.py.
// Must not know: files, compression.
import { writeFileSync } from "node:fs";
import { DEMO, demoFrame } from "../fixtures/demo";

const result = process.argv[3];
if (!result) throw new Error("usage: write-demo-frames.js <unused> <result>");
writeFileSync(result, Buffer.concat(Array.from({ length: DEMO.frames }, (_, i) => demoFrame(i))));
