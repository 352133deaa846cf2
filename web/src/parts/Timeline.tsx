/** The steps of an episode in a row, with the requests; play, pause, step, speed. */

import { type Player, SPEEDS } from "../player";
import { telling } from "../words";
import { letters } from "./Talk";

/** What moves through an episode. `time` is how many steps it may take. */
export function Timeline({ player, time }: { player: Player; time: number }) {
  const { steps } = player.state.value;
  const frame = player.frame.value;
  const step = frame?.step ?? 0;
  const ended = player.state.value.ended !== null;
  const last = Math.max(time, steps.length, 1); // the place after the last step is the end
  const at = placeOf(player);
  const across = (index: number) => `${(100 * index) / last}%`;
  return (
    <div class="timeline">
      <button
        type="button"
        class="round"
        onClick={() => player.toggle()}
        aria-label={player.running.value ? "Pause" : "Play"}
      >
        <Sign playing={player.running.value} />
      </button>
      <button type="button" class="round small" onClick={() => player.nudge(1)} aria-label="One moment on">
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d="M6 5l9 7-9 7zM16 5h2.5v14H16z" />
        </svg>
      </button>
      <div class="track">
        <div class="known" style={{ width: across(ended ? steps.length : steps.length - 1) }} />
        <div class="done" style={{ width: across(at) }} />
        {letters(player.state.value).map(({ name, index }) => (
          <span class="request" style={{ left: across(index) }} aria-hidden="true">
            {name}
          </span>
        ))}
        <input
          type="range"
          min="0"
          max={last}
          value={at}
          aria-label="Step"
          aria-valuetext={`Step ${step + 1} of ${time}. ${telling(player.state.value, frame, "It")}`}
          onInput={(event) => {
            const wanted = Number(event.currentTarget.value);
            if (wanted >= steps.length) player.catchUp();
            else player.seek(wanted);
            event.currentTarget.value = String(placeOf(player)); // what is not known yet cannot be gone to
          }}
        />
      </div>
      <button
        type="button"
        class="speed"
        aria-label={`Speed: ${player.speed.value} times`}
        onClick={() => {
          player.speed.value = SPEEDS[(SPEEDS.indexOf(player.speed.value as 1) + 1) % SPEEDS.length] ?? 1;
        }}
      >
        {player.speed.value}×
      </button>
    </div>
  );
}

/** Where the slider stands. */
function placeOf(player: Player): number {
  const frame = player.frame.value;
  return frame?.phase === "end" ? player.state.value.steps.length : (frame?.step ?? 0);
}

function Sign({ playing }: { playing: boolean }) {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true">
      {playing ? <path d="M6 5h4v14H6zM14 5h4v14h-4z" /> : <path d="M7 4l13 8-13 8z" />}
    </svg>
  );
}
