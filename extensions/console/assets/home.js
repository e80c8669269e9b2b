// The first page: the work to do, the sums and the orders of late, and the entities.

import { html, nothing } from "./vendor/lit-html.js";
import { user } from "./session.js";
import { edition, groups, title } from "./model.js";
import { loadOrders, ordersPlots } from "./orders.js";
import { href } from "./address.js";
import { dailySums, monthCards, months } from "./reports.js";
import { loadWork, workCards } from "./work.js";
import { t } from "./words.js";
import { settled } from "./settled.js";

export async function loadHome(visible) {
  const days = dailySums();
  const [orders, sums, work] = await settled([loadOrders(days), days, loadWork()]);
  return { orders, months: sums && months(sums), work, visible };
}

export function home({ orders, months: sums, work, visible }) {
  const card = (e) => html`<li><a href=${href([e.name])}><strong>${e.title}</strong><span class="summary">${e.summary}</span></a></li>`;
  return html`<header class="page"><div><h1 tabindex="-1">${title}</h1><p class="summary">${edition()} · ${user()}</p></div></header>
    ${workCards(work)}
    ${monthCards(sums)}
    ${ordersPlots(orders)}
    ${groups(visible).map(([area, members]) => html`${area ? html`<h2>${t(area)}</h2>` : nothing}<ul class="cards">${members.map(card)}</ul>`)}`;
}
