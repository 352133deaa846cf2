/** What is seen from a pose, in the shape of the agent's camera. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import type { Pose } from "../events";
import { meshOf, type Pictures, type Plan } from "../house";
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
  children?: ComponentChildren;
}

/** The picture, with whatever lies over it. */
export function View({ plan, pictures, pose, soon, speed, cut, children }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const stage = useRef<Stage | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const [ready, setReady] = useState(false);

  useEffect(() => {
    if (!canvas.current || !plan || !pictures) return;
    return open(canvas.current, plan, pictures, setTrouble, (made) => {
      stage.current = made;
      setReady(made !== null);
    });
  }, [plan, pictures]);

  useEffect(() => {
    if (!ready || !pose) return;
    const walks = stage.current?.at !== pose.viewpoint;
    const ms = cut || calm() ? 0 : (walks ? WALK_MS : TURN_MS) / speed;
    stage.current?.show(pose, ms).then(
      () => {
        setTrouble(null);
        stage.current?.prepare(soon);
      },
      (error: Error) => setTrouble(error.message),
    );
  }, [ready, pose?.viewpoint, pose?.heading, pose?.row, soon.join()]);

  return (
    <div class="view">
      <canvas ref={canvas} role="img" aria-label={pose ? `The view ${place(plan, pose)}` : "The view"} />
      {trouble && <p class="trouble">{trouble}</p>}
      {children}
    </div>
  );
}

/** Whether the visitor wants few things to move. */
export function calm(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** Makes a stage on a canvas; three.js is fetched only now. Gives back what ends it. */
function open(
  canvas: HTMLCanvasElement,
  plan: Plan,
  pictures: Pictures,
  setTrouble: (text: string) => void,
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
      setTrouble("This browser cannot draw in three dimensions. The plan shows where the robot is.");
      return;
    }
    size.observe(canvas);
    give(stage);
    const file = await fetch(meshOf(plan.house), { priority: "low" });
    if (!file.ok) return; // a house without triangles is walked through all the same
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
