// The list of the keys that work on every page.

import { html, render } from "./vendor/lit-html.js";
import { t } from "./words.js";

// showShortcuts shows the list in a dialog.
export function showShortcuts() {
  const dialog = document.createElement("dialog");
  const lines = [["/", t("Search")], ["Ctrl K", t("Commands")], ["g h", t("First page")], ["g o", t("Orders")], ["g p", t("Products")], ["g c", t("Customers")], ["g k", t("Categories")], ["n", t("New")], ["?", t("This list")]];
  render(html`<h2 id="keys">${t("Keys")}</h2><dl class="keys">${lines.map(([key, words]) => html`<div><dt>${key.split(" ").map((k) => html`<kbd>${k}</kbd> `)}</dt><dd>${words}</dd></div>`)}</dl>
    <form method="dialog" class="actions"><button>${t("Close")}</button></form>`, dialog);
  dialog.setAttribute("aria-labelledby", "keys");
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
