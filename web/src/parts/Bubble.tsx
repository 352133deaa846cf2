/** What is being said, over the picture. */

import type { Frame } from "../frames";
import type { State } from "../reduce";

/** The question or the answer of a moment. */
export function Bubble({ state, frame }: { state: State; frame: Frame | undefined }) {
  const step = frame && state.steps[frame.step];
  if (!frame || !step) return null;
  if (frame.phase === "ask") {
    return <p class="bubble asks">{step.asked === "visitor" ? "Where should I go?" : "I am lost. Where should I go?"}</p>;
  }
  if (frame.phase === "hear" && step.advised) {
    return <p class="bubble answers">{step.advised.text || "…"}</p>;
  }
  return null;
}
