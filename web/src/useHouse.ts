/** A house's plan and pictures for a screen. */

import { useEffect, useState } from "preact/hooks";
import { type Pictures, type Plan, picturesOf, planOf } from "./house";

export interface Fetched {
  plan: Plan | null;
  pictures: Pictures | null;
  trouble: string | null;
}

const NONE: Fetched = { plan: null, pictures: null, trouble: null };

/** Fetches them when the house is known; in a game the plan is bare. */
export function useHouse(house: string | undefined, bare: boolean): Fetched {
  const [found, setFound] = useState<Fetched>(NONE);
  useEffect(() => {
    setFound(NONE);
    if (!house) return;
    let gone = false;
    Promise.all([planOf(house, bare), picturesOf(house)]).then(
      ([plan, pictures]) => gone || setFound({ plan, pictures, trouble: null }),
      (error: Error) => gone || setFound({ ...NONE, trouble: error.message }),
    );
    return () => {
      gone = true;
    };
  }, [house, bare]);
  return found;
}
