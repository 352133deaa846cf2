import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Event, Pose } from "../src/events";
import { NOTHING, reduce } from "../src/reduce";

const POSE: Pose = { viewpoint: "a", heading: 3, row: 1 };
const BEGUN = {
  kind: "begun",
  mode: "help",
  episode: "e",
  house: "h",
  sentence: "Find a mug.",
  time: 9,
  requests: 1,
  k: 4,
  start: POSE,
  link: null,
  day: null,
  until: null,
  agent: null,
  around: false,
} as const;
const stood = (step: number) =>
  ({ kind: "stood" as const, step, pose: POSE, steps_left: 9 - step, requests_left: 1, ahead: ["b"] }) satisfies Unnumbered;

type Unnumbered = Event extends infer Each ? (Each extends Event ? Omit<Each, "number"> : never) : never;
const numbered = (...events: Unnumbered[]) => events.map((event, i) => ({ ...event, number: i + 1 }) as Event);

const anyEvent: fc.Arbitrary<Unnumbered> = fc.oneof(
  fc.constant<Unnumbered>(BEGUN),
  fc.integer({ min: 0, max: 6 }).map<Unnumbered>(stood),
  fc.constant<Unnumbered>({ kind: "thought", before: [1, 0, 0, 0, 0, 0], after: [], ask: 0.5, attention: [["find", 1]] }),
  fc.constant<Unnumbered>({ kind: "asked", step: 0, by: "agent" }),
  fc.constant<Unnumbered>({ kind: "waits", step: 0, way: ["a"], offer: "stop" }),
  fc.string().map<Unnumbered>((text) => ({ kind: "advised", by: "visitor", text, understood: null, parts: [] })),
  fc.constant<Unnumbered>({ kind: "acted", action: "left", pose: POSE }),
  fc.constant<Unnumbered>({
    kind: "ended",
    reason: "time",
    success: false,
    metres: 2,
    goals: ["b"],
    walk: null,
    its_success: null,
    score: null,
    link: null,
    ending: null,
  }),
  fc.string().map<Unnumbered>((text) => ({ kind: "said", text })),
);
const anyLog = fc.array(anyEvent, { maxLength: 30 }).map((events) => numbered(...events));

describe("reduce", () => {
  it("comes to the same wherever a log is cut in two", () => {
    fc.assert(
      fc.property(anyLog, fc.nat(30), (log, cut) => {
        expect(reduce(reduce(NOTHING, log.slice(0, cut)), log.slice(cut))).toEqual(reduce(NOTHING, log));
      }),
    );
  });

  it("takes no event twice", () => {
    fc.assert(
      fc.property(anyLog, fc.nat(30), (log, from) => {
        const once = reduce(NOTHING, log);
        expect(reduce(once, log.slice(from))).toEqual(once);
      }),
    );
  });

  it("begins anew with an episode", () => {
    const state = reduce(NOTHING, numbered(BEGUN, stood(0), { kind: "said", text: "hm" }, { ...BEGUN, episode: "f" }));
    expect([state.begun?.episode, state.steps, state.said]).toEqual(["f", [], null]);
  });

  it("forgets what came after a step that is told again", () => {
    const acted = { kind: "acted", action: "left", pose: POSE } as const;
    const state = reduce(NOTHING, numbered(BEGUN, stood(0), acted, stood(1), acted, stood(0)));
    expect(state.steps.map((each) => [each.step, each.acted])).toEqual([[0, null]]);
  });

  it("waits until somebody answers", () => {
    const log = numbered(
      BEGUN,
      stood(0),
      { kind: "asked", step: 0, by: "agent" },
      { kind: "waits", step: 0, way: ["a", "b"], offer: "stop" },
    );
    const waiting = reduce(NOTHING, log);
    expect(waiting.waits?.offer).toBe("stop");
    expect(
      reduce(waiting, [{ number: 5, kind: "advised", by: "visitor", text: "stop", understood: "stop", parts: [] }]).waits,
    ).toBeNull();
  });

  it("lets pass what it does not know", () => {
    expect(reduce(NOTHING, [{ number: 1, kind: "sung" } as unknown as Event])).toEqual({ ...NOTHING, number: 1 });
  });
});
