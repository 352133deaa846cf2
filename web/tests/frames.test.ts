import { describe, expect, it } from "vitest";
import type { Pose } from "../src/events";
import { frameOfStep, frames, posesUntil } from "../src/frames";
import { NOTHING, type State, type Step } from "../src/reduce";

const at = (viewpoint: string, heading = 0): Pose => ({ viewpoint, heading, row: 1 });
const step = (number: number, more: Partial<Step>): Step => ({
  step: number,
  pose: at("a"),
  steps_left: 5,
  requests_left: 1,
  ahead: [],
  thought: null,
  asked: null,
  advised: null,
  acted: null,
  ...more,
});
const STATE: State = {
  ...NOTHING,
  steps: [
    step(0, { acted: { action: "right", pose: at("a", 1) } }),
    step(1, {
      pose: at("a", 1),
      asked: "agent",
      advised: { by: "advisor", text: "go forward", understood: null, parts: [] },
      acted: { action: "forward", pose: at("b", 1) },
    }),
  ],
  ended: {
    reason: "time",
    success: true,
    metres: 0,
    goals: ["b"],
    walk: null,
    its_success: null,
    score: null,
    link: null,
    ending: null,
  },
};

describe("frames", () => {
  it("shows thinking, asking, hearing, acting and the end", () => {
    expect(frames(STATE).map(({ step, phase }) => `${step} ${phase}`)).toEqual([
      "0 stand",
      "0 act",
      "1 stand",
      "1 ask",
      "1 hear",
      "1 act",
      "1 end",
    ]);
  });

  it("ends where the agent waits", () => {
    expect(frames({ ...STATE, ended: null, steps: [step(0, { asked: "agent" })] }).at(-1)?.phase).toBe("ask");
  });

  it("finds the first moment of a step, and the last of what there is", () => {
    const all = frames(STATE);
    expect([frameOfStep(all, 0), frameOfStep(all, 1), frameOfStep(all, 9), frameOfStep([], 3)]).toEqual([0, 2, 6, 0]);
  });

  it("knows where the agent has been at a moment", () => {
    const all = frames(STATE);
    expect(posesUntil(STATE, all[1]).map((pose) => pose.heading)).toEqual([0, 1]);
    expect(posesUntil(STATE, all[5]).at(-1)?.viewpoint).toBe("b");
    expect(posesUntil(STATE, undefined)).toEqual([]);
  });
});
