// What happened to an order, where the API keeps its history.

import { html, nothing } from "../vendor/lit-html.js";
import { ask } from "../session.js";
import { collection, entity, humanize } from "../model.js";
import { href } from "../address.js";
import { rights } from "../privileges.js";
import { chosen } from "../relations.js";
import { time } from "../format.js";
import { t } from "../words.js";

export async function loadHistory(segments) {
  if (!collection([...segments, "history"]).get) return [];
  try {
    const { data } = await ask("GET", `/orders/${encodeURIComponent(segments[1])}/history`, { query: new URLSearchParams({ items_per_page: "250" }) });
    const history = Object.values(data.history || {});
    const ids = [...new Set(history.map((h) => h.user_id).filter((id) => Number(id)))];
    const mayRead = entity("users") && (await rights())?.entities?.users?.get === "all"; // a vendor reads few users
    const names = new Map(mayRead ? (await chosen(entity("users"), ids)).map((c) => [c.id, c.name]) : []);
    return history.map((h) => ({ ...h, who: names.get(h.user_id) }));
  } catch {
    return []; // the order is shown without it
  }
}

const events = {
  created: "Placed", updated: "Changed", status: "Status changed", shipped: "Shipped", shipment_updated: "Shipment changed",
  shipment_deleted: "Shipment deleted", invoice: "Invoice issued", credit_memo: "Credit memo issued",
};

export function timeline({ history, statuses }) {
  if (!history.length) return nothing;
  const entry = (h) => html`<li>${time(h.time)} <strong>${t(events[h.event] || humanize(h.event))}</strong>
    ${h.status?.to ? html`<span>${statuses[h.status.from] || h.status.from || t("new")} → ${statuses[h.status.to] || h.status.to}</span>` : nothing}
    ${h.document ? html`<span>${h.document}</span>` : nothing}
    ${h.who ? html`<a class="summary" href=${href(["users", h.user_id])}>${h.who}</a>` : nothing}
    ${h.fields?.length && h.event === "updated" ? html`<span class="summary">${h.fields.map(humanize).join(", ")}</span>` : nothing}</li>`;
  return html`<section class="object" aria-labelledby="timeline"><h2 id="timeline">${t("Timeline")}</h2><ol class="timeline">${[...history].reverse().map(entry)}</ol></section>`;
}
