// Orders in a few lines: number, day, status and total, and the notes where there are any.

import { html } from "../vendor/lit-html.js";
import { chip } from "../format.js";
import { href } from "../address.js";
import { date, money } from "../money.js";

// rowFields are the fields of an order that a row shows.
export const rowFields = "order_id,timestamp,status,total,notes,details";

export const orderRows = (orders, statuses) => html`<ul class="others">${orders.map((o) => html`<li><a href=${href(["orders", o.order_id])}>${o.order_id}</a>
  <span class="summary">${date(o.timestamp)}</span> ${chip(o.status, statuses)} <span class="figure">${money(o.total)}</span>${[o.notes, o.details].filter(Boolean).map((note) => html`<p class="text summary">${note}</p>`)}</li>`)}</ul>`;
