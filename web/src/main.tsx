import { render } from "preact";
import { App } from "./app";
import "./style.css";

import("./view/stage").catch(() => undefined); // three.js is fetched while all else begins
render(<App />, document.getElementById("page") as HTMLElement);
