/** The plan of an episode at a moment of it. */

import { posesUntil } from "../frames";
import type { Pose } from "../events";
import type { Player } from "../player";
import type { Fetched } from "../useHouse";
import { count } from "../words";
import { letters } from "./Talk";
import { PlanMap } from "./PlanMap";

interface Props {
  player: Player;
  house: Fetched;
  goals: boolean; // whether to show them
  way?: readonly string[];
  ties?: readonly (readonly string[])[];
  other?: readonly Pose[];
}

/** Where the agent is, has been and has asked. */
export function EpisodeMap({ player, house, goals, way = [], ties = [], other = [] }: Props) {
  const state = player.state.value;
  const frame = player.frame.value;
  const poses = frame ? posesUntil(state, frame) : state.begun ? [state.begun.start] : [];
  const asked = letters(state)
    .filter(({ index }) => frame && (index < frame.step || (index === frame.step && frame.phase !== "stand")))
    .map(({ name, index }) => ({ name, pose: state.steps[index]?.pose as Pose }));
  const over = frame?.phase === "end";
  const stood = `The plan of the house. The robot has been at ${count(new Set(poses.map((pose) => pose.viewpoint)).size, "place")}.`;
  return (
    <PlanMap
      plan={house.plan}
      poses={poses}
      asked={asked}
      goals={goals ? (state.ended?.goals ?? []) : []}
      way={way}
      ties={ties}
      other={other}
      sought={over ? state.ended?.ending?.sought : null}
      wrong={over ? state.ended?.ending?.wrong_turn?.pose : null}
      label={stood}
    />
  );
}
