/** An episode as it is seen by who walks: the view, what is said, and one line of what happens. */

import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import type { Player } from "../player";
import { telling } from "../words";
import type { Fetched } from "../useHouse";
import { Around } from "./Around";
import { Bubble } from "./Bubble";
import { Outline } from "./Outline";
import { View } from "./View";

/** The picture at the player's moment. */
export function Walk({ player, house, children }: { player: Player; house: Fetched; children?: ComponentChildren }) {
  const state = player.state.value;
  const frame = player.frame.value;
  const sought = state.ended?.ending?.sought;
  useEffect(() => {
    if (house.trouble) player.held.value = false; // it can be told without pictures
  }, [house.trouble]);
  return (
    <div class="walk-view">
      <View
        plan={house.plan}
        pictures={house.pictures}
        pose={frame?.pose ?? state.begun?.start ?? null}
        soon={soon(player)}
        speed={player.speed.value}
        cut={player.jumped.value}
        waits={(waits) => (player.held.value = waits)}
      >
        <Bubble state={state} frame={frame} />
        {frame?.phase === "end" && sought && house.plan && <Outline plan={house.plan} pose={frame.pose} sought={sought} />}
        {children}
      </View>
      {state.begun?.around && frame && house.plan && house.pictures && (
        <Around plan={house.plan} pictures={house.pictures} pose={frame.pose} />
      )}
      {house.trouble && <p class="trouble">{house.trouble}</p>}
      <p class="now" aria-live="polite">
        {frame && frame.phase !== "stand" ? telling(state, frame, "It") : " "}
      </p>
    </div>
  );
}

/** The places that the view comes to next. */
function soon(player: Player): string[] {
  const at = player.at.value;
  const next = player.frames.value.slice(at, at + 12).map((frame) => frame.pose.viewpoint);
  const ahead = player.state.value.ended ? [] : (player.state.value.steps.at(-1)?.ahead ?? []);
  return [...new Set([...next, ...ahead])].slice(0, 6);
}
