/** The task of the day: what it is, the walk, how it went, and what others did. */

import { useEffect, useState } from "preact/hooks";
import type { DayResult } from "../events";
import { forget, keep, lastDays, results, streak } from "../history";
import { fetchedNow } from "../house";
import { linkOf, pictureOf, robot, summary, textOf } from "../parts/share";
import type { Session } from "../session";
import { count } from "../words";
import { Beat } from "./Beat";

interface Table {
  date: string;
  seconds: number;
  tries: number;
  found: number;
  rows: [boolean, number, number, number][];
}

const PAUSE = 3000;

/** `shared` is somebody's result that a link has brought. */
export function Today({ session, shared }: { session: Session; shared: string | null }) {
  const { begun, ended } = session.state.value;
  const mine = ended?.ending?.day ?? null;
  const [table, setTable] = useState<Table | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const [kept, setKept] = useState(results());
  useEffect(() => {
    if (mine) keep(mine);
    setKept(results());
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = (): void => {
      fetchedNow<Table>("/today.json").then(
        (found) => {
          setTable(found);
          setTrouble(null);
        },
        (error: Error) => {
          setTrouble(error.message);
          if (error.cause !== 404) timer = setTimeout(ask, PAUSE); // the houses may not be ready
        },
      );
    };
    ask();
    return () => clearTimeout(timer);
  }, [mine?.token]);
  const walking = begun?.day != null && (!table || begun.day === table.date || !ended);
  const done = table ? kept[table.date] : undefined;
  return (
    <>
      {shared && <Shared token={shared} />}
      {walking && !shared ? (
        <Beat session={session} day={{ after: mine && <Result result={mine} /> }} />
      ) : (
        <section class="today" aria-labelledby="title">
          <h1 id="title">One task a day, the same for everybody.</h1>
          {trouble && <p class="trouble">{trouble}</p>}
          {table && !done && (
            <>
              <p>
                Find one thing in a house that you have not seen, with the robot's own view, its steps and its requests for
                help. You have {count(Math.round(table.seconds / 60), "minute")}, and one try.
              </p>
              <p class="choices">
                <button
                  type="button"
                  class="main"
                  onClick={() => {
                    history.replaceState(null, "", "#today");
                    dispatchEvent(new HashChangeEvent("hashchange"));
                    session.beginDay();
                  }}
                >
                  Begin
                </button>
              </p>
            </>
          )}
          {done && <Result result={done} />}
          {table && <Others table={table} mine={done} />}
        </section>
      )}
      {walking && mine && (
        <section class="today" aria-label="Your result">
          {table && <Others table={table} mine={mine} />}
        </section>
      )}
      {table && Object.keys(kept).length > 0 && !(walking && !ended) && (
        <History
          kept={kept}
          today={table.date}
          clear={() => {
            forget();
            setKept({});
          }}
        />
      )}
    </>
  );
}

/** The squares of a walk, and ways to show them to others. */
function Result({ result }: { result: DayResult }) {
  const [told, tell] = useState<string | null>(null);
  const copied = (text: string, what: string): void => {
    const shown = () => tell(text);
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(() => tell(`${what} copied.`), shown);
    else shown();
  };
  const draw = async (): Promise<void> => {
    try {
      const address = URL.createObjectURL(await pictureOf(result));
      const link = document.createElement("a");
      [link.href, link.download] = [address, `vnla-${result.date}.png`];
      link.click();
      setTimeout(() => URL.revokeObjectURL(address), 10_000);
      tell("The picture is with your downloads.");
    } catch (error) {
      tell((error as Error).message);
    }
  };
  return (
    <div class={`card ending ${result.success ? "good" : "bad"}`}>
      <p>{summary(result)}</p>
      <p>{robot(result)}</p>
      <p class="marks" role="img" aria-label={marksInWords(result.marks)}>
        {result.marks.map((mark) => (
          <i class={mark > 0 ? "nearer" : mark < 0 ? "farther" : ""} />
        ))}
      </p>
      <p class="choices small">
        <button type="button" class="main" onClick={() => copied(textOf(result), "Result")}>
          Copy the result
        </button>
        <button type="button" onClick={() => copied(linkOf(result), "Link")}>
          Link
        </button>
        <button type="button" onClick={() => void draw()}>
          Picture
        </button>
      </p>
      <p class="quiet" role="status">
        {told ?? "None of these says what was to be found, or where."}
      </p>
    </div>
  );
}

function marksInWords(marks: readonly number[]): string {
  const of = (mark: number) => marks.filter((each) => each === mark).length;
  return `${count(of(1), "step")} nearer to it, ${of(-1)} farther away, ${of(0)} neither.`;
}

/** How all did who have walked it here, without names. */
function Others({ table, mine }: { table: Table; mine: DayResult | undefined }) {
  if (table.tries === 0) return <p class="quiet">{mine ? "One moment …" : "Nobody has done it here today."}</p>;
  const own = mine && table.rows.findIndex((row) => same(row, mine));
  return (
    <>
      <p>
        Today {table.found} of {table.tries} found it on this server.
      </p>
      {mine && (
        <div class="scrolls" tabIndex={0} role="region" aria-label="Table of the day">
          <table class="days">
            <thead>
              <tr>
                <th scope="col">#</th>
                <th scope="col">Found</th>
                <th scope="col">Steps</th>
                <th scope="col">Requests</th>
                <th scope="col">Seconds</th>
              </tr>
            </thead>
            <tbody>
              {table.rows.map(([success, steps, requests, seconds], i) => (
                <tr class={i === own ? "own" : ""}>
                  <th scope="row">{i === own ? "you" : i + 1}</th>
                  <td>{success ? "yes" : "no"}</td>
                  <td>{steps}</td>
                  <td>{requests}</td>
                  <td>{seconds}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

function same([success, steps, requests, seconds]: Table["rows"][number], mine: DayResult): boolean {
  return success === mine.success && steps === mine.steps && requests === mine.requests && seconds === mine.seconds;
}

const WEEKS = 5;

/** The last weeks, a square a day. */
function History({ kept, today, clear }: { kept: Record<string, DayResult>; today: string; clear: () => void }) {
  const row = streak(kept, today);
  return (
    <section class="today" aria-labelledby="history">
      <h2 id="history">
        Your days <span>{row > 0 && `${count(row, "day")} in a row`}</span>
      </h2>
      <ol class="history">
        {lastDays(today, 7 * WEEKS).map((date) => {
          const found = kept[date];
          const how = found ? (found.success ? "found" : "missed") : "none";
          return <li class={how} title={`${date}: ${found ? summary(found) : "not done"}`} />;
        })}
      </ol>
      <p class="quiet">
        This is kept in your browser alone.{" "}
        <button type="button" class="link" onClick={clear}>
          Forget it
        </button>
      </p>
    </section>
  );
}

/** Somebody else's result, if this server has made it. */
function Shared({ token }: { token: string }) {
  const [text, setText] = useState("One moment …");
  useEffect(() => {
    fetchedNow<DayResult>(`/today/result.json?token=${encodeURIComponent(token)}`).then(
      (found) => setText(`Somebody's task of ${found.date}: ${summary(found)}`),
      (error: Error) => setText(error.message),
    );
  }, [token]);
  return (
    <p class="card shared" role="status">
      {text}
    </p>
  );
}
