/** A task of a study is over: how practice went, and the way on. */

import type { Session } from "../session";

export function Over({ session }: { session: Session }) {
  const standing = session.standing.value;
  if (!standing?.over) return <p>One moment …</p>;
  return (
    <div class={`card ending ${standing.passed === false ? "bad" : "good"}`}>
      <p role="status">
        {standing.passed === true && "That went well."}
        {standing.passed === false && "That did not go well yet."}
        {standing.passed === null && "This task is over."}
      </p>
      <p class="choices small">
        <button type="button" class="main" onClick={() => session.next()}>
          Go on
        </button>
      </p>
    </div>
  );
}
