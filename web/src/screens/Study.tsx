/** A study: consent, practice, tasks and the completion code. What comes next the server says. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { Standing } from "../messages";
import type { Session } from "../session";
import { Beat } from "./Beat";
import { Watch } from "./Watch";

export function Study({ session }: { session: Session }) {
  const standing = session.standing.value;
  if (!standing)
    return (
      <div class="waiting">
        <h1>One moment …</h1>
      </div>
    );
  if (standing.phase === "consent") return <Consent session={session} standing={standing} />;
  if (standing.phase !== "practice" && standing.phase !== "task") return <End session={session} standing={standing} />;
  return (
    <>
      <Bar session={session} standing={standing} />
      {standing.begun ? <Episode session={session} /> : <Begin session={session} standing={standing} />}
    </>
  );
}

function Consent({ session, standing }: { session: Session; standing: Standing }) {
  const [agrees, setAgrees] = useState(false);
  const agree = (): void => {
    const id = standing.platform && new URLSearchParams(location.search).get(standing.platform);
    session.say({ kind: "agree", version: standing.version ?? "", ...(id ? { platform: id } : {}) });
  };
  return (
    <section class="study" aria-labelledby="title">
      <h1 id="title">{standing.title}</h1>
      <div class="card">
        {standing.text.split(/\n\s*\n/).map((each) => (
          <p>{each}</p>
        ))}
      </div>
      <label class="check">
        <input type="checkbox" checked={agrees} onChange={() => setAgrees(!agrees)} /> I have read this and agree to take
        part.
      </label>
      <p class="choices">
        <button type="button" class="main" disabled={!agrees} onClick={agree}>
          Begin
        </button>
      </p>
      <p class="quiet">Version {standing.version}</p>
    </section>
  );
}

/** What there is to do now. */
function Begin({ session, standing }: { session: Session; standing: Standing }) {
  return (
    <section class="study" aria-labelledby="title">
      <h1 id="title">{standing.phase === "practice" ? "First, some practice" : "The next task"}</h1>
      <div class="card">
        <p>{standing.text}</p>
        <p class="choices">
          <button type="button" class="main" onClick={() => session.next()}>
            Start
          </button>
        </p>
      </div>
    </section>
  );
}

function Episode({ session }: { session: Session }) {
  const mode = session.state.value.begun?.mode;
  if (mode === "beat") return <Beat session={session} />;
  return mode ? <Watch key={mode} session={session} mode={mode} which={{}} /> : null;
}

/** How far the study is, what there is to do, and the ways out of it. */
function Bar({ session, standing }: { session: Session; standing: Standing }) {
  const asks = useRef<HTMLDialogElement>(null);
  const going = standing.begun && !standing.over;
  return (
    <div class="study-bar">
      <p>
        <b>
          {standing.phase === "practice" ? "Practice" : `Task ${Math.min(standing.done + 1, standing.of)} of ${standing.of}`}
        </b>
        {going && <> · {standing.text}</>}
        {going && standing.seconds_left !== null && <Clock session={session} seconds={standing.seconds_left} />}
      </p>
      <p class="choices small">
        {going && (
          <button type="button" onClick={() => session.say({ kind: "leave" })}>
            Give up this task
          </button>
        )}
        <button type="button" onClick={() => asks.current?.showModal()}>
          Withdraw
        </button>
      </p>
      <dialog ref={asks} aria-label="Withdraw">
        <p>Leave the study, and delete all that was recorded of you? This cannot be undone.</p>
        <form method="dialog" class="choices small">
          <button class="main">Stay</button>
          <button onClick={() => session.say({ kind: "withdraw" })}>Withdraw and delete</button>
        </form>
      </dialog>
    </div>
  );
}

/** The time that is left of a task; when it is over the server ends the task. */
function Clock({ session, seconds }: { session: Session; seconds: number }) {
  const [left, setLeft] = useState(seconds);
  useEffect(() => {
    const end = Date.now() + 1000 * seconds;
    const timer = setInterval(() => {
      const now = Math.max(0, (end - Date.now()) / 1000);
      setLeft(now);
      if (now > 0) return;
      clearInterval(timer);
      setTimeout(() => session.next(), 500);
    }, 500);
    return () => clearInterval(timer);
  }, [seconds]);
  return <> · {Math.ceil(left)} s left</>;
}

function End({ session, standing }: { session: Session; standing: Standing }) {
  return (
    <section class="study" aria-labelledby="title">
      <h1 id="title">{standing.title}</h1>
      <div class="card" role="status">
        <p>{standing.text}</p>
        {standing.code && (
          <p class="code">
            <code>{standing.code}</code>
          </p>
        )}
      </div>
      {standing.phase !== "withdrawn" && (
        <p class="choices small">
          <button
            type="button"
            onClick={() => confirm("Delete all that was recorded of you?") && session.say({ kind: "withdraw" })}
          >
            Withdraw and delete
          </button>
        </p>
      )}
    </section>
  );
}
