/** What the page says. */

import type { Action, Ended, Pose } from "./events";
import type { Frame } from "./frames";
import { roomOf, type Plan } from "./house";
import type { State, Step } from "./reduce";

/** In the order in which the agent's probabilities come. */
export const ACTIONS: readonly Action[] = ["left", "right", "up", "down", "forward", "stop"];

export const ACTION_NAMES: Record<Action, string> = {
  left: "turn left",
  right: "turn right",
  up: "look up",
  down: "look down",
  forward: "go forward",
  stop: "stop",
};

const DOES: Record<Action, string> = {
  left: "turns left",
  right: "turns right",
  up: "looks up",
  down: "looks down",
  forward: "goes forward",
  stop: "stops",
};

const NEAR = 2; // metres from the goal at which a walk that ends there has found it

const COMPASS = ["north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west"];

/** "Find a mug in the kitchen." → "a mug in the kitchen". */
export function wanted(sentence: string): string {
  return sentence.replace(/^find /i, "").replace(/\s*\.$/, "");
}

export function times(count: number): string {
  return count === 1 ? "once" : count === 2 ? "twice" : `${count} times`;
}

export function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}

/** What happens at a moment; `who` is "It" or "You". */
export function telling(state: State, frame: Frame | undefined, who: "It" | "You"): string {
  const step = frame && state.steps[frame.step];
  if (!frame || !step) return "";
  const verb = (third: string) => (who === "You" ? third.replace(/s\b/, "") : third);
  switch (frame.phase) {
    case "stand":
      return `Step ${step.step + 1}.`;
    case "ask":
      return `${who} ${verb("asks")} for help.`;
    case "hear":
      return heard(step);
    case "act":
      return step.acted ? `${who} ${verb(does(step))}.` : "";
    case "end":
      return state.ended ? ending(state.ended, who) : "";
  }
}

/** What somebody says to it; nothing where a request got no answer. */
function heard({ advised }: Step): string {
  const says = advised?.by === "visitor" ? "You say" : "The advisor says";
  return advised?.text ? `${says}: “${advised.text}”` : `${says} nothing.`;
}

function does(step: Step): string {
  const action = step.acted?.action ?? "stop";
  const still = step.acted?.pose.viewpoint === step.pose.viewpoint;
  return action === "forward" && still ? "tries to go forward" : DOES[action];
}

export function ending(ended: Pick<Ended, "reason" | "success" | "metres">, who: "It" | "You"): string {
  if (ended.reason === "left") return `${who} gave up.`;
  if (ended.success === null || ended.metres === null) return "This task is over.";
  const found = ended.success ? `${who} found it.` : `${who} did not find it.`;
  const how = ended.reason === "time" ? `${who === "It" ? "Its" : "Your"} time is up` : `${who} stopped`;
  const where = ended.metres === 0 ? "at the goal" : `${ended.metres.toFixed(1)}\u00a0m from the goal`;
  return `${found} ${how}, ${where}.`;
}

/** Where a walk went wrong, after its end. */
export function wentWrong(
  { step, metres, left }: NonNullable<NonNullable<Ended["ending"]>["wrong_turn"]>,
  who: "it" | "you",
): string {
  const far = `${metres.toFixed(1)}\u00a0m from the goal`;
  if (metres <= NEAR)
    return `At step ${step + 1} ${who} ${who === "it" ? "was" : "were"} near enough, ${far}, and ${who} went on.`;
  if (!left) return `${capital(who)} ${who === "it" ? "was" : "were"} nowhere nearer than at the end, ${far}.`;
  const was = who === "it" ? "it was" : "you were";
  return `Until step ${step + 1} the way was right: ${was} ${far} there, and never as near again.`;
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** "in the kitchen, looking north"; without the room where the plan does not tell it. */
export function place(plan: Plan | null, pose: Pose): string {
  const looking = `looking ${COMPASS[Math.round((pose.heading * 8) / 12) % 8]}`;
  const tilt = pose.row === 0 ? " and down" : pose.row === 2 ? " and up" : "";
  const room = plan && roomOf(plan, pose.viewpoint);
  return `${room ? `in the ${room}, ` : ""}${looking}${tilt}`;
}

/** How sure the agent is, by how far apart the two actions are that it finds the most probable. */
export function sureness(chances: readonly number[]): string {
  const ranked = chances.map((chance, i) => ({ chance, name: ACTION_NAMES[ACTIONS[i] ?? "stop"] }));
  ranked.sort((a, b) => b.chance - a.chance);
  const [first, second] = ranked;
  if (!first || !second) return "";
  const gap = first.chance - second.chance;
  if (gap >= 0.6) return "It is sure of what to do.";
  if (gap >= 0.3) return "It is fairly sure of what to do.";
  if (first.chance < 0.3) return "It has no idea of what to do.";
  return gap >= 0.1 ? "It is unsure of what to do." : `It wavers between “${first.name}” and “${second.name}”.`;
}
