/** Why the agent does what it does: how probable it finds each action, how much it wants to ask, which words it attends to. */

import type { Step } from "../reduce";
import { ACTION_NAMES, ACTIONS, sureness } from "../words";

/** All that is known of one step. */
export function Why({ step }: { step: Step | undefined }) {
  const thought = step?.thought;
  if (!step || !thought) return <p class="quiet">What goes on in it is shown while it walks.</p>;
  const heard = step.advised !== null;
  return (
    <div class="why">
      <p>{sureness(thought.before)}</p>
      <Bars before={thought.before} after={heard ? thought.after : []} taken={step.acted?.action ?? null} />
      <p class="meter">
        <span>How much it wants to ask</span>
        <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
          <rect class="track" width="100" height="6" />
          <rect class="ask" width={100 * thought.ask} height="6" />
          <rect class="tick" x="49.75" width=".5" height="6" />
        </svg>
        <b>{percent(thought.ask)}</b>
      </p>
      {thought.attention.length > 0 && <Attention words={thought.attention} />}
    </div>
  );
}

/** The six actions; a second bar for what it thinks after it was told something. */
function Bars({ before, after, taken }: { before: number[]; after: number[]; taken: string | null }) {
  const two = after.length > 0;
  return (
    <table class="bars">
      <caption>
        {two ? (
          <>
            Before it heard the advice <i class="swatch before" /> and after <i class="swatch after" />
          </>
        ) : (
          "What it would do"
        )}
      </caption>
      <tbody>
        {ACTIONS.map((action, i) => (
          <tr class={action === taken ? "taken" : ""}>
            <th scope="row">{ACTION_NAMES[action]}</th>
            <td class="drawn" aria-hidden="true">
              <Bar share={before[i] ?? 0} kind={two ? "before" : "after"} />
              {two && <Bar share={after[i] ?? 0} kind="after" />}
            </td>
            <td>{two ? `${percent(before[i] ?? 0)} → ${percent(after[i] ?? 0)}` : percent(before[i] ?? 0)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Bar({ share, kind }: { share: number; kind: "before" | "after" }) {
  return (
    <svg viewBox="0 0 100 8" preserveAspectRatio="none">
      <rect class="track" width="100" height="8" />
      <rect class={kind} width={100 * share} height="8" />
    </svg>
  );
}

/** The words that it was told, the darker the more it attends to them. */
function Attention({ words }: { words: [string, number][] }) {
  const most = Math.max(...words.map(([, weight]) => weight), 0.02);
  return (
    <div class="attention">
      <span>The words it attends to</span>
      <p>
        {words.map(([word, weight]) => (
          <>
            <span class="word" style={{ "--weight": (weight / most).toFixed(3) }} title={percent(weight)}>
              {word}
            </span>{" "}
          </>
        ))}
      </p>
    </div>
  );
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}
