/** A button for something that cannot be undone: it asks again, and staying is the nearer choice. */

import { useRef } from "preact/hooks";

interface Props {
  button: string;
  question: string;
  stay: string;
  act: string;
  does: () => void;
}

export function Ask({ button, question, stay, act, does }: Props) {
  const asks = useRef<HTMLDialogElement>(null);
  return (
    <>
      <button type="button" onClick={() => asks.current?.showModal()}>
        {button}
      </button>
      <dialog ref={asks} aria-label={button}>
        <p>{question}</p>
        <form method="dialog" class="choices small">
          <button class="main">{stay}</button>
          <button onClick={does}>{act}</button>
        </form>
      </dialog>
    </>
  );
}
