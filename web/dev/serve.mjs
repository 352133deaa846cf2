// The built page with the walks of fixture.py, for looking at it without a model: node dev/serve.mjs [port]
// It answers as `vnla serve` does, but whatever is said, the agent does what it did when it was recorded.
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { WebSocketServer } from "ws";

const DATA = join(import.meta.dirname, "data");
const PAGE = join(import.meta.dirname, "../../src/vnla/serve/assets");
const KINDS = {
  html: "text/html",
  js: "text/javascript",
  css: "text/css",
  json: "application/json",
  webp: "image/webp",
  glb: "model/gltf-binary",
};
const json = (name) => JSON.parse(readFileSync(join(DATA, name), "utf8"));
const walks = json("walks.json");
const house = walks[0][0].house;
const plan = json(`plan-${house}.json`);
const bare = {
  ...plan,
  storeys: plan.storeys.map((each) => ({ ...each, rooms: each.rooms.map(({ polygon }) => ({ polygon })) })),
};

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, "http://here");
  try {
    const [kind, body] = answer(pathname, searchParams);
    response.writeHead(200, { "Content-Type": KINDS[kind] }).end(body);
  } catch {
    response.writeHead(404).end();
  }
});

function answer(path, asked) {
  const last = path.split("/").at(-1);
  if (path === "/") return ["html", readFileSync(join(PAGE, "index.html"))];
  if (path.startsWith("/assets/")) return [last.split(".").at(-1), readFileSync(join(PAGE, last))];
  if (path.startsWith("/face/")) return ["webp", readFileSync(join(DATA, last))];
  if (path.startsWith("/mesh/")) {
    if (process.env.NO_MESH) throw new Error();
    return ["glb", readFileSync(join(DATA, `mesh-${last}`))];
  }
  if (path.startsWith("/plan/")) return ["json", JSON.stringify(last.includes("-bare") ? bare : plan)];
  if (path.startsWith("/pictures/")) return ["json", readFileSync(join(DATA, `pictures-${last}`))];
  if (path === "/advice" || path === "/understand") return ["json", JSON.stringify(read(asked.get("text")))];
  return ["json", readFileSync(join(DATA, last))];
}

const KNOWN =
  /^(turn|left|right|around|go|walk|forward|\d+|one|two|three|steps?|degrees|look|up|down|stop|and|then|please|find|a|an|the|in|of|dresser|bedroom|kitchen)$/i;

function read(text) {
  const parts = [...text.matchAll(/[^\s,.]+/g)].map(({ 0: word, index }) => [index, index + word.length, KNOWN.test(word)]);
  const words = parts.filter(([, , known]) => known).map(([from, to]) => text.slice(from, to));
  return { understood: words.length ? words.join(" ") : null, parts, suggestions: [] };
}

new WebSocketServer({ server, path: "/ws" }).on("connection", (socket) => {
  const log = [];
  let walk = walks[0];
  let next = 0;
  let person = null;
  let games = 0;
  const send = (answer) => socket.send(JSON.stringify(answer));
  const tell = (event) => {
    const numbered = { ...event, number: log.length + 1 };
    log.push(numbered);
    send({ kind: "event", event: numbered });
  };
  const on = (mode) => {
    for (; next < walk.length; next++) {
      const event = walk[next];
      tell(event.kind === "begun" ? { ...event, mode, episode: `${event.episode}${log.length}` } : event);
      if (mode === "help" && event.kind === "asked") {
        const at = walk.findLast((each, i) => i < next && each.kind === "stood");
        tell({
          kind: "waits",
          step: event.step,
          way: [at.pose.viewpoint, ...at.ahead.slice(0, 1)],
          offer: walk[++next].text,
        });
        next++;
        return;
      }
    }
  };
  const stand = () => tell({ kind: "stood", ...person, ahead: ahead(person.pose) });
  const actions = {
    hello: () =>
      send({
        kind: "welcome",
        session: "here",
        snapshot: { number: 0, begun: null, steps: [], waits: null, ended: null, said: null },
      }),
    watch: () => ((walk = walks[log.length % walks.length]), (next = 0), on("watch")),
    help: () => ((walk = walks[0]), (next = 0), on("help")),
    advise: ({ text }) => (
      tell({ kind: "advised", by: "visitor", text: text ?? "", understood: text, parts: [] }),
      on("help")
    ),
    speak: () => send({ kind: "refused", why: "Nobody listens here." }),
    what_if: () => send({ kind: "second", events: walks[1] }),
    beat: () => {
      const { pose } = walks[0][1];
      person = { step: 0, pose, steps_left: 12, requests_left: 2 };
      tell({ ...walks[0][0], mode: "beat", link: null, time: 12, episode: `game${games++}` });
      stand();
    },
    act: ({ action }) => {
      const pose = moved(person.pose, action);
      tell({ kind: "acted", action, pose });
      person = { step: person.step + 1, pose, steps_left: person.steps_left - 1, requests_left: person.requests_left };
      if (action !== "stop" && person.steps_left > 0) return stand();
      const its = walks[0].filter((each) => each.kind === "acted").map((each) => each.pose);
      const { goals } = walks[0].at(-1);
      tell({
        kind: "ended",
        reason: action === "stop" ? "stopped" : "time",
        success: goals.includes(pose.viewpoint),
        metres: 3.1,
        goals,
        walk: its,
        its_success: true,
        score: { yours: 0, its: 1, tasks: games },
      });
    },
    ask: () => {
      person.requests_left--;
      tell({ kind: "asked", step: person.step, by: "visitor" });
      tell({
        kind: "advised",
        by: "advisor",
        text: "turn 60 degrees right, go forward 2 steps",
        understood: null,
        parts: [],
      });
    },
    leave: () => undefined,
  };
  socket.on("message", (text) => {
    const message = JSON.parse(text);
    actions[message.kind](message);
  });
});

function ahead({ viewpoint, heading }) {
  const here = plan.viewpoints[viewpoint].at;
  const off = (there) => {
    const angle = Math.atan2(there[0] - here[0], there[1] - here[1]) - (heading * Math.PI) / 6;
    return Math.abs(Math.atan2(Math.sin(angle), Math.cos(angle)));
  };
  const near = plan.edges.flatMap(([a, b]) => (a === viewpoint ? [b] : b === viewpoint ? [a] : []));
  const seen = near.map((id) => [off(plan.viewpoints[id].at), id]).filter(([angle]) => angle < 0.698);
  return seen.sort((a, b) => a[0] - b[0]).map(([, id]) => id);
}

function moved(pose, action) {
  if (action === "forward") return { ...pose, viewpoint: ahead(pose)[0] ?? pose.viewpoint };
  if (action === "up" || action === "down")
    return { ...pose, row: Math.max(0, Math.min(2, pose.row + (action === "up" ? 1 : -1))) };
  const turn = action === "left" ? 11 : action === "right" ? 1 : 0;
  return { ...pose, heading: (pose.heading + turn) % 12 };
}

server.listen(Number(process.argv[2] ?? 5174), "127.0.0.1");
