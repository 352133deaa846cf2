/** What is seen from a pose, in the shape of the agent's camera. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import type { Pose } from "../events";
import { meshOf, type Pictures, type Plan, warm } from "../house";
import { TURN_MS, WALK_MS } from "../frames";
import { place } from "../words";
import type { Stage } from "../view/stage";

interface Props {
  plan: Plan | null;
  pictures: Pictures | null;
  pose: Pose | null;
  soon: readonly string[];
  speed: number;
  cut: boolean;
  waits?: (waits: boolean) => void; // hears whether a picture is awaited
  children?: ComponentChildren;
}

const PATIENCE = 400;

/** The picture, with whatever lies over it. */
export function View({ plan, pictures, pose, soon, speed, cut, waits, children }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const stage = useRef<Stage | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const [ready, setReady] = useState(false);
  const [drawing, setDrawing] = useState(true);

  useEffect(() => {
    if (!canvas.current || !plan || !pictures) return;
    if (pose) warm(pictures, pose.viewpoint);
    const fail = (text: string): void => {
      setTrouble(text);
      waits?.(false);
    };
    return open(canvas.current, plan, pictures, fail, (made) => {
      stage.current = made;
      setReady(made !== null);
    });
  }, [plan, pictures]);

  useEffect(() => {
    waits?.(true);
    return () => waits?.(false);
  }, []);

  useEffect(() => {
    if (!ready || !pose) return;
    const walks = stage.current?.at !== pose.viewpoint;
    const ms = cut || calm() ? 0 : (walks ? WALK_MS : TURN_MS) / speed;
    const late = setTimeout(() => setDrawing(true), PATIENCE);
    const done = (text: string | null): void => {
      clearTimeout(late);
      setDrawing(false);
      setTrouble(text);
      waits?.(false);
      stage.current?.prepare(soon);
    };
    waits?.(true);
    stage.current?.show(pose, ms).then(
      (arrived) => arrived && done(null),
      (error: Error) => done(error.message),
    );
    return () => clearTimeout(late);
  }, [ready, pose?.viewpoint, pose?.heading, pose?.row, soon.join()]);

  return (
    <div class="view">
      {/* A canvas has one house only: what drew on it cannot be taken off it. */}
      <canvas key={plan?.house} ref={canvas} role="img" aria-label={pose ? `The view ${place(plan, pose)}` : "The view"} />
      {trouble ? <p class="trouble">{trouble}</p> : drawing && <p class="drawing">The house is being drawn …</p>}
      {children}
    </div>
  );
}

/** Whether the visitor wants few things to move. */
export function calm(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** Makes a stage on a canvas; three.js is fetched beside all else. Gives back what ends it. */
function open(
  canvas: HTMLCanvasElement,
  plan: Plan,
  pictures: Pictures,
  fail: (text: string) => void,
  give: (stage: Stage | null) => void,
): () => void {
  let stage: Stage | null = null;
  let gone = false;
  const size = new ResizeObserver(() => stage?.resize(canvas.clientWidth, canvas.clientHeight));
  const begin = async (): Promise<void> => {
    const { Stage } = await import("../view/stage");
    if (gone) return;
    try {
      stage = new Stage(canvas, plan, pictures);
    } catch {
      fail("This browser cannot draw the house (it has no WebGL 2). All else works; the plan shows the place.");
      return;
    }
    size.observe(canvas);
    give(stage);
    await stage.shown;
    const file = await fetch(meshOf(plan.house), { priority: "low" });
    if (file.status !== 200) return; // a house without triangles is walked through all the same
    const { readGlb } = await import("../view/glb");
    const geometry = readGlb(await file.arrayBuffer());
    if (!gone) stage.setMesh(geometry);
  };
  begin().catch(() => undefined);
  return () => {
    gone = true;
    size.disconnect();
    stage?.dispose();
    give(null);
  };
}
