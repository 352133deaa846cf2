/** Plays the moments of an episode one after the other. */

import { computed, effect, signal, type ReadonlySignal } from "@preact/signals";
import { type Frame, frameOfStep, frames } from "./frames";
import type { State } from "./reduce";

export const SPEEDS = [0.5, 1, 2, 4] as const;

export class Player {
  readonly at = signal(0);
  readonly playing = signal(true);
  readonly speed = signal<number>(1);
  /** Whether the last change was a jump: it is shown at once, without walking there. */
  readonly jumped = signal(false);
  /** Whether a picture is awaited: until it is there, nothing goes on. */
  readonly held = signal(false);
  readonly frames: ReadonlySignal<Frame[]>;
  readonly frame: ReadonlySignal<Frame | undefined>;
  readonly atEnd: ReadonlySignal<boolean>;
  /** Whether something is still to come without anybody doing anything. */
  readonly running: ReadonlySignal<boolean>;
  private readonly stop: () => void;

  constructor(
    readonly state: ReadonlySignal<State>,
    private readonly repeat = false,
  ) {
    this.frames = computed(() => frames(state.value));
    this.frame = computed(() => this.frames.value[Math.min(this.at.value, this.frames.value.length - 1)]);
    this.atEnd = computed(() => this.at.value >= this.frames.value.length - 1);
    this.running = computed(() => this.playing.value && !(this.atEnd.value && this.rests() && !repeat));
    this.stop = effect(() => {
      const frame = this.frame.value;
      if (!this.playing.value || this.held.value || !frame) return;
      if (this.atEnd.value && !(this.repeat && this.state.value.ended)) return;
      const wait = this.atEnd.value ? 4000 : frame.ms / this.speed.value;
      const timer = setTimeout(() => this.move(this.atEnd.value ? 0 : this.at.value + 1, this.atEnd.value), wait);
      return () => clearTimeout(timer);
    });
  }

  /** One moment on, or back. */
  nudge(by: number): void {
    this.playing.value = false;
    this.move(this.at.value + by, by < 0);
  }

  /** To the beginning of a step. */
  seek(step: number): void {
    this.move(frameOfStep(this.frames.value, step), true);
  }

  /** To what happened last. */
  catchUp(): void {
    this.move(this.frames.value.length - 1, true);
  }

  /** Where it is, as a text to come back by. */
  moment(): string {
    return JSON.stringify([this.at.peek(), this.playing.peek(), this.speed.peek()]);
  }

  /** Back to where it was; whether that was told. */
  recall(moment: string | null): boolean {
    if (moment === null) return false;
    const [at, playing, speed] = JSON.parse(moment) as [number, boolean, number];
    this.move(at, true);
    this.playing.value = playing;
    this.speed.value = speed;
    return true;
  }

  toggle(): void {
    const runs = this.running.value;
    if (!runs && this.atEnd.value && this.state.value.ended) this.move(0, true);
    this.playing.value = !runs;
  }

  dispose(): void {
    this.stop();
  }

  /** Whether nothing follows before somebody does something. */
  private rests(): boolean {
    return this.state.value.ended !== null || this.state.value.waits !== null;
  }

  private move(to: number, jump: boolean): void {
    this.jumped.value = jump;
    this.at.value = Math.max(0, Math.min(to, this.frames.value.length - 1));
  }
}
