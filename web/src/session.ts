/** A visitor's session: the state that the server's events make, and what the visitor says. */

import { batch, signal } from "@preact/signals";
import { Connection } from "./connection";
import { Contributions } from "./contributions";
import type { Mode } from "./events";
import type { Answer, Standing, Which, Wish } from "./messages";
import { NOTHING, reduce, type State } from "./reduce";

const KEPT = "vnla-session";
const IN_STUDY = "vnla-study";

export class Session {
  readonly state = signal<State>(NOTHING);
  readonly second = signal<State | null>(null);
  readonly refused = signal<string | null>(null);
  /** How often something was refused: the same reason twice is two of them. */
  readonly refusals = signal(0);
  readonly connected = signal(false);
  /** Whether the server has said what it knows of this session. */
  readonly known = signal(false);
  /** Whether something that was said here has yet to be answered. */
  readonly waits = signal(false);
  /** Whether the present episode was under way before the page was opened. */
  readonly resumed = signal(false);
  /** Where a participant stands, in a study. */
  readonly standing = signal<Standing | null>(null);
  /** What the visitor gives of what they type, if they agree. */
  readonly contributions = new Contributions((wish) => this.connection.say(wish));
  /** The episode that was asked for last and that the server may not have begun yet. */
  private coming: { mode: Mode; link?: string | undefined; day?: string } | null = null;
  private id: string | null;
  private readonly connection: Connection;

  /** In a study a session outlives its page, and says when something was said. */
  constructor(readonly study: boolean) {
    this.id = study ? localStorage.getItem(IN_STUDY) : sessionStorage.getItem(KEPT);
    this.connection = new Connection(() => new WebSocket(address()) as never, {
      seen: () => ({ session: this.id, after: this.state.peek().number }),
      heard: (answer) => batch(() => this.heard(answer)),
      open: (connected) => {
        this.connected.value = connected;
        if (connected) this.contributions.greet();
      },
      waits: (waits) => {
        this.waits.value = waits;
        if (!waits) this.coming = null;
      },
    });
  }

  /** Who asks `again` for what was refused still reads why, until there is an answer. */
  say(wish: Wish, again = false): void {
    if (!again) this.refused.value = null;
    if (wish.kind !== "what_if" && wish.kind !== "beside") this.second.value = null;
    this.connection.say(this.study ? { ...wish, at: Date.now() } : wish);
  }

  /** The visitor turns to another screen: what was refused on this one is not said there. */
  turn(): void {
    this.refused.value = null;
  }

  /** The next task of a study. */
  next(): void {
    this.resumed.value = false;
    this.say({ kind: "next" });
  }

  /** Begins an episode unless the one that is wanted is there already, as after a reload, or is the next to come. */
  enter(mode: Mode, which: Which = {}, again = false): void {
    const next = this.coming ?? this.state.peek().begun;
    if (this.study) return; // the server says what comes next
    const there = next?.mode === mode && !next.day && (which.link === undefined || next.link === which.link) && !which.goal;
    if (!there) this.begin(mode, which, again);
  }

  begin(mode: Mode, which: Which = {}, again = false): void {
    this.resumed.value = false;
    this.coming = { mode, link: which.link };
    this.say(mode === "beat" ? { kind: "beat" } : { kind: mode, ...which }, again);
  }

  /** Begins the task of the day. */
  beginDay(): void {
    this.resumed.value = false;
    this.coming = { mode: "beat", day: "today" };
    this.say({ kind: "day" });
  }

  /** Begins a task against another agent, or the server's own. */
  beat(against: string | null): void {
    this.resumed.value = false;
    this.coming = { mode: "beat" };
    this.say(against ? { kind: "beat", against } : { kind: "beat" });
  }

  private heard(answer: Answer): void {
    switch (answer.kind) {
      case "welcome":
        this.id = answer.session;
        if (this.study) localStorage.setItem(IN_STUDY, answer.session);
        else sessionStorage.setItem(KEPT, answer.session);
        this.state.value = answer.snapshot;
        if (!this.known.value) this.resumed.value = answer.snapshot.begun !== null;
        this.known.value = true;
        break;
      case "event":
        if (answer.event.kind === "begun") this.refused.value = null;
        this.state.value = reduce(this.state.value, [answer.event]);
        break;
      case "second":
        this.second.value = reduce(NOTHING, answer.events);
        break;
      case "refused":
        this.refused.value = answer.why;
        this.refusals.value += 1;
        break;
      case "contributions":
        this.contributions.heard(answer);
        break;
      case "study":
        this.standing.value = answer;
        break;
    }
  }
}

function address(): string {
  return `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`;
}
