/** The object that was found, outlined in the picture. */

import type { Ended, Pose } from "../events";
import type { Plan, XY } from "../house";
import { appears, cameraAt } from "../view/path";

export type Sought = NonNullable<NonNullable<Ended["ending"]>["sought"]>;

const LEAST = 0.012; // of the picture's width: what is smaller gets a ring around it
const MARGIN = 0.01;

/** A line around the object, as it is seen from a pose; nothing where it is not in the picture. */
export function Outline({ plan, pose, sought }: { plan: Plan; pose: Pose; sought: Sought }) {
  const camera = cameraAt(plan, pose);
  const seen = camera && sought.corners.flatMap((corner) => appears(camera, corner) ?? []);
  if (!seen || seen.length < 2 * sought.corners.length) return null;
  const points = sought.corners.map((_, i): XY => [seen[2 * i] ?? 0, seen[2 * i + 1] ?? 0]);
  const around = grown(hull(points));
  return (
    <svg
      class={`outline ${sought.same_room ? "" : "hidden-behind"}`}
      viewBox="0 0 400 300"
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {["under", "over"].map((line) => (
        <polygon class={line} points={around.map(([x, y]) => `${(400 * x).toFixed(1)},${(300 * y).toFixed(1)}`).join(" ")} />
      ))}
    </svg>
  );
}

/** The corners of the smallest convex shape around some points, in order. */
export function hull(points: readonly XY[]): XY[] {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (some: readonly XY[]): XY[] => {
    const chain: XY[] = [];
    for (const point of some) {
      while (chain.length > 1 && turns(chain.at(-2) as XY, chain.at(-1) as XY, point) <= 0) chain.pop();
      chain.push(point);
    }
    return chain.slice(0, -1);
  };
  return [...half(sorted), ...half([...sorted].reverse())];
}

/** Positive where the way from a over b to c turns one way, negative where it turns the other. */
function turns([ax, ay]: XY, [bx, by]: XY, [cx, cy]: XY): number {
  return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
}

/** A little larger than the object, so that it is not covered. */
function grown(points: readonly XY[]): XY[] {
  const middle = [0, 1].map((i) => points.reduce((sum, point) => sum + (point[i] ?? 0), 0) / points.length);
  const [x, y] = [middle[0] ?? 0, middle[1] ?? 0];
  return points.map(([px, py]) => {
    const length = Math.max(Math.hypot(px - x, py - y), 1e-6);
    const share = Math.max(length + MARGIN, LEAST) / length;
    return [x + (px - x) * share, y + (py - y) * share];
  });
}
