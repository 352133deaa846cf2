/** The first ten seconds: a recorded episode plays at once. */

import { signal } from "@preact/signals";
import { useEffect, useMemo, useState } from "preact/hooks";
import { fetched, type Recorded } from "../house";
import { useKeys } from "../keys";
import { EpisodeMap } from "../parts/EpisodeMap";
import { Timeline } from "../parts/Timeline";
import { Walk } from "../parts/Walk";
import { Why } from "../parts/Why";
import { Player } from "../player";
import { NOTHING, reduce } from "../reduce";
import type { Fetched } from "../useHouse";
import { times, wanted } from "../words";

const recorded = signal(NOTHING);

/** One sentence, the view, a dot on the plan, two buttons. */
export function First() {
  const player = usePlayer();
  const [trouble, setTrouble] = useState<string | null>(null);
  const [goals, showGoals] = useState(false);
  const state = recorded.value;
  const [house, setHouse] = useState<Fetched>({ plan: null, pictures: null, trouble: null });
  useEffect(() => {
    fetched<Recorded>("/first.json").then(
      ({ events, plan, pictures }) => {
        recorded.value = reduce(NOTHING, events);
        setHouse({ plan, pictures, trouble: null });
      },
      () => setTrouble("The recorded walk could not be fetched. The buttons work all the same."),
    );
  }, []);
  useKeys({ p: () => player.toggle(), ".": () => player.nudge(1), ",": () => player.nudge(-1), g: () => showGoals(!goals) });
  return (
    <section class="first" aria-labelledby="sentence">
      <h1 id="sentence">
        {state.begun ? (
          <>
            This robot looks for <em>{wanted(state.begun.sentence)}</em>. It may ask for help {times(state.begun.requests)}.
          </>
        ) : (
          "This robot looks for things in a house. When it is lost, it may ask for help."
        )}
      </h1>
      {trouble && <p class="trouble">{trouble}</p>}
      <div class="two">
        <div>
          <Walk player={player} house={house} />
          <Timeline player={player} time={state.begun?.time ?? 25} />
        </div>
        <div class="side">
          <EpisodeMap player={player} house={house} goals={goals || player.frame.value?.phase === "end"} />
          <p class="choices">
            <a class="button main" href="#help">
              Help it
              <small>It asks you the way.</small>
            </a>
            <a class="button main second" href="#beat">
              Beat it
              <small>You look yourself.</small>
            </a>
          </p>
          <details>
            <summary>Why?</summary>
            <Why step={state.steps[player.frame.value?.step ?? 0]} />
            <label class="check">
              <input type="checkbox" checked={goals} onChange={() => showGoals(!goals)} /> Show where it is
            </label>
          </details>
        </div>
      </div>
    </section>
  );
}

function usePlayer(): Player {
  const player = useMemo(() => new Player(recorded, true), []);
  useEffect(() => () => player.dispose(), [player]);
  return player;
}
