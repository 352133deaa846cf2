/** What was asked and answered in an episode. */

import type { State } from "../reduce";

/** A letter for each step at which somebody spoke: A, B, C … */
export function letters(state: State): { name: string; index: number }[] {
  return state.steps
    .flatMap((step, index) => (step.asked || step.advised ? [index] : []))
    .map((index, i) => ({ name: String.fromCharCode(65 + (i % 26)), index }));
}

interface Props {
  state: State;
  until: number; // place in the list of steps
  seek: (step: number) => void;
  whatIf?: ((step: number) => void) | undefined;
}

/** The conversation so far. */
export function Talk({ state, until, seek, whatIf }: Props) {
  const said = letters(state).filter(({ index }) => index <= until);
  if (said.length === 0) return null;
  return (
    <ol class="talk">
      {said.map(({ name, index }) => {
        const step = state.steps[index];
        if (!step) return null;
        const { advised, asked } = step;
        return (
          <li>
            <button
              type="button"
              class="letter"
              onClick={() => seek(index)}
              aria-label={`Request ${name}, step ${step.step + 1}`}
            >
              {name}
            </button>
            <div>
              <span class="quiet">
                Step {step.step + 1}. {asked ? (asked === "agent" ? "It asked." : "You asked.") : "You spoke unasked."}
              </span>
              {advised && (
                <p>
                  {advised.by === "visitor" ? "You: " : "Advisor: "}
                  {advised.text ? `“${advised.text}”` : "nothing"}
                  {advised.understood && advised.understood !== advised.text && (
                    <small> It heard: “{advised.understood}”</small>
                  )}
                </p>
              )}
              {whatIf && advised && (
                <button type="button" class="link" onClick={() => whatIf(index)}>
                  What if …?
                </button>
              )}
            </div>
          </li>
        );
      })}
    </ol>
  );
}
