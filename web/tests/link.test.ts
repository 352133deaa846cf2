import { describe, expect, it } from "vitest";
import { linkOf } from "../src/link";
import { NOTHING, type State, type Step } from "../src/reduce";

// Text that needs no more than ASCII is the same in base64 and base64url but for the padding.
const encoded = (value: unknown) => `w=${btoa(JSON.stringify(value)).replaceAll("=", "")}`;
const decoded = (link: string | null) => JSON.parse(atob((link ?? "").slice(2))) as unknown;
const pose = { viewpoint: "a", heading: 0, row: 1 };
const begun = { mode: "help", episode: "e", house: "h", sentence: "", time: 9, requests: 1, k: 4, start: pose } as const;
const step = (number: number, by: "advisor" | "visitor", understood: string | null): Step => ({
  step: number, pose, steps_left: 1, requests_left: 1, ahead: [], thought: null, asked: "agent", acted: null,
  advised: { by, text: "", understood, parts: [] },
});

describe("a link", () => {
  it("keeps what the visitor said, and the silence", () => {
    const state: State = {
      ...NOTHING,
      begun: { ...begun, link: encoded({ task: "t1", seed: 7 }) },
      steps: [step(0, "advisor", "stop"), step(3, "visitor", "go forward"), step(5, "visitor", null)],
    };
    expect(decoded(linkOf(state))).toEqual({ task: "t1", seed: 7, said: [{ step: 3, text: "go forward" }, { step: 5, text: null }] });
  });

  it("is not there for a game", () => {
    expect(linkOf({ ...NOTHING, begun: { ...begun, link: null } })).toBeNull();
  });
});
