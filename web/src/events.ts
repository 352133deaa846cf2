/** What the server tells. Made by `web/events.py` from `vnla.serve.events`; do not change it by hand. */

/** An action was carried out. */
export interface Acted {
  number: number;
  kind: "acted";
  action: "left" | "right" | "up" | "down" | "forward" | "stop";
  pose: Pose;
}

/** Somebody gives advice, asked or unasked; `understood` is what the agent reads, None if there was no answer. */
export interface Advised {
  number: number;
  kind: "advised";
  by: "advisor" | "visitor";
  text: string;
  understood: string | null;
  parts: [number, number, boolean][];
}

/** Somebody asks for help. */
export interface Asked {
  number: number;
  kind: "asked";
  step: number;
  by: "agent" | "visitor";
}

/** An episode begins; whatever was before it is over. */
export interface Begun {
  number: number;
  kind: "begun";
  mode: "watch" | "help" | "beat";
  episode: string;
  house: string;
  sentence: string;
  time: number;
  requests: number;
  k: number;
  start: Pose;
  link: string | null;
  day: string | null;
  until: number | null;
  agent: string | null;
  around: boolean;
}

/** How somebody did in the task of a day. */
export interface DayResult {
  date: string;
  success: boolean;
  steps: number;
  requests: number;
  seconds: number;
  its_success: boolean | null;
  its_steps: number | null;
  marks: number[];
  token: string;
}

/** An episode is over. */
export interface Ended {
  number: number;
  kind: "ended";
  reason: "stopped" | "time" | "left";
  success: boolean | null;
  metres: number | null;
  goals: string[];
  walk: Pose[] | null;
  its_success: boolean | null;
  score: Score | null;
  link: string | null;
  ending: Ending | null;
}

/** What is shown at the end of a walk. */
export interface Ending {
  sought: SoughtObject | null;
  wrong_turn: WrongTurn | null;
  rooms: ((string | null)[])[] | null;
  day: DayResult | null;
}

/** A viewpoint, one of twelve headings and one of three rows (0 down, 1 level, 2 up). */
export interface Pose {
  viewpoint: string;
  heading: number;
  row: number;
}

/** A line for the page, as text. */
export interface Said {
  number: number;
  kind: "said";
  text: string;
}

/** How many of the tasks that both have done each has solved. */
export interface Score {
  yours: number;
  its: number;
  tasks: number;
}

/** The object that was found: what it is outlined by, and the pose that looks at it from where the walk ended. */
export interface SoughtObject {
  corners: [number, number, number][];
  pose: Pose;
  near: string;
  same_room: boolean;
}

/** A step begins. If the step was told before, that and all after it is void. */
export interface Stood {
  number: number;
  kind: "stood";
  step: number;
  pose: Pose;
  steps_left: number;
  requests_left: number;
  ahead: string[];
}

/** What the agent made of it: probabilities of the six actions, in the order of `Action`, before and after asking. */
export interface Thought {
  number: number;
  kind: "thought";
  before: number[];
  after: number[];
  ask: number;
  attention: [string, number][];
}

/** The agent has asked, and waits for the visitor's answer. */
export interface Waits {
  number: number;
  kind: "waits";
  step: number;
  way: string[];
  offer: string;
}

/** The last step at which the way was still right: afterwards the walk never came as near to a goal again. */
export interface WrongTurn {
  step: number;
  pose: Pose;
  metres: number;
  left: boolean;
}

export type Event = Begun | Stood | Thought | Asked | Advised | Acted | Waits | Ended | Said;

export type Mode = Begun["mode"];
export type Action = Acted["action"];

/** Where a part of a text begins and ends, and whether it was understood. */
export type Part = Advised["parts"][number];
