/** What can be seen from a place, on the floor plan: a fan of rays that end at walls. */

import type { XY } from "./house";

export const HALF_FIELD = (40 * Math.PI) / 180;
const RAYS = 41;
const FAR = 9;

type Wall = [XY, XY];

/** The sides of all walls of a storey. */
export function sides(walls: readonly XY[][]): Wall[] {
  return walls.flatMap((wall) => wall.map((from, i): Wall => [from, wall[(i + 1) % wall.length] ?? from]));
}

/** The corners of what is seen from a place under a heading (0 to 11, clockwise from north). */
export function fan([x, y]: XY, heading: number, walls: readonly Wall[]): XY[] {
  const middle = (heading * Math.PI) / 6;
  const near = walls.filter(([a, b]) => Math.min(Math.hypot(a[0] - x, a[1] - y), Math.hypot(b[0] - x, b[1] - y)) < 3 * FAR);
  const ends = Array.from({ length: RAYS }, (_, i): XY => {
    const angle = middle + HALF_FIELD * ((2 * i) / (RAYS - 1) - 1);
    const ahead: XY = [Math.sin(angle), Math.cos(angle)];
    const length = near.reduce((least, wall) => Math.min(least, meets([x, y], ahead, wall)), FAR);
    return [x + ahead[0] * length, y + ahead[1] * length];
  });
  return [[x, y], ...ends];
}

/** How far along a ray it meets a wall; infinity where it does not. */
function meets([x, y]: XY, [dx, dy]: XY, [[ax, ay], [bx, by]]: Wall): number {
  const [ex, ey] = [bx - ax, by - ay];
  const across = dx * ey - dy * ex;
  if (Math.abs(across) < 1e-9) return Infinity;
  const along = ((ax - x) * ey - (ay - y) * ex) / across;
  const share = ((ax - x) * dy - (ay - y) * dx) / across;
  return along > 1e-6 && share >= 0 && share <= 1 ? along : Infinity;
}
