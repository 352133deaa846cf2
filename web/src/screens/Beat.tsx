/** The visitor is the agent: the same views, actions, time, budget and advisor. */

import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Action, Pose } from "../events";
import { named, type Plan } from "../house";
import { useKeys } from "../keys";
import { Agents } from "../parts/Agents";
import { Budget } from "../parts/Budget";
import { Outline } from "../parts/Outline";
import { PlanMap, StarSign } from "../parts/PlanMap";
import { letters } from "../parts/Talk";
import { View } from "../parts/View";
import type { State } from "../reduce";
import type { Session } from "../session";
import { useHouse } from "../useHouse";
import { appears, cameraAt, onward } from "../view/path";
import { ACTION_NAMES, capital, count, ending, place, times, wanted, wentWrong } from "../words";
import { Over } from "./Over";
import { Waiting } from "./Waiting";

/** The action that the server has not answered yet, and those that wait for it; what comes of them is shown at once. */
const sent = signal<{ action: Action; after: number } | null>(null);
const queue = signal<Action[]>([]);
const LONGEST_QUEUE = 3;
const EYES = 1.4; // metres above the floor

/** The screen of one's own walk; with `day` that of the task of the day, and what comes after it. */
export function Beat({ session, day }: { session: Session; day?: { after: ComponentChildren } }) {
  const known = session.known.value;
  useEffect(() => {
    if (known && !day) session.enter("beat");
  }, [known]);
  const state = session.state.value;
  const { begun, ended } = state;
  const over = ended !== null;
  const name = begun?.mode === "beat" ? begun.house : undefined;
  const house = useHouse(name, true);
  const step = state.steps.at(-1);
  const sought = ended?.ending?.sought;
  const plan = named(house.plan, ended?.ending?.rooms);
  const waiting = sent.value !== null && sent.value.after >= state.number && session.refused.value === null;
  const pose =
    sought?.pose ?? poseNow(state, [...(waiting && sent.value ? [sent.value.action] : []), ...queue.value], house.plan);
  const ready = !over && step !== undefined && step.acted === null && !waiting;
  const act = (action: Action): void => {
    if (!over && queue.value.length < LONGEST_QUEUE) queue.value = [...queue.value, action];
  };
  useEffect(() => {
    const [next, ...rest] = queue.value;
    if (over) queue.value = [];
    if (!ready || !next) return;
    queue.value = rest;
    if (next === "forward" && step.ahead.length === 0) return;
    sent.value = { action: next, after: state.number };
    session.say({ kind: "act", action: next });
  });
  const ask = (): void => {
    if (ready && step.requests_left > 0 && !step.asked) session.say({ kind: "ask" });
  };
  useKeys({
    ArrowLeft: () => act("left"),
    ArrowRight: () => act("right"),
    ArrowUp: () => act("up"),
    ArrowDown: () => act("down"),
    " ": () => act("forward"),
    Enter: () => act("forward"),
    w: () => act("forward"),
    a: ask,
    s: () => act("stop"),
    n: () => over && !session.study && !day && session.begin("beat"),
  });
  if (!begun || begun.mode !== "beat" || !pose || (begun.day != null) !== (day !== undefined))
    return <Waiting session={session} again={() => session.enter("beat", {}, true)} alone />;
  const heard = lastHeard(state);
  const poses = [...state.steps.map((each) => each.pose), pose];
  const soon = step?.ahead ?? [];
  return (
    <section class="beat" aria-labelledby="sentence">
      <h1 id="sentence">
        {day && <small class="of-day">Task of {begun.day}</small>}
        Find <em>{wanted(begun.sentence)}</em>. {begun.requests > 0 && `You may ask for help ${times(begun.requests)}.`}
      </h1>
      <div class="two">
        <div>
          <div class="walk-view">
            <View plan={house.plan} pictures={house.pictures} pose={pose} soon={soon} speed={1.4} cut={false}>
              {sought && house.plan && <Outline plan={house.plan} pose={sought.pose} sought={sought} />}
              {ready && house.plan && <Onward plan={house.plan} pose={pose} go={() => act("forward")} />}
              {heard && !over && <p class="bubble answers">{heard}</p>}
            </View>
            {house.trouble && <p class="trouble">{house.trouble}</p>}
          </div>
        </div>
        <div class="hands">
          {over && session.study ? (
            <Over session={session} />
          ) : over && day ? (
            <>
              <p class="verdict">{ending(ended, "You")}</p>
              {day.after}
            </>
          ) : over ? (
            <Result state={state} again={(against) => session.beat(against)} />
          ) : (
            <Pad
              act={act}
              ask={ask}
              ready={ready}
              canGo={(step?.ahead.length ?? 0) > 0}
              left={step?.requests_left ?? 0}
              asked={!!step?.asked}
            />
          )}
        </div>
        <div class="side">
          {begun.until != null && !over && <Clock until={begun.until} end={() => session.say({ kind: "leave" })} />}
          <Budget
            time={begun.time}
            left={(step?.steps_left ?? begun.time) - (step?.acted ? 1 : 0)}
            requests={begun.requests}
            requestsLeft={Math.max(0, (step?.requests_left ?? begun.requests) - (step?.asked ? 1 : 0))}
          />
          <PlanMap
            plan={plan}
            poses={poses}
            sought={sought}
            wrong={ended?.ending?.wrong_turn?.pose}
            asked={letters(state).map(({ name, index }) => ({ name, pose: state.steps[index]?.pose as Pose }))}
            goals={ended?.goals ?? []}
            other={ended?.walk ?? []}
            onlySeen={!over || session.study}
            label={
              over ? "The plan of the house with your walk and the robot's." : "What you have seen of the house so far."
            }
          />
          {over && !session.study && (
            <p class="key">
              <i class="line you" /> you <i class="line it" /> the robot <StarSign /> the goal
            </p>
          )}
          {!over && <p class="quiet">Only what you have seen is drawn. The robot gets no plan at all.</p>}
        </div>
      </div>
      <p class="unseen" aria-live="polite">
        {happened(state, house.plan)}
      </p>
    </section>
  );
}

/** The time that is left; the server judges by its own clock. */
function Clock({ until, end }: { until: number; end: () => void }) {
  const [now, setNow] = useState(Date.now());
  const left = Math.max(0, Math.ceil((until - now) / 1000));
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, [until]);
  useEffect(() => {
    if (left === 0) end();
  }, [left === 0]);
  const text = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
  return (
    <p class={`clock ${left < 30 ? "short" : ""}`}>
      <span role="timer" aria-label={`${left} seconds left`}>
        {text}
      </span>{" "}
      <button type="button" class="link" onClick={end}>
        End it here
      </button>
    </p>
  );
}

/** A ring on the floor where going forward leads. */
function Onward({ plan, pose, go }: { plan: Plan; pose: Pose; go: () => void }) {
  const camera = cameraAt(plan, pose);
  const there = plan.viewpoints[onward(plan, pose) ?? ""]?.at;
  const spot = camera && there && appears(camera, [there[0], there[1], there[2] - EYES]);
  if (!spot) return null;
  const within = (share: number) => `${100 * Math.min(0.9, Math.max(0.1, share))}%`;
  return (
    <button
      type="button"
      key={`${pose.viewpoint} ${pose.heading} ${pose.row}`}
      class="spot"
      style={{ left: within(spot[0]), top: within(spot[1]) }}
      aria-label="Go forward to here"
      onClick={go}
    />
  );
}

/** A button for each action, laid out as on a keyboard. */
function Pad({
  act,
  ask,
  ready,
  canGo,
  left,
  asked,
}: {
  act: (action: Action) => void;
  ask: () => void;
  ready: boolean;
  canGo: boolean;
  left: number;
  asked: boolean;
}) {
  return (
    <div class="pad" role="group" aria-label="What to do">
      <button type="button" class="up" onClick={() => act("up")} aria-keyshortcuts="ArrowUp">
        ↑ <span>look up</span>
      </button>
      <button type="button" class="left" onClick={() => act("left")} aria-keyshortcuts="ArrowLeft">
        ← <span>turn left</span>
      </button>
      <button type="button" class="forward main" disabled={!canGo} onClick={() => act("forward")} aria-keyshortcuts="Space">
        {canGo ? "go forward" : "no way ahead"}
      </button>
      <button type="button" class="right" onClick={() => act("right")} aria-keyshortcuts="ArrowRight">
        <span>turn right</span> →
      </button>
      <button type="button" class="down" onClick={() => act("down")} aria-keyshortcuts="ArrowDown">
        ↓ <span>look down</span>
      </button>
      <button type="button" class="ask" disabled={!ready || left === 0 || asked} onClick={ask} aria-keyshortcuts="a">
        Ask
      </button>
      <button type="button" class="stop" onClick={() => act("stop")} aria-keyshortcuts="s">
        It is here
      </button>
    </div>
  );
}

/** Yours beside its. */
function Result({ state, again }: { state: State; again: (against: string | null) => void }) {
  const { begun, ended } = state;
  if (!ended) return null;
  return (
    <div class={`card ending ${ended.success ? "good" : "bad"}`}>
      <p>{ending(ended, "You")}</p>
      {ended.ending?.wrong_turn && <p>{wentWrong(ended.ending.wrong_turn, "you")}</p>}
      {ended.its_success !== null && (
        <p>
          {begun?.agent ? capital(begun.agent) : "The robot"} {ended.its_success ? "found it." : "did not find it."}
        </p>
      )}
      {ended.score && (
        <table class="score">
          <caption>
            Found so far, of {ended.score.tasks} {ended.score.tasks === 1 ? "task" : "tasks"}
          </caption>
          <tbody>
            <tr>
              <th scope="row">You</th>
              <td>{ended.score.yours}</td>
            </tr>
            <tr>
              <th scope="row">The robot</th>
              <td>{ended.score.its}</td>
            </tr>
          </tbody>
        </table>
      )}
      <p class="choices small">
        <button type="button" class="main" onClick={() => again(begun?.agent ?? null)}>
          Another one
        </button>
      </p>
      <Agents label="Against whom" button="Beat it" own choose={again} />
    </div>
  );
}

/** Where the visitor is once what is under way is done. */
function poseNow(state: State, actions: readonly Action[], plan: Plan | null): Pose | null {
  const step = state.steps.at(-1);
  const pose = step?.acted?.pose ?? step?.pose ?? state.begun?.start ?? null;
  return pose && actions.reduce((at, action) => moved(at, action, plan), pose);
}

/** The pose after an action, as the plan tells it; what the server says later holds. */
export function moved(pose: Pose, action: Action, plan: Plan | null): Pose {
  switch (action) {
    case "left":
      return { ...pose, heading: (pose.heading + 11) % 12 };
    case "right":
      return { ...pose, heading: (pose.heading + 1) % 12 };
    case "up":
      return { ...pose, row: Math.min(2, pose.row + 1) };
    case "down":
      return { ...pose, row: Math.max(0, pose.row - 1) };
    case "forward":
      return { ...pose, viewpoint: (plan && onward(plan, pose)) ?? pose.viewpoint };
    default:
      return pose;
  }
}

/** What has just happened, for who hears the page. */
function happened(state: State, plan: Plan | null): string {
  const [step, before] = [state.steps.at(-1), state.steps.at(-2)];
  if (state.ended) return ending(state.ended, "You");
  if (!step) return "";
  if (step.advised) return `The advisor says: ${step.advised.text}`;
  const did = before?.acted ? `You ${ACTION_NAMES[before.acted.action]}. ` : "";
  const ahead = step.ahead.length > 0 ? "There is a way ahead." : "There is no way ahead.";
  return `${did}${capital(place(plan, step.pose))}. ${ahead} ${count(step.steps_left, "step")} left.`;
}

/** What the advisor said, as long as it is about the next few steps. */
function lastHeard(state: State): string | null {
  const recent = state.steps.slice(-(state.begun?.k ?? 4));
  return recent.findLast((step) => step.advised)?.advised?.text ?? null;
}
