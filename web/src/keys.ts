/** Keys for everything. */

import { useLayoutEffect, useRef } from "preact/hooks";

/** Key → what it does; keys that somebody is typing with are left alone. */
export function useKeys(keys: Record<string, () => void>): void {
  const latest = useRef(keys);
  latest.current = keys;
  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented || typing(event)) return;
      const act = latest.current[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}

function typing({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.closest("dialog")) return true;
  if (target instanceof HTMLInputElement && target.type === "range") return key.startsWith("Arrow");
  if (target.closest("input, textarea, select")) return true;
  return (key === " " || key === "Enter") && target.closest("button, a, summary") !== null;
}
