/** Where the camera is on the way from one pose to another. Plain numbers, no drawing. */

import type { Pose } from "../events";
import type { Plan } from "../house";
import { HALF_FIELD } from "../seen";

/** In the house: x east, y north, z up. */
type Place = readonly [number, number, number];

export interface Camera {
  place: [number, number, number];
  heading: number; // radians, clockwise from north
  elevation: number;
}

const TURN = Math.PI / 6;

const ASPECT = 4 / 3; // of the agent's camera
const HALF_HEIGHT = Math.PI / 6;

/** The camera of an agent at rest; null where the plan does not have its viewpoint. */
export function cameraAt(plan: Plan, pose: Pose): Camera | null {
  const stand = plan.viewpoints[pose.viewpoint];
  return stand ? { place: stand.at, heading: pose.heading * TURN, elevation: (pose.row - 1) * TURN } : null;
}

/** Between two cameras; a turn takes the shorter way round. */
export function between(from: Camera, to: Camera, share: number): Camera {
  const round = 2 * Math.PI;
  const turn = ((((to.heading - from.heading + Math.PI) % round) + round) % round) - Math.PI;
  const mix = (a: number, b: number) => a + (b - a) * share;
  return {
    place: [mix(from.place[0], to.place[0]), mix(from.place[1], to.place[1]), mix(from.place[2], to.place[2])],
    heading: from.heading + turn * share,
    elevation: mix(from.elevation, to.elevation),
  };
}

/** Slow at both ends. */
export function eased(share: number): number {
  const within = Math.min(1, Math.max(0, share));
  return within * within * (3 - 2 * within);
}

/** The viewpoint that going forward leads to: of the adjoining ones in view the nearest to its middle. */
export function onward(plan: Plan, pose: Pose): string | null {
  const here = cameraAt(plan, pose);
  if (!here) return null;
  let [found, least]: [string | null, number] = [null, Infinity];
  for (const [a, b] of plan.edges) {
    const other = a === pose.viewpoint ? b : b === pose.viewpoint ? a : null;
    const at = other !== null && plan.viewpoints[other]?.at;
    if (!at) continue;
    const { across, along, rise } = seenFrom(here, at);
    const aside = Math.atan2(across, along);
    const off = Math.hypot(aside, Math.atan2(rise, Math.hypot(across, along)) - here.elevation);
    if (Math.abs(aside) <= HALF_FIELD && off < least) [found, least] = [other, off];
  }
  return found;
}

/** Where a place is in the picture, as shares of its width from the left and its height from the top; null if behind it. */
export function appears(camera: Camera, at: Place): [number, number] | null {
  const { across, along, rise } = seenFrom(camera, at);
  const [cos, sin] = [Math.cos(camera.elevation), Math.sin(camera.elevation)];
  const depth = along * cos + rise * sin;
  if (depth <= 0) return null;
  const scale = 1 / (2 * depth * Math.tan(HALF_HEIGHT));
  return [0.5 + (across * scale) / ASPECT, 0.5 - (rise * cos - along * sin) * scale];
}

/** How far a place lies to the right, ahead and above, for a camera that looks level. */
function seenFrom(camera: Camera, [x, y, z]: Place): { across: number; along: number; rise: number } {
  const [dx, dy] = [x - camera.place[0], y - camera.place[1]];
  const [sin, cos] = [Math.sin(camera.heading), Math.cos(camera.heading)];
  return { across: dx * cos - dy * sin, along: dx * sin + dy * cos, rise: z - camera.place[2] };
}

/** Whether one can walk from one viewpoint to the other without passing a third. */
export function adjoining(plan: Plan, here: string, there: string): boolean {
  return plan.edges.some(([a, b]) => (a === here && b === there) || (a === there && b === here));
}
