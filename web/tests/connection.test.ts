import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Connection, type Socket } from "../src/connection";
import type { Begun, Mode } from "../src/events";
import type { Answer } from "../src/messages";
import { NOTHING } from "../src/reduce";

class Wire implements Socket {
  onopen: (() => void) | null = null;
  onmessage: ((message: { data: string }) => void) | null = null;
  onclose: (() => void) | null = null;
  readonly sent: Record<string, unknown>[] = [];
  send(text: string): void {
    this.sent.push(JSON.parse(text) as Record<string, unknown>);
  }
  close(): void {
    this.onclose?.();
  }
  hear(answer: Answer): void {
    this.onmessage?.({ data: JSON.stringify(answer) });
  }
}

const begun = (mode: Mode) => ({ mode }) as Begun;
const welcome = (number: number, mode?: Mode): Answer => ({
  kind: "welcome",
  session: "s",
  snapshot: { ...NOTHING, number, begun: mode ? begun(mode) : null },
});
const begins = (number: number, mode: Mode): Answer => ({ kind: "event", event: { ...begun(mode), kind: "begun", number } });

describe("a connection", () => {
  let wires: Wire[];
  let seen: number;
  let waits: boolean;
  let line: Connection;
  const last = () => wires.at(-1) as Wire;

  beforeEach(() => {
    vi.useFakeTimers();
    wires = [];
    seen = 0;
    waits = false;
    line = new Connection(
      () => {
        wires.push(new Wire());
        return last();
      },
      {
        seen: () => ({ session: "s", after: seen }),
        heard: (answer) => answer.kind === "event" && (seen = answer.event.number),
        open: () => undefined,
        waits: (now) => (waits = now),
      },
    );
    last().onopen?.();
  });
  afterEach(() => {
    line.close();
    vi.useRealTimers();
  });

  it("says who it is first, and keeps back the rest until it is known", () => {
    line.say({ kind: "beat" });
    expect(last().sent).toEqual([{ kind: "hello", session: "s", after: 0 }]);
    last().hear(welcome(0));
    expect(last().sent[1]).toEqual({ kind: "beat", after: 0 });
  });

  it("comes back by itself and says again what was not taken in", () => {
    last().hear(welcome(0));
    line.say({ kind: "ask" });
    last().close();
    vi.advanceTimersByTime(1000);
    expect(wires).toHaveLength(2);
    last().onopen?.();
    last().hear(welcome(0));
    expect(last().sent.at(-1)).toEqual({ kind: "ask", after: 0 });
  });

  it("does not say again what the snapshot shows", () => {
    last().hear(welcome(0));
    line.say({ kind: "ask" });
    last().close();
    vi.advanceTimersByTime(1000);
    last().onopen?.();
    last().hear(welcome(2));
    expect(last().sent).toHaveLength(1);
  });

  it("holds an event for the answer", () => {
    last().hear(welcome(0));
    line.say({ kind: "ask" });
    last().hear({ kind: "event", event: { number: 1, kind: "said", text: "" } });
    last().hear(welcome(1));
    expect(last().sent).toHaveLength(2);
  });

  it("keeps a message that it said first, when a study says where it stands", () => {
    const standing = { kind: "study", phase: "task" } as Answer;
    last().hear(welcome(0));
    last().hear(standing);
    line.say({ kind: "next" });
    for (const _ of [1, 2]) {
      last().close();
      vi.advanceTimersByTime(10_000);
      last().onopen?.();
      last().hear(welcome(0));
      last().hear(standing); // to the hello, not to what was said
      expect(last().sent.at(-1)).toEqual({ kind: "next", after: 0 });
    }
    last().hear(standing);
    last().close();
    vi.advanceTimersByTime(10_000);
    last().onopen?.();
    last().hear(welcome(0));
    expect(last().sent).toHaveLength(1);
  });

  it("takes what the server says of contributions as the answer to them alone", () => {
    last().hear(welcome(0));
    line.say({ kind: "contribute", agrees: false });
    line.say({ kind: "ask" });
    last().hear({ kind: "contributions", agrees: false, token: null, count: 0, withdrawn: null });
    last().close();
    vi.advanceTimersByTime(1000);
    last().onopen?.();
    last().hear(welcome(0));
    expect(last().sent.slice(1)).toEqual([{ kind: "ask", after: 0 }]);
  });

  it("comes again with all it has to say when there is no room", () => {
    line.say({ kind: "beat" });
    last().hear({ kind: "refused", why: "Too many visitors are here; try again later." });
    vi.advanceTimersByTime(1000);
    expect(wires).toHaveLength(2);
    last().onopen?.();
    last().hear(welcome(0));
    expect(last().sent.at(-1)).toEqual({ kind: "beat", after: 0 });
  });

  it("says what was said without a line after what was taken in before", () => {
    last().hear(welcome(0));
    line.say({ kind: "ask" });
    last().close();
    line.say({ kind: "act", action: "left" });
    vi.advanceTimersByTime(1000);
    last().onopen?.();
    last().hear(welcome(2));
    expect(last().sent.slice(1)).toEqual([{ kind: "act", action: "left", after: 2 }]);
  });

  it("says nothing again on a line that holds", () => {
    last().hear(welcome(0));
    line.say({ kind: "leave" });
    last().hear(welcome(0)); // there was nothing to leave
    line.say({ kind: "beat" });
    last().hear(welcome(0));
    expect(last().sent.map(({ kind }) => kind)).toEqual(["hello", "leave", "beat"]);
  });

  it("takes another walk as the answer to whoever asked for one", () => {
    last().hear(welcome(0));
    line.say({ kind: "beside", agent: "planner" });
    last().hear({ kind: "second", events: [] });
    last().close();
    vi.advanceTimersByTime(1000);
    last().onopen?.();
    last().hear(welcome(0));
    expect(last().sent.map(({ kind }) => kind)).toEqual(["hello"]);
  });

  it("tells whether something waits for an answer", () => {
    last().hear(welcome(0));
    expect(waits).toBe(false);
    line.say({ kind: "ask" });
    expect(waits).toBe(true);
    last().hear({ kind: "event", event: { number: 1, kind: "said", text: "" } });
    expect(waits).toBe(false);
    line.say({ kind: "ask" });
    last().hear(welcome(3)); // another tab of the session was faster
    expect(waits).toBe(false);
  });

  it("waits for each of two episodes that were asked for one after the other", () => {
    last().hear(welcome(3, "beat"));
    line.say({ kind: "watch" });
    line.say({ kind: "beat" });
    last().hear(begins(4, "watch"));
    expect(waits).toBe(true);
    last().hear({ kind: "event", event: { number: 5, kind: "said", text: "" } });
    expect(waits).toBe(true);
    last().hear(begins(6, "beat"));
    expect(waits).toBe(false);
  });

  it("asks again for the second of them when the line is lost between", () => {
    last().hear(welcome(3, "beat"));
    line.say({ kind: "watch" });
    line.say({ kind: "beat" });
    last().close();
    vi.advanceTimersByTime(1000);
    last().onopen?.();
    last().hear(welcome(9, "watch"));
    expect(last().sent.slice(1)).toEqual([{ kind: "beat", after: 9 }]);
  });

  it("takes a walk that goes on as the answer to whoever wanted to begin one", () => {
    last().hear(welcome(3, "beat"));
    line.say({ kind: "beat" });
    last().hear(welcome(3, "beat"));
    expect(waits).toBe(false);
  });

  it("waits longer from time to time, but not for ever", () => {
    for (let i = 0; i < 12; i++) {
      last().close();
      vi.advanceTimersByTime(11_000);
    }
    expect(wires).toHaveLength(13);
  });

  it("stays closed once it is closed", () => {
    line.close();
    vi.advanceTimersByTime(60_000);
    expect(wires).toHaveLength(1);
  });
});
