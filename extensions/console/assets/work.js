// The work to do: what waits for staff, on the first page.

import { html, nothing } from "./vendor/lit-html.js";
import { ask } from "./session.js";
import { entity, parametersOf } from "./model.js";
import { may, ownFilter } from "./privileges.js";
import { href } from "./address.js";
import { t } from "./words.js";

// Each task is a filter of a list; the list's length is how much there is to do.
const tasks = [
  { name: "orders", words: "Orders to work on", filter: { status: "O,P" }, needs: ["status"] },
  { name: "call_requests", words: "Callback requests", filter: { status: "new" }, needs: ["status"] },
  { name: "discussions", words: "Reviews to approve", filter: { status: "D" }, needs: ["status"] },
  { name: "products", words: "Products low in stock", filter: { low_stock: "Y" }, needs: ["low_stock"] },
];

const waiting = new Map(); // how much there is to do, by entity

// waits returns how many objects of an entity wait for staff, as the first page showed last.
export const waits = (e) => waiting.get(e.name) || 0;

export async function loadWork() {
  const found = await Promise.all(tasks.map(async (task) => {
    if (!entity(task.name) || !await may("view", [task.name])) return null;
    const parameters = parametersOf([task.name]);
    if (!task.needs.every((name) => parameters.some((p) => p.name === name)) || parameters.some((p) => p.required)) return null;
    const filter = { ...await ownFilter(task.name), ...task.filter };
    try {
      const { data } = await ask("GET", `/${task.name}`, { query: new URLSearchParams({ ...filter, items_per_page: "1", page: "1" }) });
      const count = Number(data.params.total_items);
      waiting.set(task.name, count);
      return { ...task, filter, count };
    } catch {
      return null; // the page of the list says why
    }
  }));
  return found.filter(Boolean);
}

export function workCards(list) {
  if (!list.length) return nothing;
  return html`<section aria-label=${t("Work to do")}><ul class="cards work">${list.map((task) => html`<li><a href=${href([task.name], new URLSearchParams(task.filter))}>
    <strong>${t(task.words)}</strong><span class=${task.count ? "number" : "number zero"}>${task.count}</span></a></li>`)}</ul></section>`;
}
