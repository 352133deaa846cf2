/** What the server tells, and what may be said to it. The same as `vnla.serve.events`. */

export type Action = "left" | "right" | "up" | "down" | "forward" | "stop";
export const ACTIONS: readonly Action[] = ["left", "right", "up", "down", "forward", "stop"];

export type Mode = "watch" | "help" | "beat";

export interface Pose {
  viewpoint: string;
  heading: number;
  row: number;
}

/** Where a part of a text begins and ends, and whether it was understood. */
export type Part = [number, number, boolean];

export interface Score {
  yours: number;
  its: number;
  tasks: number;
}

export interface Begun {
  number: number;
  kind: "begun";
  mode: Mode;
  episode: string;
  house: string;
  sentence: string;
  time: number;
  requests: number;
  k: number;
  start: Pose;
  link: string | null;
}

export interface Stood {
  number: number;
  kind: "stood";
  step: number;
  pose: Pose;
  steps_left: number;
  requests_left: number;
  ahead: string[];
}

export interface Thought {
  number: number;
  kind: "thought";
  before: number[];
  after: number[];
  ask: number;
  attention: [string, number][];
}

export interface Asked {
  number: number;
  kind: "asked";
  step: number;
  by: "agent" | "visitor";
}

export interface Advised {
  number: number;
  kind: "advised";
  by: "advisor" | "visitor";
  text: string;
  understood: string | null;
  parts: Part[];
}

export interface Acted {
  number: number;
  kind: "acted";
  action: Action;
  pose: Pose;
}

export interface Waits {
  number: number;
  kind: "waits";
  step: number;
  way: string[];
  offer: string;
}

export interface Ended {
  number: number;
  kind: "ended";
  reason: "stopped" | "time" | "left";
  success: boolean;
  metres: number;
  goals: string[];
  walk: Pose[] | null;
  its_success: boolean | null;
  score: Score | null;
}

export interface Said {
  number: number;
  kind: "said";
  text: string;
}

export type Event = Begun | Stood | Thought | Asked | Advised | Acted | Waits | Ended | Said;
