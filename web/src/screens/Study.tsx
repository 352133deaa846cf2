/** A study: consent, practice, tasks and the completion code. What comes next the server says. */

import { useEffect, useMemo, useState } from "preact/hooks";
import type { Standing } from "../messages";
import { Ask } from "../parts/Ask";
import type { Session } from "../session";
import { canDraw, platformId } from "../study";
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
  const drawn = useMemo(canDraw, []);
  const id = platformId(standing.platform);
  const agree = (): void => session.say({ kind: "agree", version: standing.version ?? "", ...(id ? { platform: id } : {}) });
  if (!drawn)
    return (
      <Hindered title={standing.title}>
        This study shows houses in three dimensions, and this browser cannot draw them (it has no WebGL 2). Nothing was
        recorded of you. Come back with another browser or computer, by the same link.
      </Hindered>
    );
  if (standing.platform && !id)
    return (
      <Hindered title={standing.title}>
        This address has no id of yours in it, without which you cannot take part. Come by the link that you were given for
        this study.
      </Hindered>
    );
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

/** Why somebody cannot take part here, before they are asked whether they want to. */
function Hindered({ title, children }: { title: string; children: string }) {
  return (
    <section class="study" aria-labelledby="title">
      <h1 id="title">{title}</h1>
      <div class="card" role="status">
        <p>{children}</p>
      </div>
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
        <Ask
          button="Withdraw"
          question="Leave the study, and delete all that was recorded of you? This cannot be undone."
          stay="Stay"
          act="Withdraw and delete"
          does={() => session.say({ kind: "withdraw" })}
        />
      </p>
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
          <>
            <p class="code">
              <code>{standing.code}</code>
            </p>
            <p class="choices small">
              <Copy text={standing.code} />
            </p>
          </>
        )}
      </div>
      {standing.phase !== "withdrawn" && (
        <details class="card">
          <summary>I do not want to take part after all</summary>
          <p>
            You can still withdraw: then all that was recorded of you is deleted, and the code above can no longer be
            checked. Nothing else has to be done here; you can close this page.
          </p>
          <p class="choices small">
            <Ask
              button="Withdraw and delete …"
              question="Delete all that was recorded of you, and your completion code with it? This cannot be undone."
              stay="Keep it"
              act="Delete it all"
              does={() => session.say({ kind: "withdraw" })}
            />
          </p>
        </details>
      )}
    </section>
  );
}

/** Puts a text where it can be pasted from. */
function Copy({ text }: { text: string }) {
  const [told, setTold] = useState("Copy the code");
  const copy = (): void => {
    const copied = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error("no clipboard"));
    copied.then(
      () => setTold("Copied"),
      () => setTold("Select it and copy it by hand"),
    );
  };
  return (
    <button type="button" class="main" onClick={copy}>
      {told}
    </button>
  );
}
