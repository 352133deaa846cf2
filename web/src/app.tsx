/** The page: which screen is shown, and the frame around it. */

import { signal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { useKeys } from "./keys";
import type { Which } from "./messages";
import { Beat } from "./screens/Beat";
import { First } from "./screens/First";
import { Study } from "./screens/Study";
import { Today } from "./screens/Today";
import { Watch } from "./screens/Watch";
import { Session } from "./session";
import { STUDY } from "./study";

const hash = signal(location.hash);
addEventListener("hashchange", () => {
  hash.value = location.hash;
  session?.turn();
});

const DAY = "#day=";
let session: Session | null = null;
const SCREENS = [
  ["#watch", "Watch"],
  ["#help", "Help it"],
  ["#beat", "Beat it"],
  ["#today", "Today"],
] as const;

export function App() {
  const keys = useRef<HTMLDialogElement>(null);
  useKeys({ "?": () => keys.current?.showModal() });
  const at = hash.value;
  const first = !STUDY && (at === "" || at === "#");
  if (!first) session ??= new Session(STUDY);
  return (
    <>
      <header>
        <a class="brand" href="#">
          vnla
        </a>
        <nav aria-label="What to do">
          {(STUDY ? [] : SCREENS).map(([address, name]) => (
            <a href={address} aria-current={isAt(at, address) ? "page" : undefined}>
              {name}
            </a>
          ))}
        </nav>
        <button type="button" class="round small" aria-label="Keys" onClick={() => keys.current?.showModal()}>
          ?
        </button>
      </header>
      <main>
        {session && !first && <Lines session={session} />}
        {session && !first ? <Screen session={session} at={at} /> : <First />}
      </main>
      <dialog ref={keys} aria-label="Keys">
        <Keys />
        <form method="dialog">
          <button class="main">Close</button>
        </form>
      </dialog>
    </>
  );
}

/** Whether an address is of a screen, or of something that is shown on it. */
function isAt(at: string, screen: string): boolean {
  const parts: Record<string, string> = { "#watch": "#w=", "#today": DAY };
  return at === screen || at.startsWith(parts[screen] ?? "#?");
}

function Screen({ session, at }: { session: Session; at: string }) {
  if (STUDY) return <Study session={session} />;
  if (at === "#beat") return <Beat session={session} />;
  if (at === "#today" || at.startsWith(DAY))
    return <Today session={session} shared={at.startsWith(DAY) ? decoded(at.slice(DAY.length)) : null} />;
  const which: Which = at.startsWith("#w=") ? { link: at.slice(1) } : {};
  const mode = at === "#help" ? "help" : "watch";
  return <Watch key={mode} session={session} mode={mode} which={which} />;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** What the server has to say to the visitor. */
function Lines({ session }: { session: Session }) {
  const lost = session.known.value && !session.connected.value;
  const text = session.refused.value ?? session.state.value.said;
  return (
    <div role="status" class="lines">
      {lost && <p>The connection is lost. It comes back by itself; nothing is forgotten.</p>}
      {text && <p>{text}</p>}
    </div>
  );
}

const KEYS: [string, string][] = [
  ["← →", "turn left, right"],
  ["↑ ↓", "look up, down"],
  ["space", "go forward"],
  ["a", "ask for help"],
  ["s", "stop: it is here"],
  ["p", "play or pause"],
  [". ,", "one moment on, back"],
  ["g", "show where it is"],
  ["n", "another one"],
  ["?", "these keys"],
];

function Keys() {
  return (
    <>
      <h2>Keys</h2>
      <dl class="keys">
        {KEYS.map(([key, does]) => (
          <div>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
