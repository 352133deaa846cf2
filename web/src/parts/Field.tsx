/** A line of text that is read while it is typed: what is not understood is underlined, and what is, is said in plain words. */

import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { type ClosePlan, fetchedNow, type Reading } from "../house";
import { capital } from "../words";

interface Props {
  reader: string; // the address that reads a text, up to its last parameter
  label: string;
  hint: string;
  button: string;
  chips?: readonly string[];
  autofocus?: boolean;
  disabled?: boolean;
  keeps?: boolean; // whether what is not understood may be said too, because it is kept for others
  say: (text: string) => void;
  draw?: (plans: readonly ClosePlan[]) => void; // shows the two ways that a text may mean
  children?: ComponentChildren;
}

const PAUSE = 120;
const LONGEST = 200;
/** What the reader says where the marks in the text say it. */
const NOT_ALL = "not all of it was understood";

/** The field, what was understood, and pieces to build a sentence from. */
export function Field({
  reader,
  label,
  hint,
  button,
  chips = [],
  autofocus = false,
  disabled = false,
  keeps = false,
  say,
  draw,
  children,
}: Props) {
  const [text, setText] = useState("");
  const reading = useReading(reader, text.trimEnd());
  const input = useRef<HTMLInputElement>(null);
  const [scrolled, setScrolled] = useState(0);
  const told = useId();
  useEffect(() => {
    if (autofocus) input.current?.focus({ preventScroll: true });
  }, [autofocus]);
  const plans = tied(reading);
  useEffect(() => {
    draw?.(plans);
    return () => draw?.([]);
  }, [reading]);
  const choose = (chip: string): void => {
    setText(chip);
    input.current?.focus();
  };
  const send = (): void => {
    if (text.trim() && !disabled) {
      say(text.trimEnd()); // as it was read
      setText("");
    }
  };
  return (
    <form
      class="field"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <label>
        <span>{label}</span>
        <span class="line">
          <span class="mirror" aria-hidden="true">
            <span style={{ transform: `translateX(${-scrolled}px)` }}>{marked(text, reading)}</span>
          </span>
          <input
            ref={input}
            value={text}
            maxLength={LONGEST}
            placeholder={hint}
            autocomplete="off"
            spellcheck={false}
            enterkeyhint="send"
            aria-describedby={told}
            onInput={(event) => setText(event.currentTarget.value)}
            onScroll={(event) => setScrolled(event.currentTarget.scrollLeft)}
          />
        </span>
      </label>
      <button
        type="submit"
        class="main"
        disabled={disabled || !text.trim() || (reading !== null && reading.understood === null)}
      >
        {button}
      </button>
      <p id={told} class="told" role="status">
        {telling(text, reading)}
      </p>
      {plans.length > 0 && (
        <div class="ties" role="group" aria-label="It may mean two things">
          {plans.map(({ understood }, i) => (
            <button type="button" onClick={() => choose(understood)}>
              <i class={i ? "letter two" : "letter one"}>{i + 1}</i> {understood}
            </button>
          ))}
        </div>
      )}
      {keeps && text.trim() && reading?.understood === null && (
        <p class="choices small">
          <button type="button" onClick={send}>
            Give it all the same
          </button>
        </p>
      )}
      {(chips.length > 0 || (reading?.suggestions.length ?? 0) > 0) && (
        <p class="chips">
          {(reading?.suggestions.length ? reading.suggestions : chips).map((chip) => (
            <button
              type="button"
              onClick={() =>
                choose(reading?.suggestions.length || !text.trim() ? chip : `${text.trim().replace(/,$/, "")}, ${chip}`)
              }
            >
              {chip}
            </button>
          ))}
        </p>
      )}
      {children}
    </form>
  );
}

/** The two ways that a text may mean, if they are not the same in words. */
function tied(reading: Reading | null): ClosePlan[] {
  const [one, two] = reading?.plans ?? [];
  return one && two && one.understood !== two.understood ? [one, two] : [];
}

function useReading(reader: string, text: string): Reading | null {
  const [reading, setReading] = useState<{ of: string; reading: Reading } | null>(null);
  useEffect(() => {
    if (!text.trim()) return setReading(null);
    let stale = false;
    const timer = setTimeout(() => {
      fetchedNow<Reading>(`${reader}text=${encodeURIComponent(text)}`).then(
        (found) => stale || setReading({ of: text, reading: found }),
        () => undefined,
      );
    }, PAUSE);
    return () => {
      stale = true;
      clearTimeout(timer);
    };
  }, [reader, text]);
  return reading && reading.of === text ? reading.reading : null;
}

/** The text with the parts that were not understood marked. */
function marked(text: string, reading: Reading | null): ComponentChildren {
  if (!reading) return text;
  const pieces: ComponentChildren[] = [];
  let done = 0;
  for (const [from, to, understood] of reading.parts) {
    pieces.push(text.slice(done, from), understood ? text.slice(from, to) : <mark>{text.slice(from, to)}</mark>);
    done = to;
  }
  return [...pieces, text.slice(done)];
}

function telling(text: string, reading: Reading | null): ComponentChildren {
  if (!text.trim() || !reading) return "";
  const unknown = reading.parts
    .filter(([, , understood]) => !understood)
    .map(([from, to]) => text.slice(from, to))
    .filter((part) => !reading.absent.some((name) => part.toLowerCase().includes(name)));
  const absent = reading.absent.length > 0 && `This house has no ${reading.absent.join(" and no ")}.`;
  const why = reading.why && reading.why !== NOT_ALL && !absent && `${capital(reading.why)}.`;
  if (reading.understood === null) {
    if (absent) return unknown.length ? `${absent} Not understood: ${unknown.join(", ")}` : absent;
    return unknown.length ? `Not understood: ${unknown.join(", ")}` : `Not understood yet. ${why || ""}`.trimEnd();
  }
  const plain = reading.understood.replace(/\s+([.,])/g, "$1");
  const more = absent || why;
  return (
    <>
      Understood as: <b>{plain}</b>
      {unknown.length > 0 && `; not understood: ${unknown.join(", ")}`}
      {more && `${unknown.length > 0 || !plain.endsWith(".") ? "." : ""} ${more}`}
      {tied(reading).length > 0 && `${more ? "" : "."} It may mean either of these:`}
    </>
  );
}
