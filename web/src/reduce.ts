/** The state of a page from the events of its session; the same as `vnla.serve.reduce`. */

import type { Acted, Advised, Asked, Begun, Ended, Event, Pose, Thought, Waits } from "./events";

type Told<Kind> = Omit<Kind, "number" | "kind">;

/** One step of an episode: where the agent stood, and what came of it so far. */
export interface Step {
  step: number;
  pose: Pose;
  steps_left: number;
  requests_left: number;
  ahead: string[];
  thought: Told<Thought> | null;
  asked: Asked["by"] | null;
  advised: Told<Advised> | null;
  acted: Told<Acted> | null;
}

export interface State {
  number: number;
  begun: Told<Begun> | null;
  steps: Step[];
  waits: Told<Waits> | null;
  ended: Told<Ended> | null;
  said: string | null;
}

export const NOTHING: State = { number: 0, begun: null, steps: [], waits: null, ended: null, said: null };

/** The state after some more events. One that was seen before changes nothing, so a message may be sent twice. */
export function reduce(state: State, events: readonly Event[]): State {
  return events.reduce((before, event) => (event.number <= before.number ? before : after(before, event)), state);
}

function after(state: State, event: Event): State {
  const { number, kind: _, ...told } = event;
  switch (event.kind) {
    case "begun":
      return { ...NOTHING, number, begun: told as Told<Begun> };
    case "stood":
      // Standing again at a step that has been: the agent was told something else there, and what came after is gone.
      return { ...state, number, steps: [...before(state, event.step), stand(event)], waits: null, ended: null, said: null };
    case "thought":
      return { ...state, number, steps: changed(state, { thought: told as Told<Thought> }) };
    case "asked":
      return { ...state, number, steps: changed(state, { asked: event.by }) };
    case "advised":
      return { ...state, number, steps: changed(state, { advised: told as Told<Advised> }), waits: null };
    case "acted":
      return { ...state, number, steps: changed(state, { acted: told as Told<Acted> }), waits: null };
    case "waits":
      return { ...state, number, waits: told as Told<Waits> };
    case "ended":
      return { ...state, number, ended: told as Told<Ended>, waits: null };
    case "said":
      return { ...state, number, said: event.text };
    default:
      return { ...state, number }; // what a newer server says and this page does not know
  }
}

function before(state: State, step: number): Step[] {
  return state.steps.filter((each) => each.step < step);
}

function stand({ step, pose, steps_left, requests_left, ahead }: Extract<Event, { kind: "stood" }>): Step {
  return { step, pose, steps_left, requests_left, ahead, thought: null, asked: null, advised: null, acted: null };
}

function changed(state: State, change: Partial<Step>): Step[] {
  const last = state.steps.at(-1);
  return last ? [...state.steps.slice(0, -1), { ...last, ...change }] : state.steps;
}
