import { render } from "preact";
import { App } from "./app";
import { fetched } from "./house";
import { STUDY } from "./study";
import "./style.css";

import("./view/stage").catch(() => undefined); // three.js is fetched while all else begins
if (location.hash.length < 2 && !STUDY) fetched("/first.json").catch(() => undefined);
render(<App />, document.getElementById("page") as HTMLElement);
