// The first page: the orders of late, and the entities with how many objects each has.

import { html, nothing } from "./vendor/lit-html.js";
import { ask, user } from "./session.js";
import { edition, groups, info, parametersOf } from "./model.js";
import { loadOrders, ordersPlots } from "./orders.js";
import { href } from "./address.js";
import { loadMonths, monthCards } from "./reports.js";
import { loadWork, workCards } from "./work.js";
import { t } from "./words.js";
import { settled } from "./settled.js";

export async function loadHome(visible) {
  const [orders, months, work, counts] = await settled([loadOrders(), loadMonths(), loadWork(), Promise.all(visible.map(count))]);
  return { orders, months, work, visible, counts: new Map(visible.map((e, i) => [e, counts[i]])) };
}

// count is the number of objects, null if it is unknown: some lists exist only below
// an object.
async function count(e) {
  if (parametersOf([e.name]).some((p) => p.required)) return null;
  try {
    const { data, total } = await ask("GET", `/${e.name}`, { query: new URLSearchParams({ items_per_page: "1", page: "1" }) });
    return data?.params?.total_items ?? total;
  } catch {
    return null; // the page of the entity says why
  }
}

export function home({ orders, months, work, visible, counts }) {
  const card = (e) => html`<li><a href=${href([e.name])}><strong>${e.title}</strong>
    <span class=${Number(counts.get(e)) ? "number" : "number zero"}>${counts.get(e) ?? ""}</span><span class="summary">${e.summary}</span></a></li>`;
  return html`<header class="page"><div><h1 tabindex="-1">${info().title}</h1><p class="summary">${edition()} · ${user()}</p></div></header>
    ${workCards(work)}
    ${monthCards(months)}
    ${ordersPlots(orders)}
    ${groups(visible).map(([title, members]) => html`${title ? html`<h2>${t(title)}</h2>` : nothing}<ul class="cards">${members.map(card)}</ul>`)}`;
}
