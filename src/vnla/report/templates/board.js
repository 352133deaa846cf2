"use strict";
// Moves a mark along a walk over its floor plan. Without it, every step is listed.
for (const walk of document.querySelectorAll("[data-walk]")) {
  const part = (name) => walk.querySelector(`[data-${name}]`);
  const steps = [...walk.querySelectorAll("[data-step]")];
  const slider = part("slider"), here = part("here"), now = part("now"), plan = walk.querySelector(".plan");
  const show = (number) => {
    slider.value = number;
    steps.forEach((step, place) => {
      if (place === number) step.setAttribute("aria-current", "step");
      else step.removeAttribute("aria-current");
    });
    const { x, y, turn } = steps[number].dataset;
    here.setAttribute("transform", `translate(${x} ${y}) rotate(${turn})`);
    now.textContent = steps[number].textContent.replace(/\s+/g, " ").trim();
    slider.setAttribute("aria-valuetext", `${number} of ${steps.length - 1}`);
    const scale = plan.scrollWidth / plan.querySelector("svg").viewBox.baseVal.width;
    plan.scrollLeft = x * scale - plan.clientWidth / 2;
  };
  const go = (by) => show(Math.min(Math.max(Number(slider.value) + by, 0), steps.length - 1));
  slider.addEventListener("input", () => show(Number(slider.value)));
  part("back").addEventListener("click", () => go(-1));
  part("next").addEventListener("click", () => go(1));
  part("controls").hidden = now.hidden = false;
  part("list").open = false;
  here.setAttribute("visibility", "visible");
  show(0);
}
