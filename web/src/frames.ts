/** An episode cut into moments to be shown one after the other. */

import type { Pose } from "./events";
import type { State, Step } from "./reduce";

export interface Frame {
  step: number; // place in the list of steps
  phase: "stand" | "ask" | "hear" | "act" | "end";
  pose: Pose;
  ms: number; // how long it is shown at the plain speed
}

export const TURN_MS = 250;
export const WALK_MS = 1100;
const THINK_MS = 350;
const ASK_MS = 1300;
const READ_MS = 1100;
const LETTER_MS = 45;

/** All moments that are known so far. */
export function frames(state: State): Frame[] {
  const found = state.steps.flatMap(ofStep);
  const last = found.at(-1);
  const pose = state.ended?.ending?.sought?.pose ?? last?.pose; // a walk that found it turns to it
  return state.ended && last && pose ? [...found, { ...last, pose, phase: "end", ms: 0 }] : found;
}

function ofStep(step: Step, index: number): Frame[] {
  const here = { step: index, pose: step.pose };
  const found: Frame[] = [{ ...here, phase: "stand", ms: THINK_MS }];
  if (step.asked) found.push({ ...here, phase: "ask", ms: ASK_MS });
  if (step.advised) found.push({ ...here, phase: "hear", ms: READ_MS + LETTER_MS * step.advised.text.length });
  if (step.acted) {
    const walks = step.acted.pose.viewpoint !== step.pose.viewpoint;
    found.push({ step: index, pose: step.acted.pose, phase: "act", ms: walks ? WALK_MS : TURN_MS + THINK_MS });
  }
  return found;
}

/** The first moment of a step. */
export function frameOfStep(all: readonly Frame[], step: number): number {
  const found = all.findIndex((frame) => frame.step >= step);
  return found < 0 ? Math.max(0, all.length - 1) : found;
}

/** Where the agent has stood, in order, up to a moment. */
export function posesUntil(state: State, frame: Frame | undefined): Pose[] {
  if (!frame) return [];
  const poses = state.steps.slice(0, frame.step + 1).map((step) => step.pose);
  return frame.phase === "act" || frame.phase === "end" ? [...poses, frame.pose] : poses;
}
