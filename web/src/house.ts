/** What the page fetches of a house: its plan, the addresses of its pictures, what can be looked for in it. */

import type { Event, Part } from "./events";

export type XY = [number, number];

export interface Storey {
  name: string;
  rooms: { polygon: XY[]; label?: string | null }[];
  walls: XY[][];
}

export interface Plan {
  house: string;
  storeys: Storey[];
  viewpoints: Record<string, { at: [number, number, number]; storey: number }>;
  edges: [string, string][];
}

/** Viewpoint → addresses of its six faces: up, south, west, north, east, down. */
export type Pictures = Record<string, string[]>;

/** A recorded episode with all that is needed to show it. */
export interface Recorded {
  events: Event[];
  plan: Plan;
  pictures: Pictures;
}

export interface House {
  house: string;
  name: string;
  rooms: number;
  known: { objects: string[]; rooms: string[] };
}

/** One of two ways to understand a text that are almost as likely: in words, and the viewpoints it leads along. */
export interface ClosePlan {
  understood: string;
  viewpoints: string[];
}

/** How a text was read: which parts were understood, what they mean in the agent's words, what could be said instead. */
export interface Reading {
  understood: string | null;
  parts: Part[];
  suggestions: string[];
  absent: string[]; // what was named and is nowhere in the house
  why: string | null; // why nothing, or not all, was understood
  plans: ClosePlan[]; // the two ways that it may mean, where that is hardly clear
}

const kept = new Map<string, Promise<unknown>>();

/** The JSON at an address, fetched once; what failed is tried again when it is next wanted. */
export function fetched<Value>(address: string): Promise<Value> {
  let found = kept.get(address) as Promise<Value> | undefined;
  if (!found) {
    found = fetchedNow<Value>(address);
    found.catch(() => kept.delete(address));
    kept.set(address, found);
  }
  return found;
}

/** The JSON at an address as it is now. */
export async function fetchedNow<Value>(address: string): Promise<Value> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(await why(answer), { cause: answer.status });
  return answer.json() as Promise<Value>;
}

/** What the server says about what it does not give. */
async function why(answer: Response): Promise<string> {
  const told = ((await answer.json().catch(() => null)) as { why?: string } | null)?.why;
  return told ? `${told[0]?.toUpperCase()}${told.slice(1)}.` : "The server does not answer.";
}

/** A house's plan; in a game it has no names of rooms. */
export function planOf(house: string, bare: boolean): Promise<Plan> {
  return fetched(`/plan/${encodeURIComponent(house)}${bare ? "-bare" : ""}.json`);
}

/** A plan with the names of its rooms, when they may be told. */
export function named(plan: Plan | null, names: (string | null)[][] | null | undefined): Plan | null {
  if (!plan || !names) return plan;
  const storeys = plan.storeys.map((storey, i) => ({
    ...storey,
    rooms: storey.rooms.map((room, j) => ({ ...room, label: names[i]?.[j] ?? null })),
  }));
  return { ...plan, storeys };
}

export function picturesOf(house: string): Promise<Pictures> {
  return fetched(`/pictures/${encodeURIComponent(house)}.json`);
}

export function meshOf(house: string): string {
  return `/mesh/${encodeURIComponent(house)}.glb`;
}

/** Begins to fetch the pictures of a viewpoint, for whoever draws them. */
export function warm(pictures: Pictures, viewpoint: string): void {
  for (const address of pictures[viewpoint] ?? []) new Image().src = address;
}

/** The name of the room that a viewpoint is in, where the plan tells it. */
export function roomOf(plan: Plan, viewpoint: string): string | null {
  const stand = plan.viewpoints[viewpoint];
  if (!stand) return null;
  const [x, y] = stand.at;
  return plan.storeys[stand.storey]?.rooms.find((each) => inside(each.polygon, x, y))?.label ?? null;
}

/** Whether a point is in a polygon. */
export function inside(polygon: readonly XY[], x: number, y: number): boolean {
  let within = false;
  polygon.forEach(([ax, ay], i) => {
    const [bx, by] = polygon[(i + 1) % polygon.length] ?? [ax, ay];
    if (ay > y !== by > y && x < ax + ((bx - ax) * (y - ay)) / (by - ay)) within = !within;
  });
  return within;
}
