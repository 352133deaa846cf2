/** The line to the server. It comes back by itself when it is lost, and says again what was not answered. */

import type { Answer, Message, Wish } from "./messages";

const FIRST_WAIT = 400;
const LONGEST_WAIT = 8000;

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
}

export class Connection {
  private socket: Socket | null = null;
  private welcome = false;
  private unanswered: Exclude<Message, { kind: "hello" }>[] = [];
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
    const message = { ...wish, after: this.listener.seen().after } as Exclude<Message, { kind: "hello" }>;
    this.unanswered.push(message);
    if (this.welcome) this.socket?.send(JSON.stringify(message));
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
    if (answer.kind === "welcome") {
      this.welcome = true;
      this.wait = FIRST_WAIT;
      this.listener.heard(answer);
      // What the server had taken in before the line was lost shows in the snapshot; the rest is said again.
      this.unanswered = this.unanswered.filter((each) => each.after === answer.snapshot.number);
      this.unanswered.forEach((each) => this.socket?.send(JSON.stringify(each)));
      this.listener.open(true);
      return;
    }
    this.listener.heard(answer);
    if (answer.kind === "event") this.unanswered = this.unanswered.filter((each) => each.after >= answer.event.number);
    else this.unanswered.shift();
  }

  private lost(): void {
    this.welcome = false;
    this.listener.open(false);
    if (this.closed) return;
    this.timer = setTimeout(() => this.connect(), this.wait * (0.75 + Math.random() / 2));
    this.wait = Math.min(LONGEST_WAIT, 2 * this.wait);
  }
}
