// Who placed an order, and what else they ordered.

import { html, nothing } from "../vendor/lit-html.js";
import { href } from "../address.js";
import { t } from "../words.js";
import { orderRows } from "./orderrow.js";

export function customerCard({ data: order, others, statuses }) {
  const name = [order.firstname, order.lastname].filter(Boolean).join(" ") || order.email;
  return html`<section class="object" aria-labelledby="customer"><h2 id="customer">${t("Customer")}</h2>
    <p><strong>${order.user_id === "0" ? name : html`<a href=${href(["users", order.user_id])}>${name}</a>`}</strong>${order.user_id === "0" ? html` <span class="mark">${t("guest")}</span>` : nothing}<br>
      ${order.email ? html`<a href="mailto:${order.email}">${order.email}</a><br>` : nothing}
      ${order.phone ? html`<a href="tel:${order.phone}">${order.phone}</a>` : nothing}</p>
    ${others.total > 0 ? html`<p class="summary"><a href=${href(["orders"], new URLSearchParams(others.filter))}>${others.total === 1 ? t("1 more order") : t("{n} more orders", { n: others.total })}</a></p>${orderRows(others.orders, statuses)}`
      : html`<p class="summary">${t("This is their first order.")}</p>`}</section>`;
}
