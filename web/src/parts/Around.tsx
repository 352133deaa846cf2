/** What is seen all around a place: twelve headings in a row, the present one in the middle. */

import type { Pose } from "../events";
import type { Pictures, Plan } from "../house";

const HEADINGS = 12;
const TURN = Math.PI / 6;
const SIDE = 100; // of a face, in its own units
const RISE = Math.tan(Math.PI / 6); // how far up and down is shown, as far as the agent's camera has it

const FACES = [3, 4, 1, 2]; // north, east, south, west, as the server numbers them

/** The strip, with a mark under each heading in which there is a way. */
export function Around({ plan, pictures, pose }: { plan: Plan; pictures: Pictures; pose: Pose }) {
  const faces = pictures[pose.viewpoint];
  if (!faces) return null;
  const ways = headingsOfWays(plan, pose.viewpoint);
  const order = Array.from({ length: HEADINGS }, (_, i) => (pose.heading + i + HEADINGS / 2) % HEADINGS);
  return (
    <figure class="around">
      <svg
        viewBox="0 0 240 40"
        role="img"
        aria-label={`What it sees all around; there is a way in ${ways.size} of ${HEADINGS} directions.`}
      >
        {order.map((heading, i) => (
          <Slice
            address={faces[FACES[Math.floor(((heading + 1) % HEADINGS) / 3)] ?? 3] ?? ""}
            heading={heading}
            at={20 * i}
          />
        ))}
        {order.map((heading, i) => ways.has(heading) && <circle class="way-here" cx={20 * i + 10} cy={37.5} r={1.6} />)}
        <rect class="ahead" x={20 * (HEADINGS / 2) - 16.5} y={0.75} width={53} height={33.5} rx={2} />
      </svg>
      <figcaption class="quiet">
        It sees all around: twelve headings. A dot is a way on; the frame is where it looks.
      </figcaption>
    </figure>
  );
}

/** One heading: the part of a face of the cube that shows it. */
function Slice({ address, heading, at }: { address: string; heading: number; at: number }) {
  const off = (((heading + 1) % 3) - 1) * TURN; // from the middle of its face
  const place = (angle: number) => ((1 + Math.tan(angle)) / 2) * SIDE;
  const [left, right] = [place(off - TURN / 2), place(off + TURN / 2)];
  const high = SIDE * RISE;
  return (
    <svg
      x={at}
      y={0}
      width={20}
      height={35}
      viewBox={`${left} ${(SIDE - high) / 2} ${right - left} ${high}`}
      preserveAspectRatio="none"
    >
      <image href={address} width={SIDE} height={SIDE} preserveAspectRatio="none" />
    </svg>
  );
}

/** The headings in which adjoining places lie. */
export function headingsOfWays(plan: Plan, viewpoint: string): Set<number> {
  const here = plan.viewpoints[viewpoint]?.at;
  if (!here) return new Set();
  const others = plan.edges.flatMap(([a, b]) => (a === viewpoint ? [b] : b === viewpoint ? [a] : []));
  return new Set(
    others.flatMap((other) => {
      const there = plan.viewpoints[other]?.at;
      if (!there) return [];
      const angle = Math.atan2(there[0] - here[0], there[1] - here[1]);
      return [(Math.round(angle / TURN) + HEADINGS) % HEADINGS];
    }),
  );
}
