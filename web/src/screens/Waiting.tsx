/** Nothing to show yet: the houses may not be ready, or another tab of this session is at something else. */

import { useEffect, useState } from "preact/hooks";
import type { Session } from "../session";

const PAUSE = 3000;

/** Asks again after a while if nobody has to choose otherwise; why it waits stands above it. */
export function Waiting({ session, again, alone }: { session: Session; again: () => void; alone: boolean }) {
  const refused = session.refused.value;
  const refusals = session.refusals.value;
  const left = useLeft(session);
  useEffect(() => {
    if (!refused || !alone) return;
    const timer = setTimeout(again, PAUSE);
    return () => clearTimeout(timer);
  }, [refusals, alone]);
  return (
    <div class="waiting">
      {refused && !alone ? (
        <>
          <h1>This walk cannot be shown.</h1>
          <a class="button main" href="#watch">
            Watch another one
          </a>
        </>
      ) : left ? (
        <>
          <h1>Another tab of this page does something else.</h1>
          <button type="button" class="main" onClick={again}>
            Go on here
          </button>
        </>
      ) : (
        <h1>{refused ? "This page asks again by itself." : "One moment …"}</h1>
      )}
    </div>
  );
}

/** Whether another tab has begun what the session is at: nothing was asked for here that has yet to come. */
function useLeft(session: Session): boolean {
  const idle =
    session.connected.value && !session.study && !session.waits.value && !session.refused.value && session.state.value.begun;
  const [left, setLeft] = useState(false);
  useEffect(() => {
    if (!idle) return setLeft(false);
    const timer = setTimeout(() => setLeft(true), PAUSE);
    return () => clearTimeout(timer);
  }, [!idle]);
  return left;
}
