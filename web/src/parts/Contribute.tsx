/** Where a visitor may agree to give what they type, and take it back. */

import type { Session } from "../session";
import { count } from "../words";
import { Ask } from "./Ask";

export function Contribute({ session }: { session: Session }) {
  const { contributions } = session;
  const answer = contributions.answer.value;
  const agrees = answer?.agrees ?? false;
  return (
    <details class="card" onToggle={(event) => event.currentTarget.open && contributions.greet()}>
      <summary>{agrees ? "You give what you type" : "Give what you type"}</summary>
      <p>
        Robots are rarely tried with what people really say. If you agree, this server keeps the sentences that you type to
        the robot from now on, each with where the robot stood, how it was read, what came of it, and the date. They may be
        published, so type nothing about yourself.
      </p>
      <p>
        Your name, your address and the time of the day are not kept. You can take everything back: the means to do so is in
        this browser alone, so clear its data only afterwards. What was published before stays published.
      </p>
      <label class="check">
        <input
          type="checkbox"
          checked={agrees}
          onChange={(event) => (event.currentTarget.checked ? contributions.agree() : contributions.stop())}
        />{" "}
        I agree to give what I type to the robot.
      </label>
      <p class="quiet" role="status">
        {answer && answer.withdrawn !== null && `${count(answer.withdrawn, "sentence")} deleted.`}
        {agrees && answer && answer.count > 0 && `${count(answer.count, "sentence")} of yours kept so far.`}
      </p>
      {contributions.known && (
        <p class="choices small">
          <Ask
            button="Take it all back"
            question="Delete every sentence that you gave in this browser? This cannot be undone."
            stay="Keep them"
            act="Delete them"
            does={() => contributions.withdraw()}
          />
        </p>
      )}
    </details>
  );
}
