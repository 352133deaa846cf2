/** Which agent: the other ones that this server has. */

import { useEffect, useState } from "preact/hooks";
import { fetchedNow } from "../house";

interface Props {
  label: string;
  button: string;
  own: boolean; // whether the server's own agent is among them
  choose: (agent: string | null) => void;
}

/** A choice of an agent and what to do with it; nothing where there is no other. */
export function Agents({ label, button, own, choose }: Props) {
  const [names, setNames] = useState<string[]>([]);
  const [chosen, setChosen] = useState<string | null>(null);
  useEffect(() => {
    fetchedNow<string[]>("/agents.json").then(setNames, () => undefined);
  }, []);
  if (names.length === 0) return null;
  const value = chosen ?? (own ? "" : (names[0] ?? ""));
  return (
    <form
      class="agents"
      onSubmit={(event) => {
        event.preventDefault();
        choose(value || null);
      }}
    >
      <label class="select">
        <span>{label}</span>
        <select value={value} onChange={(event) => setChosen(event.currentTarget.value)}>
          {own && <option value="">the robot of this page</option>}
          {names.map((name) => (
            <option value={name}>{name}</option>
          ))}
        </select>
      </label>
      <button type="submit">{button}</button>
    </form>
  );
}
