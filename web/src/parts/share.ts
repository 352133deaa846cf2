/** A result of the task of the day, as text and as a picture; both are made in the browser, and neither says where it was. */

import type { DayResult } from "../events";
import { count } from "../words";

const SIGNS: Record<number, string> = { 1: "🟩", 0: "⬜", [-1]: "🟧" };
const COLOURS: Record<number, string> = { 1: "#3f9d63", 0: "#cfcac0", [-1]: "#e08a4c" };
const [WIDTH, HEIGHT] = [1200, 630];

/** "Found in 12 steps, with 1 request, in 74 s." */
export function summary({
  success,
  steps,
  requests,
  seconds,
}: Pick<DayResult, "success" | "steps" | "requests" | "seconds">): string {
  const how = `${count(steps, "step")}, ${count(requests, "request")}, ${seconds} s`;
  return success ? `Found in ${how}.` : `Not found: ${how}.`;
}

export function robot({ its_success, its_steps }: DayResult): string {
  if (its_success === null || its_steps === null) return "";
  return its_success ? `The robot found it in ${count(its_steps, "step")}.` : "The robot did not find it.";
}

/** The address that shows this result to others. */
export function linkOf(result: DayResult): string {
  return `${location.origin}${location.pathname}#day=${encodeURIComponent(result.token)}`;
}

export function textOf(result: DayResult): string {
  const marks = result.marks.map((mark) => SIGNS[mark] ?? "").join("");
  return [`vnla, task of ${result.date}`, `${summary(result)} ${robot(result)}`.trim(), marks, linkOf(result)].join("\n");
}

/** The picture of a result, as a PNG. */
export function pictureOf(result: DayResult): Promise<Blob> {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [WIDTH, HEIGHT];
  const pen = canvas.getContext("2d");
  if (!pen) return Promise.reject(new Error("This browser cannot draw pictures."));
  pen.fillStyle = "#fbfaf7";
  pen.fillRect(0, 0, WIDTH, HEIGHT);
  pen.fillStyle = result.success ? "#23693f" : "#a5360f";
  pen.fillRect(0, 0, 18, HEIGHT);
  const write = (text: string, y: number, size: number, colour = "#2c2a27", weight = 400): void => {
    pen.fillStyle = colour;
    pen.font = `${weight} ${size}px system-ui, "DejaVu Sans", sans-serif`;
    pen.fillText(text, 80, y, WIDTH - 160);
  };
  write(`vnla · task of the day · ${result.date}`, 110, 38, "#6b665f");
  write(result.success ? "Found it." : "Did not find it.", 205, 84, "#2c2a27", 700);
  const how = `${count(result.steps, "step")} · ${count(result.requests, "request")} · ${result.seconds} s`;
  write(how, 280, 46);
  write(robot(result), 350, 38, "#28509e");
  drawMarks(pen, result.marks);
  write("green: nearer to it · grey: turned · orange: farther away", 590, 28, "#6b665f");
  return new Promise((give, fail) =>
    canvas.toBlob((blob) => (blob ? give(blob) : fail(new Error("The picture could not be made."))), "image/png"),
  );
}

/** A square for each step, in two rows at most. */
function drawMarks(pen: CanvasRenderingContext2D, marks: readonly number[]): void {
  const side = 68;
  marks.forEach((mark, i) => {
    pen.fillStyle = COLOURS[mark] ?? "#cfcac0";
    pen.fillRect(80 + (i % 15) * (side + 3), 400 + Math.floor(i / 15) * (side + 6), side, side);
  });
}
