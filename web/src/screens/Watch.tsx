/** Watch the agent look for something, help it when it asks, and see what would have happened otherwise. */

import { useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks";
import { COLLECTS } from "../contributions";
import type { Pose } from "../events";
import type { Which } from "../messages";
import { type ClosePlan, fetched, type House } from "../house";
import { useKeys } from "../keys";
import { Agents } from "../parts/Agents";
import { EpisodeMap } from "../parts/EpisodeMap";
import { Field } from "../parts/Field";
import { Budget } from "../parts/Budget";
import { Contribute } from "../parts/Contribute";
import { Talk } from "../parts/Talk";
import { Timeline } from "../parts/Timeline";
import { Walk } from "../parts/Walk";
import { Why } from "../parts/Why";
import { Player } from "../player";
import type { State } from "../reduce";
import type { Session } from "../session";
import { useHouse } from "../useHouse";
import { ending, times, wanted, wentWrong } from "../words";
import { Compare } from "./Compare";
import { Over } from "./Over";
import { Waiting } from "./Waiting";

const PIECES = [
  "turn left",
  "turn right",
  "turn around",
  "go forward",
  "go forward 2 steps",
  "look up",
  "look down",
  "stop",
];

/** Under this name and the episode's: where its visitor was when the page was left. */
const KEPT = "vnla-moment";

/** Where it is found out how advice to an agent that stands there is understood. */
function reader(pose?: Pose): string {
  return pose ? `/advice?viewpoint=${pose.viewpoint}&heading=${pose.heading}&row=${pose.row}&` : "/advice?";
}

/** The screens "watch" and "help": they differ in who answers. */
export function Watch({ session, mode, which }: { session: Session; mode: "watch" | "help"; which: Which }) {
  const known = session.known.value;
  useEffect(() => {
    if (known) session.enter(mode, which);
  }, [known, mode, which.link]);
  const player = usePlayer(session);
  const state = session.state.value;
  const house = useHouse(state.begun?.mode === mode ? state.begun.house : undefined, session.study);
  const [goals, showGoals] = useState(false);
  const [asking, setAsking] = useState<number | null>(null);
  const [ties, drawTies] = useState<readonly ClosePlan[]>([]);
  useKeys({
    p: () => player.toggle(),
    ".": () => player.nudge(1),
    ",": () => player.nudge(-1),
    g: () => showGoals(!goals),
    n: () => session.study || session.begin(mode),
  });
  const { begun, waits, ended } = state;
  if (!begun || begun.mode !== mode)
    return <Waiting session={session} again={() => session.enter(mode, which, true)} alone={!which.link} />;
  const frame = player.frame.value;
  const step = state.steps[frame?.step ?? 0];
  const atEnd = player.atEnd.value;
  const turn = waits !== null && atEnd;
  const canSpeak = mode === "help" && !turn && !(ended && atEnd) && !step?.asked && asking === null && !session.study;
  const speak = (text: string): void => {
    player.seek(frame?.step ?? 0);
    player.playing.value = true;
    session.say({ kind: "speak", step: step?.step ?? 0, text });
  };
  const ask = (index: number): void => {
    player.playing.value = false;
    player.seek(index);
    setAsking(index);
  };
  const whatIf = (text: string | null): void => {
    session.say({ kind: "what_if", step: state.steps[asking ?? 0]?.step ?? 0, text });
  };
  if (session.second.value) {
    return (
      <Compare
        first={session.state}
        second={session.second}
        house={house}
        from={session.second.value.begun?.agent ? 0 : (asking ?? 0)}
        close={() => {
          session.second.value = null;
          setAsking(null);
        }}
      />
    );
  }
  return (
    <section aria-labelledby="sentence">
      <h1 id="sentence">
        It looks for <em>{wanted(begun.sentence)}</em>.{" "}
        {mode === "help" ? `It may ask you ${times(begun.requests)}.` : `It may ask for help ${times(begun.requests)}.`}
      </h1>
      <div class="areas">
        <div class="area-view">
          <Walk player={player} house={house} />
          <Timeline player={player} time={begun.time} />
        </div>
        <div class="area-hands">
          {turn && (
            <div class="card turn">
              <Field
                reader={reader(state.steps.at(-1)?.pose)}
                label="Tell it the way"
                hint="past the sofa, then the second door on the left"
                button="Say it"
                chips={PIECES}
                autofocus
                keeps={session.contributions.answer.value?.agrees ?? false}
                say={(text) => session.say({ kind: "advise", step: waits.step, text })}
                draw={drawTies}
              >
                <p class="choices small">
                  {waits.offer && (
                    <button
                      type="button"
                      onClick={() => session.say({ kind: "advise", step: waits.step, choice: waits.offer })}
                    >
                      Say what the advisor would: <q>{waits.offer}</q>
                    </button>
                  )}
                  <button type="button" onClick={() => session.say({ kind: "advise", step: waits.step })}>
                    Say nothing
                  </button>
                </p>
              </Field>
            </div>
          )}
          {ended && atEnd && session.study && <Over session={session} />}
          {ended && atEnd && !session.study && (
            <Ending state={state} again={() => session.begin(mode)} replay={() => player.seek(0)} whatIf={ask} mode={mode} />
          )}
          {asking !== null && (
            <div class="card">
              <Field
                reader={reader(state.steps[asking]?.pose)}
                label={`What if it had heard something else at step ${(state.steps[asking]?.step ?? 0) + 1}?`}
                hint="turn around"
                button="See"
                chips={PIECES}
                autofocus
                say={whatIf}
              >
                <p class="choices small">
                  <button type="button" onClick={() => whatIf(null)}>
                    … or nothing?
                  </button>
                  <button type="button" class="link" onClick={() => setAsking(null)}>
                    Never mind
                  </button>
                </p>
              </Field>
            </div>
          )}
          {canSpeak && (
            <details class="card" onToggle={(event) => event.currentTarget.open && (player.playing.value = false)}>
              <summary>Speak unasked</summary>
              <Field
                reader={reader(step?.pose)}
                label={`It hears you at step ${(step?.step ?? 0) + 1}, and it costs no request`}
                hint="go back"
                button="Say it"
                chips={PIECES}
                say={speak}
              />
            </details>
          )}
        </div>
        <div class="area-map side">
          <Budget
            time={begun.time}
            left={Math.max(0, (step?.steps_left ?? begun.time) - (frame?.phase === "act" || frame?.phase === "end" ? 1 : 0))}
            requests={begun.requests}
            requestsLeft={(step?.requests_left ?? begun.requests) - (step?.asked && frame?.phase !== "stand" ? 1 : 0)}
          />
          <EpisodeMap
            player={player}
            house={house}
            goals={goals || (ended !== null && atEnd)}
            way={turn ? waits.way : []}
            ties={ties.map((each) => each.viewpoints)}
          />
        </div>
        <div class="area-rest side">
          {ended && !atEnd && !session.study && (
            <label class="check">
              <input type="checkbox" checked={goals} onChange={() => showGoals(!goals)} /> Show where it is
            </label>
          )}
          <Talk
            state={state}
            until={frame?.step ?? 0}
            seek={(index) => player.seek(index)}
            whatIf={session.study ? undefined : ask}
          />
          {!(session.study && step?.thought?.before.length === 0) && (
            <details>
              <summary>Why?</summary>
              <Why step={step} />
            </details>
          )}
          {ended && !session.study && (
            <Agents
              label="Another agent on the same task"
              button="Side by side"
              own={false}
              choose={(agent) => agent && session.say({ kind: "beside", agent })}
            />
          )}
          {mode === "watch" && !session.study && <Chooser session={session} house={begun.house} />}
          {mode === "help" && COLLECTS && <Contribute session={session} />}
        </div>
      </div>
    </section>
  );
}

/** How it ended, and what next. */
function Ending({
  state,
  again,
  replay,
  whatIf,
  mode,
}: {
  state: State;
  again: () => void;
  replay: () => void;
  whatIf: (step: number) => void;
  mode: "watch" | "help";
}) {
  if (!state.ended) return null;
  const wrong = state.ended.ending?.wrong_turn;
  return (
    <div class={`card ending ${state.ended.success ? "good" : "bad"}`}>
      <p>{ending(state.ended, "It")}</p>
      {wrong && (
        <p>
          {wentWrong(wrong, "it")}{" "}
          <button type="button" class="link" onClick={() => whatIf(wrong.step)}>
            What if somebody had told it the way there?
          </button>
        </p>
      )}
      <p class="choices small">
        <button type="button" class="main" onClick={again}>
          {mode === "help" ? "Help it with another" : "Another one"}
        </button>
        <button type="button" onClick={replay}>
          See it again
        </button>
        <Share link={state.ended.link ?? state.begun?.link ?? null} />
      </p>
    </div>
  );
}

/** The address that shows exactly this walk again. */
function Share({ link }: { link: string | null }) {
  const [done, setDone] = useState<{ link: string; how: string } | null>(null);
  if (!link) return null;
  const share = (): void => {
    const told = (how: string) => () => setDone({ link, how });
    history.replaceState(null, "", `#${link}`);
    navigator.clipboard?.writeText(location.href).then(told("Link copied"), told("It is this page's address"));
  };
  return (
    <button type="button" onClick={share}>
      {done?.link === link ? done.how : "Link to this walk"}
    </button>
  );
}

/** Another house, something else to look for. */
function Chooser({ session, house }: { session: Session; house: string }) {
  const [houses, setHouses] = useState<House[]>([]);
  const [chosen, choose] = useState(house);
  useEffect(() => {
    fetched<House[]>("/houses.json").then(setHouses, () => undefined);
  }, []);
  useEffect(() => choose(house), [house]);
  const here = houses.find((each) => each.house === chosen);
  const some = here?.known.objects.filter((_, i, all) => i % Math.ceil(all.length / 6) === 0) ?? [];
  return (
    <details class="card">
      <summary>Let it look for something else</summary>
      <label class="select">
        <span>In which house</span>
        <select value={chosen} onChange={(event) => choose(event.currentTarget.value)}>
          {houses.length === 0 && <option value={chosen}>One moment …</option>}
          {houses.map((each) => (
            <option value={each.house}>
              {each.name}, {each.rooms} rooms
            </option>
          ))}
        </select>
      </label>
      <Field
        reader={`/understand?house=${encodeURIComponent(chosen)}&`}
        label="What should it find?"
        hint="find a mug in the kitchen"
        button="Go"
        chips={some}
        say={(goal) => session.begin("watch", { house: chosen, goal })}
      />
    </details>
  );
}

function usePlayer(session: Session): Player {
  const player = useMemo(() => new Player(session.state), [session]);
  const episode = session.state.value.begun?.episode;
  useLayoutEffect(() => {
    player.playing.value = true;
    if (!session.resumed.peek()) player.seek(0);
    else if (!player.recall(sessionStorage.getItem(`${KEPT} ${episode}`))) player.catchUp();
  }, [episode]);
  useEffect(() => {
    const keep = (): void => sessionStorage.setItem(`${KEPT} ${episode}`, player.moment());
    addEventListener("pagehide", keep);
    return () => removeEventListener("pagehide", keep);
  }, [player, episode]);
  useEffect(() => () => player.dispose(), [player]);
  return player;
}
