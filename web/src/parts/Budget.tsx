/** How much time and help is left. */

import { count } from "../words";

/** Steps as a bar, requests as dots. */
export function Budget({
  time,
  left,
  requests,
  requestsLeft,
}: {
  time: number;
  left: number;
  requests: number;
  requestsLeft: number;
}) {
  return (
    <div class="budget">
      <span>
        <b>{count(left, "step")}</b> left
        <meter min="0" max={time} value={left} aria-label="Steps left" />
      </span>
      <span aria-label={`${count(requestsLeft, "request")} left of ${requests}`}>
        {requests === 0 ? (
          "no requests"
        ) : (
          <>
            help{" "}
            {Array.from({ length: requests }, (_, i) => (
              <i class={i < requestsLeft ? "pip" : "pip used"} />
            ))}
          </>
        )}
      </span>
    </div>
  );
}
