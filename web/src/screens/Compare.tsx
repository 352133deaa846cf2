/** Two walks side by side: what happened, and what would have happened. */

import type { ReadonlySignal } from "@preact/signals";
import { computed } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import type { State } from "../reduce";
import { NOTHING } from "../reduce";
import { posesUntil } from "../frames";
import { useKeys } from "../keys";
import { EpisodeMap } from "../parts/EpisodeMap";
import { Walk } from "../parts/Walk";
import { Player } from "../player";
import type { Fetched } from "../useHouse";
import { ending, wanted } from "../words";
import { Timeline } from "../parts/Timeline";

interface Props {
  first: ReadonlySignal<State>;
  second: ReadonlySignal<State | null>;
  house: Fetched;
  from: number; // the step at which something else was said
  close: () => void;
}

/** Both play together from the step at which they part. */
export function Compare({ first, second, house, from, close }: Props) {
  const [one, two] = usePlayers(first, second, from);
  const both = (act: (player: Player) => void) => () => [one, two].forEach(act);
  useKeys({
    p: both((each) => each.toggle()),
    ".": both((each) => each.nudge(1)),
    ",": both((each) => each.nudge(-1)),
    Escape: close,
  });
  const agent = second.value?.begun?.agent;
  const said = second.value?.steps[from]?.advised?.text;
  return (
    <section aria-labelledby="sentence">
      <h1 id="sentence">
        {agent ? "Both look" : "It looks"} for <em>{wanted(first.value.begun?.sentence ?? "")}</em>.{" "}
        {!agent && <>What if it had heard {said ? <q>{said}</q> : "nothing"}?</>}
      </h1>
      <p class="choices small">
        <button
          type="button"
          onClick={both((each) => {
            each.seek(from);
            each.playing.value = true;
          })}
        >
          Play both again
        </button>
        <button type="button" onClick={close}>
          Back
        </button>
      </p>
      <div class="pair">
        {agent ? (
          <>
            <Half title="The robot of this page" player={one} other={two} house={house} />
            <Half title={agent} player={two} other={one} house={house} />
          </>
        ) : (
          <>
            <Half
              title={<Heard what="What happened" heard={first.value.steps[from]?.advised?.text} />}
              player={one}
              other={two}
              house={house}
            />
            <Half title={<Heard what="What if" heard={said} />} player={two} other={one} house={house} />
          </>
        )}
      </div>
    </section>
  );
}

function Heard({ what, heard }: { what: string; heard: string | undefined }) {
  return (
    <>
      {what}: <span>it heard {heard ? <q>{heard}</q> : "nothing"}</span>
    </>
  );
}

interface HalfProps {
  title: ComponentChildren;
  player: Player;
  other: Player;
  house: Fetched;
}

function Half({ title, player, other, house }: HalfProps) {
  const { ended } = player.state.value;
  return (
    <div class="half">
      <h2>{title}</h2>
      <Walk player={player} house={house} />
      <Timeline player={player} time={player.state.value.begun?.time ?? 25} />
      <EpisodeMap
        player={player}
        house={house}
        goals={player.atEnd.value}
        other={posesUntil(other.state.value, other.frames.value.at(-1))}
      />
      {ended && player.atEnd.value && <p class={`verdict ${ended.success ? "good" : "bad"}`}>{ending(ended, "It")}</p>}
    </div>
  );
}

function usePlayers(first: ReadonlySignal<State>, second: ReadonlySignal<State | null>, from: number): [Player, Player] {
  const players = useMemo((): [Player, Player] => {
    const made: [Player, Player] = [new Player(first), new Player(computed(() => second.value ?? NOTHING))];
    made.forEach((player) => player.seek(from));
    return made;
  }, [first, second, from]);
  useEffect(() => () => players.forEach((player) => player.dispose()), [players]);
  return players;
}
