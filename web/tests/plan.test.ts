import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inside, type Plan, roomOf, type XY } from "../src/house";
import { fan, sides } from "../src/seen";
import { adjoining, appears, between, cameraAt, eased, onward } from "../src/view/path";
import { ending, place, sureness, times, wanted } from "../src/words";

const SQUARE: XY[] = [
  [0, 0],
  [4, 0],
  [4, 4],
  [0, 4],
];
const PLAN: Plan = {
  house: "h",
  storeys: [{ name: "Level 0", rooms: [{ label: "kitchen", polygon: SQUARE }], walls: [] }],
  viewpoints: { a: { at: [2, 2, 1.5], storey: 0 }, b: { at: [9, 2, 1.5], storey: 0 } },
  edges: [["a", "b"]],
};

describe("a plan", () => {
  it("knows what is inside of a room", () => {
    expect([inside(SQUARE, 2, 2), inside(SQUARE, 5, 2)]).toEqual([true, false]);
    expect([roomOf(PLAN, "a"), roomOf(PLAN, "b"), roomOf(PLAN, "nowhere")]).toEqual(["kitchen", null, null]);
  });

  it("lets nobody see through walls", () => {
    const seen = fan([2, 2], 0, sides([SQUARE]));
    expect(seen[0]).toEqual([2, 2]);
    expect(Math.max(...seen.map(([, y]) => y))).toBeCloseTo(4);
    expect(seen.every(([, y]) => y >= 2 && y < 4.001)).toBe(true);
  });

  it("looks where the heading points", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 11 }), (heading) => {
        const [x, y] = fan([0, 0], heading, [])[21] as XY; // the middle ray
        expect(Math.atan2(x, y)).toBeCloseTo(
          Math.atan2(Math.sin((heading * Math.PI) / 6), Math.cos((heading * Math.PI) / 6)),
        );
      }),
    );
  });
});

describe("the camera", () => {
  it("goes on to the nearest place to the middle of what it sees", () => {
    const at = (x: number, y: number) => ({ at: [x, y, 1.5] as [number, number, number], storey: 0 });
    const plan: Plan = {
      ...PLAN,
      viewpoints: { a: at(0, 0), east: at(5, 1), north: at(1, 3), far: at(0, 9) },
      edges: [
        ["a", "east"],
        ["north", "a"],
      ],
    };
    const headings = Array.from({ length: 12 }, (_, heading) => onward(plan, { viewpoint: "a", heading, row: 1 }));
    // North lies 18° to the right of heading 0, east at 79°; 40° to either side are seen.
    expect(headings).toEqual(["north", "north", "east", "east", ...Array(8).fill(null)]);
    expect(onward(plan, { viewpoint: "far", heading: 0, row: 1 })).toBeNull();
  });

  it("shows what is ahead in the middle, and what is below the horizon below it", () => {
    const camera = cameraAt(PLAN, { viewpoint: "a", heading: 3, row: 1 })!;
    expect(appears(camera, [9, 2, 1.5])).toEqual([expect.closeTo(0.5), expect.closeTo(0.5)]);
    // Seven metres ahead the picture is 2 · 7 · tan 30° = 8.08 m high.
    expect(appears(camera, [9, 2, 0])?.[1]).toBeCloseTo(0.5 + 1.5 / 8.083, 3);
    expect(appears(camera, [9, 0, 1.5])?.[0]).toBeCloseTo(0.5 + 2 / (8.083 * (4 / 3)), 3);
    expect(appears(camera, [0, 2, 1.5])).toBeNull();
    expect(appears({ ...camera, elevation: -Math.PI / 6 }, [9, 2, 1.5])?.[1]).toBeCloseTo(0);
  });

  it("turns the shorter way", () => {
    const from = { place: [0, 0, 0] as [number, number, number], heading: (11 * Math.PI) / 6, elevation: 0 };
    expect(between(from, { ...from, heading: 0 }, 0.5).heading).toBeCloseTo((23 * Math.PI) / 12);
  });

  it("begins and ends where it should", () => {
    fc.assert(
      fc.property(fc.nat(11), fc.nat(11), (a, b) => {
        const [from, to] = [
          cameraAt(PLAN, { viewpoint: "a", heading: a, row: 0 }),
          cameraAt(PLAN, { viewpoint: "b", heading: b, row: 2 }),
        ];
        if (!from || !to) throw new Error("no camera");
        expect(between(from, to, 0)).toEqual(from);
        expect(Math.cos(between(from, to, 1).heading)).toBeCloseTo(Math.cos(to.heading));
        expect(between(from, to, 1).place).toEqual(to.place);
      }),
    );
  });

  it("is slow at both ends", () => {
    expect([eased(-1), eased(0.5), eased(2)]).toEqual([0, 0.5, 1]);
    expect(eased(0.1)).toBeLessThan(0.1);
  });

  it("walks along edges only", () => {
    expect([adjoining(PLAN, "b", "a"), adjoining(PLAN, "a", "a")]).toEqual([true, false]);
  });
});

describe("words", () => {
  it("are plain", () => {
    expect(wanted("Find a mug in the kitchen.")).toBe("a mug in the kitchen");
    expect([1, 2, 3].map(times)).toEqual(["once", "twice", "3 times"]);
    expect(place(PLAN, { viewpoint: "a", heading: 3, row: 0 })).toBe("in the kitchen, looking east and down");
    expect(ending({ reason: "stopped", success: true, metres: 0 }, "You")).toBe("You found it. You stopped, at the goal.");
    expect(ending({ reason: "time", success: false, metres: 3.14 }, "It")).toBe(
      "It did not find it. Its time is up, 3.1\u00a0m from the goal.",
    );
    expect([sureness([1, 0, 0, 0, 0, 0]), sureness(Array<number>(6).fill(1 / 6))]).toEqual([
      "It is sure of what to do.",
      "It has no idea of what to do.",
    ]);
  });
});
