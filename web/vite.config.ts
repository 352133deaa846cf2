import { writeFileSync } from "node:fs";
import { join } from "node:path";
import preact from "@preact/preset-vite";
import { defineConfig, type Plugin } from "vite";
// @ts-expect-error: plain JavaScript
import { sourcesHash } from "./sources.mjs";

const OUT = join(import.meta.dirname, "../src/vnla/serve/assets");

/** Keeps beside the built page what it was built from. */
const keepHash: Plugin = {
  name: "sources-hash",
  apply: "build",
  closeBundle: () => writeFileSync(join(OUT, "sources.sha256"), `${sourcesHash(import.meta.dirname)}\n`),
};

export default defineConfig({
  base: "/assets/",
  plugins: [preact({ devToolsEnabled: false, prefreshEnabled: false }), keepHash],
  build: { outDir: OUT, assetsDir: "", emptyOutDir: true, target: "es2022", modulePreload: { polyfill: false } },
});
