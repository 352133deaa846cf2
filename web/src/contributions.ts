/** Whether this browser gives what its visitor types, and the token with which all of it can be taken back. */

import { signal } from "@preact/signals";
import type { Contributed, Wish } from "./messages";

/** Whether the server asks visitors, which it marks. */
export const COLLECTS = document.querySelector("meta[name=contributions]") !== null;
/** The version of the text in `parts/Contribute.tsx`; the same as in `vnla.serve.contributions.contribution`. */
const CONSENT = "1";
/** What is kept in the browser alone: the token, and whether its visitor agrees now. */
const TOKEN = "vnla-contributor";
const AGREES = "vnla-contributes";

export class Contributions {
  readonly answer = signal<Contributed | null>(null);

  constructor(private readonly say: (wish: Wish) => void) {}

  /** Whether this browser has ever given something that is not taken back. */
  get known(): boolean {
    return localStorage.getItem(TOKEN) !== null;
  }

  /** Says anew what the visitor has agreed to: a server keeps that only as long as they are there. */
  greet(): void {
    if (COLLECTS && localStorage.getItem(AGREES)) this.agree();
  }

  agree(): void {
    const token = localStorage.getItem(TOKEN);
    this.say({ kind: "contribute", agrees: true, version: CONSENT, ...(token ? { token } : {}) });
  }

  stop(): void {
    this.say({ kind: "contribute", agrees: false });
  }

  withdraw(): void {
    const token = localStorage.getItem(TOKEN);
    if (token) this.say({ kind: "withdraw_contributions", token });
  }

  heard(answer: Contributed): void {
    if (answer.withdrawn !== null) localStorage.removeItem(TOKEN);
    if (answer.token) localStorage.setItem(TOKEN, answer.token);
    if (answer.agrees) localStorage.setItem(AGREES, "yes");
    else localStorage.removeItem(AGREES);
    this.answer.value = answer;
  }
}
