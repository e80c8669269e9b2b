// Who placed an order, and what else they ordered.

import { html, nothing } from "../vendor/lit-html.js";
import { chip } from "../format.js";
import { href } from "../address.js";
import { date, money } from "../money.js";
import { t } from "../words.js";

export function customerCard({ data: order, others, statuses }) {
  const name = [order.firstname, order.lastname].filter(Boolean).join(" ") || order.email;
  const all = new URLSearchParams(order.user_id !== "0" ? { user_id: order.user_id } : { email: order.email });
  return html`<section class="object" aria-labelledby="customer"><h2 id="customer">${t("Customer")}</h2>
    <p><strong>${order.user_id === "0" ? name : html`<a href=${href(["users", order.user_id])}>${name}</a>`}</strong>${order.user_id === "0" ? html` <span class="mark">${t("guest")}</span>` : nothing}<br>
      ${order.email ? html`<a href="mailto:${order.email}">${order.email}</a><br>` : nothing}
      ${order.phone ? html`<a href="tel:${order.phone}">${order.phone}</a>` : nothing}</p>
    ${others.total > 0 ? html`<p class="summary"><a href=${href(["orders"], all)}>${t("{n} more orders", { n: others.total })}</a></p>
      <ul class="others">${others.orders.map((o) => html`<li><a href=${href(["orders", o.order_id])}>${o.order_id}</a> <span class="summary">${date(o.timestamp)}</span> ${chip(o.status, statuses)} <span>${money(o.total)}</span></li>`)}</ul>`
      : html`<p class="summary">${t("This is their first order.")}</p>`}</section>`;
}
