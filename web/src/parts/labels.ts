/** Where the names of rooms stand on a plan: inside of their rooms, over no other name, and over as few lines as possible. */

import type { XY } from "../house";

interface Box {
  west: number;
  east: number;
  south: number;
  north: number;
}

export interface Label {
  lines: string[];
  at: XY; // the middle of the text
  box: Box;
}

const WIDE = 0.56; // of a letter, as a share of its height
const LINE = 1.05;
const PLACES = 5; // tried in each direction

/** The names that have room, the largest rooms first; each `line` is something that should not be covered. */
export function labels(
  rooms: readonly { polygon: readonly XY[]; label?: string | null }[],
  size: number,
  lines: readonly (readonly [XY, XY])[],
): Label[] {
  const found: Label[] = [];
  const sized = rooms.flatMap(({ polygon, label }) => (label ? [{ name: label, box: around(polygon) }] : []));
  sized.sort((a, b) => area(b.box) - area(a.box));
  for (const { name, box } of sized) {
    const tries = [[name], name.split(/[\s/]+/)].flatMap((text) => within(text, box, size));
    const free = tries.filter((each) => !found.some((other) => overlap(each.box, other.box)));
    const struck = free.map((each) => lines.filter((line) => crosses(each.box, line)).length);
    const best = free[struck.indexOf(Math.min(...struck))];
    if (best) found.push(best);
  }
  return found;
}

/** All places in a room where a text fits, the middle first. */
function within(lines: string[], room: Box, size: number): Label[] {
  const half = [Math.max(...lines.map((line) => line.length)) * size * WIDE, lines.length * size * LINE].map(
    (each) => each / 2,
  );
  const [wide, high] = [half[0] ?? 0, half[1] ?? 0];
  const spare = [(room.east - room.west) / 2 - wide, (room.north - room.south) / 2 - high];
  const [across, along] = [spare[0] ?? 0, spare[1] ?? 0];
  if (across < 0 || along < 0) return [];
  const [aside, up] = [Math.max(0, across - size / 2), Math.max(0, along - size / 2)]; // not at the walls
  const steps = [0, 1, -1, 0.5, -0.5].slice(0, PLACES);
  return steps.flatMap((down) =>
    steps.map((right): Label => {
      const at: XY = [(room.west + room.east) / 2 + right * aside, (room.south + room.north) / 2 + down * up];
      return { lines, at, box: { west: at[0] - wide, east: at[0] + wide, south: at[1] - high, north: at[1] + high } };
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

function overlap(a: Box, b: Box): boolean {
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
