/** Where the names of rooms stand on a plan: inside of their rooms, over no other name, and over as few lines as possible. */

import type { XY } from "../house";

export interface Box {
  west: number;
  east: number;
  south: number;
  north: number;
}

export interface Label {
  lines: string[];
  turned: boolean; // whether it is read from below to above
  at: XY; // the middle of the text
  box: Box;
}

const WIDE = 0.56; // of a letter, as a share of its height
const LINE = 1.05;
const PLACES = 5; // tried in each direction
const SIGN = 100; // lines that a sign counts for
const TURNED = 20; // lines that it counts for when a name is turned

/**
 * The names that have room, the largest rooms first; `lines` and `signs` should not be covered. A name that has no
 * other place is turned.
 */
export function labels(
  rooms: readonly { polygon: readonly XY[]; label?: string | null }[],
  size: number,
  lines: readonly (readonly [XY, XY])[],
  signs: readonly Box[] = [],
): Label[] {
  const found: Label[] = [];
  const sized = rooms.flatMap(({ polygon, label }) => (label ? [{ name: label, box: around(polygon) }] : []));
  sized.sort((a, b) => area(b.box) - area(a.box));
  for (const { name, box } of sized) {
    const placed = (turned: boolean): Label[] =>
      [[name], name.split(/[\s/]+/)]
        .flatMap((text) => within(text, box, size, turned))
        .filter((each) => !found.some((other) => overlap(each.box, other.box)));
    const free = [...placed(false), ...placed(true)];
    const covers = (each: Label): number => {
      const struck = lines.filter((line) => crosses(each.box, line)).length;
      const hidden = signs.filter((sign) => overlap(each.box, sign)).length;
      return struck + SIGN * hidden + (each.turned ? TURNED : 0);
    };
    const covered = free.map(covers);
    const best = free[covered.indexOf(Math.min(...covered))];
    if (best) found.push(best);
  }
  return found;
}

/** All places in a room where a text fits, the middle first. */
function within(lines: string[], room: Box, size: number, turned: boolean): Label[] {
  const [long, thick] = [
    (Math.max(...lines.map((line) => line.length)) * size * WIDE) / 2,
    (lines.length * size * LINE) / 2,
  ];
  const [wide, high] = turned ? [thick, long] : [long, thick];
  const spare = [(room.east - room.west) / 2 - wide, (room.north - room.south) / 2 - high];
  const [across, along] = [spare[0] ?? 0, spare[1] ?? 0];
  if (across < 0 || along < 0) return [];
  const [aside, up] = [Math.max(0, across - size / 2), Math.max(0, along - size / 2)]; // not at the walls
  const steps = [0, 1, -1, 0.5, -0.5].slice(0, PLACES);
  return steps.flatMap((down) =>
    steps.map((right): Label => {
      const at: XY = [(room.west + room.east) / 2 + right * aside, (room.south + room.north) / 2 + down * up];
      return {
        lines,
        turned,
        at,
        box: { west: at[0] - wide, east: at[0] + wide, south: at[1] - high, north: at[1] + high },
      };
    }),
  );
}

function around(points: readonly XY[]): Box {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  return { west: Math.min(...xs), east: Math.max(...xs), south: Math.min(...ys), north: Math.max(...ys) };
}

function area({ west, east, south, north }: Box): number {
  return (east - west) * (north - south);
}

export function overlap(a: Box, b: Box): boolean {
  return a.west < b.east && b.west < a.east && a.south < b.north && b.south < a.north;
}

/** Whether a line goes through a box: some part of it is inside on both axes at once. */
export function crosses(box: Box, [[ax, ay], [bx, by]]: readonly [XY, XY]): boolean {
  let [first, last] = [0, 1];
  const bounds: [number, number, number, number][] = [
    [ax, bx - ax, box.west, box.east],
    [ay, by - ay, box.south, box.north],
  ];
  for (const [from, by_, low, high] of bounds) {
    if (by_ === 0) {
      if (from < low || from > high) return false;
      continue;
    }
    const ends = [(low - from) / by_, (high - from) / by_];
    first = Math.max(first, Math.min(...ends));
    last = Math.min(last, Math.max(...ends));
  }
  return first <= last;
}
