/** One's own tasks of the day, kept in this browser alone. */

import type { DayResult } from "./events";

const KEPT = "vnla-days";
const MOST = 400;

/** All results that this browser has, by date; none where it keeps nothing. */
export function results(): Record<string, DayResult> {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(KEPT) ?? "{}");
    return found !== null && typeof found === "object" && !Array.isArray(found) ? (found as Record<string, DayResult>) : {};
  } catch {
    return {};
  }
}

/** Keeps a result; the first of a day stays. */
export function keep(result: DayResult): void {
  const all = { [result.date]: result, ...results() };
  const latest = Object.keys(all).sort().slice(-MOST);
  try {
    localStorage.setItem(KEPT, JSON.stringify(Object.fromEntries(latest.map((date) => [date, all[date]]))));
  } catch {
    return; // a browser that keeps nothing has no history
  }
}

export function forget(): void {
  localStorage.removeItem(KEPT);
}

/** How many days in a row were found, up to a date or the day before it. */
export function streak(all: Record<string, DayResult>, today: string): number {
  let days = 0;
  for (let at = all[today] ? today : before(today); all[at]?.success; at = before(at)) days += 1;
  return days;
}

/** The dates of the last so many days, the last one last. */
export function lastDays(today: string, count: number): string[] {
  const days = [today];
  while (days.length < count) days.unshift(before(days[0] ?? today));
  return days;
}

function before(date: string): string {
  return new Date(Date.parse(date) - 86_400_000).toISOString().slice(0, 10);
}
