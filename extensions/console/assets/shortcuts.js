// Keys that work on every page.

import { entity } from "./model.js";
import { go, href } from "./address.js";
import { showShortcuts } from "./keys.js";

const pages = { o: "orders", p: "products", c: "users", k: "categories" };

const isTyping = (target) => target.closest("input, textarea, select, [contenteditable]");

let before = ""; // the key that was pressed last

// listenForShortcuts begins to act on keys.
export function listenForShortcuts() {
  addEventListener("keydown", (event) => {
    if (event.key === "k" && (event.ctrlKey || event.metaKey) && !event.defaultPrevented && document.querySelector("site-search") && !document.querySelector("dialog[open]")) {
      event.preventDefault();
      return openCommands();
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || document.querySelector("dialog[open]")) return;
    const last = before;
    before = event.key;
    if (last === "g" && (event.key === "h" || entity(pages[event.key]))) go(href(event.key === "h" ? [] : [pages[event.key]]));
    else if (event.key === "/") document.querySelector("site-search")?.focus();
    else if (event.key === "n") document.querySelector("a[data-key=n]")?.click();
    else if (event.key === "?") showShortcuts();
    else return;
    event.preventDefault();
  });
}

// openCommands asks for a page or an action by its name.
export async function openCommands() {
  const { openPalette } = await import("./palette.js");
  openPalette();
}
