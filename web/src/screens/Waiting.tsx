/** Nothing to show yet: the houses may not be ready. */

import { useEffect } from "preact/hooks";
import type { Session } from "../session";

const PAUSE = 3000;

/** Asks again after a while if nobody has to choose otherwise; why it waits stands above it. */
export function Waiting({ session, again, alone }: { session: Session; again: () => void; alone: boolean }) {
  const refused = session.refused.value;
  const refusals = session.refusals.value;
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
      ) : (
        <h1>{refused ? "This page asks again by itself." : "One moment …"}</h1>
      )}
    </div>
  );
}
