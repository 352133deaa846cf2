/** The floor plan: rooms, ways, the walk so far, where the agent looks and what it has seen. One storey at a time. */

import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Pose } from "../events";
import type { Plan, Storey, XY } from "../house";
import { fan, sides } from "../seen";
import { type Box, type Label, labels, overlap } from "./labels";
import { hull, type Sought } from "./Outline";

/** Metres by which more is drawn than was seen, so that walls are. */
const WALL = 0.4;
/** A hundredth of a plan is the measure of its signs, but not less than so many pixels: names can be read on a small one. */
const LEAST = 3.2;

interface Props {
  plan: Plan | null;
  poses: readonly Pose[]; // where it stood, in order; the last is where it is
  asked?: readonly { pose: Pose; name: string }[];
  goals?: readonly string[];
  way?: readonly string[];
  ties?: readonly (readonly string[])[]; // ways that the same words may mean
  other?: readonly Pose[]; // another walk to compare with
  sought?: Sought | null | undefined; // what was found
  wrong?: Pose | null | undefined; // the last place from which the way was right
  onlySeen?: boolean;
  label: string;
}

/** The plan with everything on it. */
export function PlanMap({
  plan,
  poses,
  asked = [],
  goals = [],
  way = [],
  ties = [],
  other = [],
  sought,
  wrong,
  onlySeen = false,
  label,
}: Props) {
  const here = poses.at(-1);
  const at = (here && plan?.viewpoints[here.viewpoint]?.storey) ?? 0;
  const mask = useId();
  const [svg, scale] = useScale();
  const [chosen, choose] = useState<{ storey: number; at: number } | null>(null);
  if (!plan) return <div class="plan empty" />;
  const number = chosen && chosen.at === at ? chosen.storey : at; // a choice holds until the agent changes storeys
  const storey = plan.storeys[number];
  if (!storey) return <div class="plan empty" />;
  const spot = (viewpoint: string): XY | null => {
    const stand = plan.viewpoints[viewpoint];
    return stand?.storey === number ? [stand.at[0], stand.at[1]] : null;
  };
  const box = bounds(storey, plan, number);
  const fine = Math.max(box.width, box.height) / 100;
  const unit = Math.max(fine, LEAST / scale(box.width, box.height));
  const stands = poses.flatMap((pose) => {
    const found = spot(pose.viewpoint);
    return found ? [{ pose, at: found }] : [];
  });
  const walls = sides(storey.walls);
  const seen = fans(stands, walls);
  const now = here && spot(here.viewpoint);
  const went = wrong && spot(wrong.viewpoint);
  const size = unit * 3.4;
  const stars = known(goals.map(spot));
  const signs = known([...stars, now || null, went || null]);
  const round = ([x, y]: XY, radius: number): Box => ({
    west: x - radius,
    east: x + radius,
    south: y - radius,
    north: y + radius,
  });
  const names = labels(
    storey.rooms,
    size,
    lines(plan, spot),
    signs.map((each) => round(each, unit * 4)),
  );
  const ends = ties.map((each, i) => ({ name: String(i + 1), at: spot(each.at(-1) ?? ""), kind: TIE[i] ?? "" }));
  const requests = asked.map(({ pose, name }) => ({ name, at: spot(pose.viewpoint), kind: "" }));
  const taken = [...names.map((each) => each.box), ...signs.map((each) => round(each, unit * 2))];
  const marks = [...requests, ...ends].flatMap(({ name, at, kind }) => {
    if (!at) return [];
    const tries = CORNERS.map(([x, y]): XY => [at[0] + x * unit, at[1] + y * unit]);
    const free = tries.find((each) => !taken.some((other) => overlap(other, round(each, unit * 2)))) ?? tries[0] ?? at;
    taken.push(round(free, unit * 2));
    return [{ name, at: free, kind }];
  });
  return (
    <div class="plan">
      <svg ref={svg} viewBox={`${box.x} ${box.y} ${box.width} ${box.height}`} role="img" aria-label={label}>
        <mask id={mask}>
          <rect {...box} fill={onlySeen ? "#000" : "#777"} />
          {seen.map((points) => (
            <polygon points={drawn(points)} fill="#fff" stroke="#fff" stroke-width={WALL} stroke-linejoin="round" />
          ))}
        </mask>
        <g mask={`url(#${mask})`}>
          {storey.rooms.map((room) => (
            <polygon class={`room ${tint(room.label)}`} points={drawn(room.polygon)} />
          ))}
          {storey.walls.map((wall) => (
            <polygon class="wall" points={drawn(wall)} />
          ))}
        </g>
        <mask id={`${mask}names`}>
          <rect {...box} fill="#fff" />
          {names.map(({ box: { west, east, south, north } }) => (
            <rect x={west} y={-north} width={east - west} height={north - south} fill="#000" />
          ))}
        </mask>
        {!onlySeen && (
          <g mask={`url(#${mask}names)`}>
            <Edges plan={plan} spot={spot} unit={fine} />
          </g>
        )}
        {way.length > 0 && <polyline class="way" points={drawn(known(way.map(spot)))} stroke-width={unit * 1.6} />}
        {ties.map((each, i) => (
          <polyline class={`tie ${TIE[i]}`} points={drawn(known(each.map(spot)))} stroke-width={unit * 1.2} />
        ))}
        {other.length > 0 && (
          <polyline
            class="other"
            points={drawn(known(other.map((pose) => spot(pose.viewpoint))))}
            stroke-width={unit * 1.2}
          />
        )}
        <polyline class="walk" points={drawn(stands.map((each) => each.at))} stroke-width={unit * 1.2} />
        {names.map((each) => (
          <RoomName label={each} size={size} />
        ))}
        {sought && plan.viewpoints[sought.near]?.storey === number && (
          <g class="sought">
            <polygon points={outlined(sought)} stroke-width={unit * 1.6} />
            <polygon class="inner" points={outlined(sought)} stroke-width={unit * 0.8} />
          </g>
        )}
        {stars.map((each) => (
          <Star at={each} size={unit * 4.2} />
        ))}
        {here && now && (
          <g class="agent" style={{ transform: `translate(${now[0]}px, ${-now[1]}px)` }}>
            <path class="cone" d={cone(here.heading, unit * 11)} />
            <circle r={unit * 2} />
          </g>
        )}
        {went && <Wrong at={went} size={unit * 2.6} />}
        {marks.map((each) => (
          <Mark {...each} unit={unit} />
        ))}
      </svg>
      {plan.storeys.length > 1 && (
        <div class="storeys" role="group" aria-label="Storey">
          {plan.storeys.map((each, i) => (
            <button type="button" aria-pressed={i === number} onClick={() => choose({ storey: i, at })}>
              {storeyName(i, plan.storeys.length, each.name)}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

/** What the two ways are drawn as that the same words may mean. */
const TIE = ["one", "two"];
/** Where a mark may stand beside its place, the best first. */
const CORNERS: XY[] = [2.6, 4.4].flatMap((far): XY[] => [
  [far, far],
  [-far, far],
  [far, -far],
  [-far, -far],
]);

/** A plan's element, and how many pixels a metre of it is wide. */
function useScale(): [{ current: SVGSVGElement | null }, (width: number, height: number) => number] {
  const svg = useRef<SVGSVGElement>(null);
  const [[wide, high], measure] = useState<[number, number]>([Infinity, Infinity]);
  const element = svg.current;
  useLayoutEffect(() => {
    if (!svg.current) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry) measure([entry.contentRect.width, entry.contentRect.height]);
    });
    observer.observe(svg.current);
    return () => observer.disconnect();
  }, [element, svg.current !== null]);
  return [svg, (width, height) => Math.max(1e-3, Math.min(wide / width, high / height))];
}

function outlined(sought: Sought): string {
  return drawn(hull(sought.corners.map(([x, y]): XY => [x, y])));
}

function storeyName(number: number, of: number, name: string): string {
  return of === 2 ? (number === 0 ? "downstairs" : "upstairs") : name;
}

/** The edges of a storey as lines. */
function lines(plan: Plan, spot: (viewpoint: string) => XY | null): [XY, XY][] {
  return plan.edges.flatMap(([a, b]): [XY, XY][] => {
    const [from, to] = [spot(a), spot(b)];
    return from && to ? [[from, to]] : [];
  });
}

function Edges({ plan, spot, unit }: { plan: Plan; spot: (viewpoint: string) => XY | null; unit: number }) {
  return (
    <g class="edges" stroke-width={unit * 0.25}>
      {lines(plan, spot).map(([from, to]) => (
        <line x1={from[0]} y1={-from[1]} x2={to[0]} y2={-to[1]} />
      ))}
      {Object.keys(plan.viewpoints).map((viewpoint) => {
        const found = spot(viewpoint);
        return found && <circle cx={found[0]} cy={-found[1]} r={unit * 0.7} />;
      })}
    </g>
  );
}

/** The name of a room, with its words below each other if they are more. */
function RoomName({ label, size }: { label: Label; size: number }) {
  const [x, y] = label.at;
  const top = -y - ((label.lines.length - 1) / 2) * size * 1.05 + size * 0.35;
  return (
    <text class="name" font-size={size} text-anchor="middle" transform={label.turned ? `rotate(-90 ${x} ${-y})` : undefined}>
      {label.lines.map((line, i) => (
        <tspan x={x} y={top + i * size * 1.05}>
          {line}
        </tspan>
      ))}
    </text>
  );
}

function Mark({ at, name, kind, unit }: { at: XY; name: string; kind: string; unit: number }) {
  return (
    <g class={`mark ${kind}`} transform={`translate(${at[0]} ${-at[1]})`}>
      <circle r={unit * 2.1} />
      <text font-size={unit * 2.8} text-anchor="middle" dy={unit * 1}>
        {name}
      </text>
    </g>
  );
}

/** Where it went wrong: a cross in a ring. */
function Wrong({ at: [x, y], size }: { at: XY; size: number }) {
  const arm = size * 0.5;
  return (
    <g class="wrong" transform={`translate(${x} ${-y})`} stroke-width={size * 0.24}>
      <circle r={size} />
      <path d={`M${-arm} ${-arm}L${arm} ${arm}M${arm} ${-arm}L${-arm} ${arm}`} />
    </g>
  );
}

function Star({ at, size }: { at: XY; size: number }) {
  const points = Array.from({ length: 10 }, (_, i): XY => {
    const [angle, radius] = [(i * Math.PI) / 5, i % 2 ? size * 0.45 : size];
    return [at[0] + Math.sin(angle) * radius, at[1] + Math.cos(angle) * radius];
  });
  return <polygon class="goal" points={drawn(points)} stroke-width={size * 0.12} />;
}

/** The star of a goal, for the key of a plan. */
export function StarSign() {
  return (
    <svg class="star" viewBox="-1.1 -1.1 2.2 2.2" aria-hidden="true">
      <Star at={[0, 0]} size={1} />
    </svg>
  );
}

function bounds(storey: Storey, plan: Plan, number: number): { x: number; y: number; width: number; height: number } {
  const stands = Object.values(plan.viewpoints).flatMap(({ at, storey }): XY[] =>
    storey === number ? [[at[0], at[1]]] : [],
  );
  const points = [...storey.rooms.flatMap((room) => room.polygon), ...storey.walls.flat(), ...stands];
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => -y)];
  const [x, y] = [Math.min(...xs) - 0.3, Math.min(...ys) - 0.3];
  return { x, y, width: Math.max(...xs) + 0.3 - x, height: Math.max(...ys) + 0.3 - y };
}

/** What has been seen, each view once. */
function fans(stands: readonly { pose: Pose; at: XY }[], walls: ReturnType<typeof sides>): XY[][] {
  const views = new Map(stands.map(({ pose, at }) => [`${pose.viewpoint} ${pose.heading}`, { pose, at }]));
  return [...views.values()].map(({ pose, at }) => fan(at, pose.heading, walls));
}

/** Points as SVG writes them; its y grows downwards. */
function drawn(points: readonly XY[]): string {
  return points.map(([x, y]) => `${x.toFixed(2)},${(-y).toFixed(2)}`).join(" ");
}

function known(points: readonly (XY | null)[]): XY[] {
  return points.filter((point) => point !== null);
}

function cone(heading: number, length: number): string {
  const [middle, half] = [(heading * Math.PI) / 6, (40 * Math.PI) / 180];
  const end = (angle: number) => `${(Math.sin(angle) * length).toFixed(3)} ${(-Math.cos(angle) * length).toFixed(3)}`;
  return `M0 0L${end(middle - half)}A${length} ${length} 0 0 1 ${end(middle + half)}Z`;
}

const TINTS: [RegExp, string][] = [
  [/bedroom/, "sleep"],
  [/bath|toilet|spa|sauna/, "water"],
  [/kitchen|dining|bar/, "food"],
  [/living|family|lounge|rec|tv|library/, "company"],
  [/hall|entry|stairs/, "passage"],
  [/office|gym|meeting|classroom/, "work"],
  [/porch|balcony|outdoor/, "outdoors"],
];

function tint(label: string | null | undefined): string {
  return TINTS.find(([pattern]) => pattern.test(label ?? ""))?.[1] ?? "plain";
}
