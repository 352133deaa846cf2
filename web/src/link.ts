/** The fragment of the page's address that gives exactly this walk again, with all that was said on it. */

import type { State } from "./reduce";

const PREFIX = "w=";

/** The link of an episode that begins at `begun.link`, with what the visitor said since; the same as `vnla.serve.wanted`. */
export function linkOf({ begun, steps }: State): string | null {
  if (!begun?.link) return null;
  const wanted = JSON.parse(decoded(begun.link.replace(PREFIX, ""))) as Record<string, unknown>;
  const said = steps.flatMap(({ step, advised }) => (advised?.by === "visitor" ? [{ step, text: advised.understood }] : []));
  return PREFIX + encoded(JSON.stringify(said.length ? { ...wanted, said } : wanted));
}

function decoded(code: string): string {
  const bytes = Uint8Array.from(atob(code.replaceAll("-", "+").replaceAll("_", "/")), (each) => each.charCodeAt(0));
  return new TextDecoder().decode(bytes);
}

function encoded(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
