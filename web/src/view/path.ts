/** Where the camera is on the way from one pose to another. Plain numbers, no drawing. */

import type { Pose } from "../events";
import type { Plan } from "../house";

export interface Camera {
  place: [number, number, number]; // in the house: x east, y north, z up
  heading: number; // radians, clockwise from north
  elevation: number;
}

const TURN = Math.PI / 6;

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

/** Whether one can walk from one viewpoint to the other without passing a third. */
export function adjoining(plan: Plan, here: string, there: string): boolean {
  return plan.edges.some(([a, b]) => (a === here && b === there) || (a === there && b === here));
}
