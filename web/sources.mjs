// One number for all that the page is built from; a test of the package compares it with the one kept beside the built page.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";

const ROOTS = ["index.html", "package.json", "package-lock.json", "vite.config.ts", "tsconfig.json", "src"];

export function sourcesHash(folder) {
  const hash = createHash("sha256");
  for (const path of ROOTS.flatMap((root) => files(join(folder, root))).sort()) {
    hash.update(relative(folder, path).split(sep).join("/") + "\0");
    hash.update(readFileSync(path));
    hash.update("\0");
  }
  return hash.digest("hex");
}

function files(path) {
  try {
    return readdirSync(path, { withFileTypes: true }).flatMap((each) => files(join(path, each.name)));
  } catch {
    return [path];
  }
}
