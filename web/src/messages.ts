/** What may be said to the server over the socket, and what it answers. The same as `vnla.serve.messages`. */

import type { Action, Event } from "./events";
import type { State } from "./reduce";

/** Which episode: the one of a link, a task by name, or something to look for in a house; without any, the server chooses. */
export interface Which {
  link?: string;
  task?: string;
  house?: string;
  goal?: string;
}

export type Message =
  | { kind: "hello"; session: string | null; after: number }
  | ({ kind: "watch" | "help"; after: number } & Which)
  | { kind: "advise"; step: number; text?: string; choice?: string; after: number } // with neither: no answer
  | { kind: "speak"; step: number; text: string; after: number }
  | { kind: "what_if"; step: number; text: string | null; after: number }
  | { kind: "beat"; against?: string; after: number }
  | { kind: "day"; after: number }
  | { kind: "beside"; agent: string; after: number }
  | { kind: "act"; action: Action; after: number }
  | { kind: "ask"; after: number }
  | { kind: "leave"; after: number }
  | { kind: "agree"; version: string; platform?: string; after: number }
  | { kind: "contribute"; agrees: boolean; version?: string; token?: string; after: number }
  | { kind: "withdraw_contributions"; token: string; after: number }
  | { kind: "next" | "withdraw"; after: number };

export type Answer =
  | { kind: "welcome"; session: string; snapshot: State }
  | { kind: "event"; event: Event }
  | { kind: "second"; events: Event[] }
  | { kind: "refused"; why: string }
  | Contributed
  | Standing;

/** Whether what the visitor types is kept. The same as `ContributionsReply` of `vnla.serve.messages`. */
export interface Contributed {
  kind: "contributions";
  agrees: boolean;
  token: string | null;
  count: number;
  withdrawn: number | null;
}

/** Where a participant of a study stands. The same as in `vnla.serve.messages`. */
export interface Standing {
  kind: "study";
  phase: "consent" | "practice" | "task" | "done" | "out" | "withdrawn";
  title: string;
  text: string;
  version: string | null;
  platform: string | null; // the parameter of the address that has a platform's id
  begun: boolean;
  over: boolean;
  passed: boolean | null;
  done: number;
  of: number;
  seconds_left: number | null;
  code: string | null;
}

type Without<Kind, Name extends PropertyKey> = Kind extends unknown ? Omit<Kind, Name> : never;

/** What a screen wants to say; the connection adds what it has seen. */
export type Wish = Without<Exclude<Message, { kind: "hello" }>, "after"> & { at?: number };
