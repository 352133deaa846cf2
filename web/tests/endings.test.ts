import { beforeEach, describe, expect, it, vi } from "vitest";
import type { DayResult } from "../src/events";
import { keep, lastDays, results, streak } from "../src/history";
import { named, type Plan, type XY } from "../src/house";
import { headingsOfWays } from "../src/parts/Around";
import { crosses, labels, overlap as overlaps } from "../src/parts/labels";
import { hull } from "../src/parts/Outline";
import { robot, summary } from "../src/parts/share";
import { sureness, wentWrong } from "../src/words";

const box = (west: number, south: number, east: number, north: number): XY[] => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
];
const RESULT: DayResult = {
  date: "2026-11-18",
  success: true,
  steps: 12,
  requests: 1,
  seconds: 74,
  its_success: false,
  its_steps: 25,
  marks: [0, 1],
  token: "t",
};

describe("names of rooms", () => {
  const overlap = (found: ReturnType<typeof labels>) =>
    found.some((a, i) =>
      found
        .slice(i + 1)
        .some(({ box: b }) => a.box.west < b.east && b.west < a.box.east && a.box.south < b.north && b.south < a.box.north),
    );

  it("keep apart where rooms overlap", () => {
    const rooms = [
      { label: "bathroom", polygon: box(0, 0, 6, 2) },
      { label: "entryway", polygon: box(3, 0, 9, 2) },
      { label: "hallway", polygon: box(0, 0, 9, 2) },
    ];
    const found = labels(rooms, 0.5, []);
    expect(found).toHaveLength(3);
    expect(overlap(found)).toBe(false);
  });

  it("are left out where they do not fit", () => {
    expect(labels([{ label: "bathroom", polygon: box(0, 0, 1, 1) }, { polygon: box(0, 0, 9, 9) }], 1, [])).toEqual([]);
  });

  it("are turned where they fit no other way, or would cover a sign", () => {
    const narrow = labels([{ label: "bathroom", polygon: box(0, 0, 1, 9) }], 0.5, []);
    expect(narrow.map((each) => [each.turned, each.lines])).toEqual([[true, ["bathroom"]]]);
    const room = [{ label: "bedroom", polygon: box(0, 0, 6, 6) }];
    const [level] = labels(room, 0.5, []);
    expect(level).toMatchObject({ turned: false, at: [3, 3] });
    const sign = { west: 1.5, east: 6, south: 0, north: 6 };
    const [moved] = labels(room, 0.5, [], [sign]);
    expect(moved?.turned).toBe(true);
    expect(moved && overlaps(moved.box, sign)).toBe(false);
  });

  it("give way to the lines of the plan", () => {
    const line: [XY, XY] = [
      [0, 2],
      [8, 2],
    ];
    const [label] = labels([{ label: "gym", polygon: box(0, 0, 8, 4) }], 0.5, [line]);
    expect(label && crosses(label.box, line)).toBe(false);
  });
});

it("a line goes through a box only where it is inside of it", () => {
  const square = { west: 0, east: 2, south: 0, north: 2 };
  const line = (...[a, b, c, d]: [number, number, number, number]): [XY, XY] => [
    [a, b],
    [c, d],
  ];
  expect(
    [line(-1, 1, 3, 1), line(1, 1, 1, 1), line(-1, 3, 3, 3), line(-2, 1, 1, 4), line(3, 0, 3, 2)].map((each) =>
      crosses(square, each),
    ),
  ).toEqual([true, true, false, false, false]);
});

it("the hull of a box's corners is its outline", () => {
  const corners: XY[] = [...box(0, 0, 2, 1), [1, 0.5], [2, 1]];
  expect(hull(corners)).toHaveLength(4);
  expect(hull([[0, 0], [1, 1], [2, 2]])).toHaveLength(2); // prettier-ignore
});

it("ways are where the adjoining places are", () => {
  const at = (x: number, y: number) => ({ at: [x, y, 1.5] as [number, number, number], storey: 0 });
  const plan: Plan = {
    house: "h",
    storeys: [],
    viewpoints: { a: at(0, 0), north: at(0, 3), west: at(-2, 0), far: at(5, 5) },
    edges: [
      ["a", "north"],
      ["west", "a"],
      ["north", "far"],
    ],
  };
  expect([...headingsOfWays(plan, "a")].sort()).toEqual([0, 9]);
  expect(headingsOfWays(plan, "nowhere").size).toBe(0);
});

it("rooms get their names when they may be told", () => {
  const plan: Plan = {
    house: "h",
    storeys: [{ name: "0", rooms: [{ polygon: [] }, { polygon: [] }], walls: [] }],
    viewpoints: {},
    edges: [],
  };
  expect(named(plan, [["kitchen", null]])?.storeys[0]?.rooms.map((room) => room.label)).toEqual(["kitchen", null]);
  expect(named(plan, null)).toBe(plan);
});

it("what is said of how sure it is goes by the two most probable actions", () => {
  const said = (...chances: number[]) => sureness([...chances, ...Array(6 - chances.length).fill(0)]);
  expect(said(0.5, 0.49)).toBe("It wavers between “turn left” and “turn right”.");
  expect(said(0.9, 0.1)).toBe("It is sure of what to do.");
  expect(said(0.6, 0.25)).toBe("It is fairly sure of what to do.");
  expect(said(0.5, 0.35)).toBe("It is unsure of what to do.");
});

it("a failure is told by where it was still right", () => {
  const pose = { viewpoint: "a", heading: 0, row: 1 };
  expect(wentWrong({ step: 4, pose, metres: 5.21, left: true }, "it")).toContain("Until step 5 the way was right");
  expect(wentWrong({ step: 4, pose, metres: 1.7, left: true }, "you")).toContain("you were near enough");
  expect(wentWrong({ step: 4, pose, metres: 5.21, left: false }, "you")).toContain("nowhere nearer than at the end");
});

describe("one's own days", () => {
  const kept = new Map<string, string>();
  beforeEach(() => {
    kept.clear();
    vi.stubGlobal("localStorage", {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => kept.set(key, value),
    });
  });

  it("keep the first result of each", () => {
    keep(RESULT);
    keep({ ...RESULT, steps: 1 });
    expect(results()[RESULT.date]?.steps).toBe(12);
  });

  it("are nothing where the browser holds something else", () => {
    for (const text of ["[]", "null", "nonsense", "3"]) {
      kept.set("vnla-days", text);
      expect(results()).toEqual({});
    }
  });

  it("count in a row, over the turn of a month too", () => {
    const found = (...dates: string[]) => Object.fromEntries(dates.map((date) => [date, { ...RESULT, date }]));
    expect(streak(found("2026-10-31", "2026-11-01", "2026-11-02"), "2026-11-02")).toBe(3);
    expect(streak(found("2026-10-31", "2026-11-01"), "2026-11-02")).toBe(2);
    expect(streak(found("2026-10-30"), "2026-11-02")).toBe(0);
    expect(lastDays("2026-03-01", 2)).toEqual(["2026-02-28", "2026-03-01"]);
  });
});

it("a result in words says neither what nor where", () => {
  expect(summary(RESULT)).toBe("Found in 12 steps, 1 request, 74 s.");
  expect(summary({ ...RESULT, success: false, steps: 1 })).toBe("Not found: 1 step, 1 request, 74 s.");
  expect([robot(RESULT), robot({ ...RESULT, its_success: null })]).toEqual(["The robot did not find it.", ""]);
});
