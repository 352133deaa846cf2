/**
 * The line to the server. It comes back by itself when it is lost, and says again what was not answered.
 *
 * A message is answered by an event after the last that its sender had seen, or by a reply of its own; one that begins an
 * episode by an episode in its mode, and not by what another such message before it has begun. What the server says to a
 * hello is no answer to anything else: neither where a study stands, nor that there is no room now.
 */

import type { Mode } from "./events";
import type { Answer, Message, Wish } from "./messages";

const FIRST_WAIT = 400;
const LONGEST_WAIT = 8000;
/** The messages that begin an episode, and its mode. */
const BEGINS: Partial<Record<Message["kind"], Mode>> = { watch: "watch", help: "help", beat: "beat", day: "beat" };

/** What a browser's socket can do, so that tests can have one of their own. */
export interface Socket {
  onopen: (() => void) | null;
  onmessage: ((message: { data: string }) => void) | null;
  onclose: (() => void) | null;
  send(text: string): void;
  close(): void;
}

export interface Listener {
  /** What has been seen: the number of the last event, and the session if there is one. */
  seen(): { session: string | null; after: number };
  heard(answer: Answer): void;
  open(connected: boolean): void;
  /** Whether something that was said here has yet to be answered. */
  waits(waits: boolean): void;
}

type Said = Exclude<Message, { kind: "hello" }>;

export class Connection {
  private socket: Socket | null = null;
  private welcome = false;
  /** In the order in which they were said; what was never sent has not been taken in. */
  private unanswered: { message: Said; sent: boolean }[] = [];
  /** Whether a study has yet to say where it stands, after a hello. */
  private greeted = false;
  private wait = FIRST_WAIT;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private closed = false;

  constructor(
    private readonly make: () => Socket,
    private readonly listener: Listener,
  ) {
    this.connect();
  }

  /** Says something now, or as soon as there is a line. */
  say(wish: Wish): void {
    this.unanswered.push({ message: { ...wish, after: this.listener.seen().after } as Said, sent: false });
    this.listener.waits(true);
    if (this.welcome) this.sendUnsent();
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    this.socket?.close();
  }

  private connect(): void {
    const socket = this.make();
    this.socket = socket;
    socket.onopen = () => socket.send(JSON.stringify({ kind: "hello", ...this.listener.seen() } satisfies Message));
    socket.onmessage = ({ data }) => this.hear(JSON.parse(data) as Answer);
    socket.onclose = () => this.lost();
  }

  private hear(answer: Answer): void {
    if (answer.kind === "welcome") this.welcomed(answer);
    else if (!this.welcome) this.turnedAway(answer);
    else this.answered(answer);
    this.listener.waits(this.unanswered.length > 0);
  }

  /** The answer to a hello, or to a message after which the server tells all. */
  private welcomed(answer: Answer & { kind: "welcome" }): void {
    const { number, begun, ended } = answer.snapshot;
    const first = !this.welcome;
    this.welcome = true;
    this.wait = FIRST_WAIT;
    this.listener.heard(answer);
    this.removeAnswered(number, begun);
    if (!first) {
      if (begun?.mode === "beat" && !ended) this.remove("leave", "beat");
      else this.remove("leave");
      return;
    }
    this.greeted = true;
    // What the server had taken in before the line was lost shows in the snapshot; the rest is said again.
    this.unanswered = this.unanswered.map(({ message }) => ({ message: { ...message, after: number }, sent: false }));
    this.sendUnsent();
    this.listener.open(true);
  }

  /** There is no room, and the server says why: it is asked again later. Nothing else comes before a welcome. */
  private turnedAway(answer: Answer): void {
    if (answer.kind !== "refused") return;
    this.listener.heard(answer);
    this.socket?.close();
  }

  private answered(answer: Exclude<Answer, { kind: "welcome" }>): void {
    this.listener.heard(answer);
    switch (answer.kind) {
      case "event":
        this.removeAnswered(answer.event.number, answer.event.kind === "begun" ? answer.event : null);
        break;
      case "second":
        this.remove("what_if", "beside");
        break;
      case "refused":
        this.unanswered.shift();
        break;
      case "contributions":
        this.remove("contribute", "withdraw_contributions");
        break;
      case "study":
        if (!this.greeted) this.remove("agree", "next", "withdraw");
        this.greeted = false;
        break;
    }
  }

  /** What events up to this one answer, the last that has begun an episode among them. */
  private removeAnswered(number: number, begun: { mode: Mode } | null): void {
    const old = this.unanswered.map(({ message, sent }) => sent && message.after !== number);
    const at = this.unanswered.findIndex(({ message }, i) => old[i] && begun && BEGINS[message.kind] === begun.mode);
    this.unanswered = this.unanswered.filter(({ message }, i) => !old[i] || (i > at && message.kind in BEGINS));
  }

  /** The first message of these kinds is answered. */
  private remove(...kinds: Said["kind"][]): void {
    const at = this.unanswered.findIndex(({ message }) => kinds.includes(message.kind));
    if (at >= 0) this.unanswered.splice(at, 1);
  }

  private sendUnsent(): void {
    for (const each of this.unanswered.filter(({ sent }) => !sent)) {
      this.socket?.send(JSON.stringify(each.message));
      each.sent = true;
    }
  }

  private lost(): void {
    this.welcome = false;
    this.listener.open(false);
    if (this.closed) return;
    this.timer = setTimeout(() => this.connect(), this.wait * (0.75 + Math.random() / 2));
    this.wait = Math.min(LONGEST_WAIT, 2 * this.wait);
  }
}
