// What was shipped of an order, and shipping the rest.

import { html, nothing } from "../vendor/lit-html.js";
import { ask } from "../session.js";
import { may } from "../privileges.js";
import { entity } from "../model.js";
import { href } from "../address.js";
import { keyOf } from "../send.js";
import { notice } from "../notice.js";
import { date } from "../money.js";
import { t } from "../words.js";

export async function loadShipments(order) {
  if (!entity("shipments") || !await may("view", ["shipments"])) return [];
  const { data } = await ask("GET", "/shipments", { query: new URLSearchParams({ order_id: order.order_id, items_per_page: "250" }) });
  return Object.values(data.shipments);
}

const left = (line) => Number(line.amount) - Number(line.shipped_amount);

export function shipping(state, refresh, reload) {
  const open = Object.values(state.data.products || {}).filter((line) => left(line) > 0);
  const canShip = state.canShip && open.length && state.data.is_parent_order !== "Y";
  if (!state.shipments.length && !canShip) return nothing;
  return html`<section class="object" aria-labelledby="shipping"><h2 id="shipping">${t("Shipping")}</h2>
    ${state.shipments.map((s) => shipment(state, s))}
    ${canShip ? shipForm(state, open, refresh, reload) : html`<p class="summary">${t("Everything is shipped.")}</p>`}</section>`;
}

function shipment({ data: order }, s) {
  const content = Object.entries(s.products || {}).map(([item, amount]) => `${amount} × ${order.products[item]?.product || item}`).join(", ");
  return html`<p class="shipment"><a href=${href(["shipments", s.shipment_id])}>${t("Shipment {id}", { id: s.shipment_id })}</a>
    <span class="summary">${[date(s.shipment_timestamp), s.shipping, s.carrier, s.tracking_number].filter(Boolean).join(" · ")}</span><br>${content}</p>`;
}

function shipForm(state, open, refresh, reload) {
  const { data: order } = state;
  const form = state.shipping ||= { problem: "", isOpen: false };
  const submit = async (event) => {
    event.preventDefault();
    if (form.isSending) return;
    const data = new FormData(event.target);
    const products = Object.fromEntries(open.filter((line) => data.get(`ship-${line.item_id}`)).map((line) => [line.item_id, data.get(`amount-${line.item_id}`)]));
    if (!Object.keys(products).length) {
      form.problem = t("Tick at least one line.");
      return refresh();
    }
    const shippingID = Object.values(order.shipping || {})[0]?.shipping_id || order.shipping_ids;
    const body = { order_id: order.order_id, shipping_id: shippingID, products, carrier: data.get("carrier").trim(), tracking_number: data.get("tracking").trim() };
    form.isSending = true;
    try {
      await ask("POST", "/shipments", { body, headers: { "Idempotency-Key": keyOf(form, body) } });
    } catch (e) {
      form.problem = e.message;
      return refresh();
    } finally {
      form.isSending = false;
    }
    state.shipping = null;
    notice(t("Shipped."));
    await reload();
  };
  const row = (line) => html`<li>
    <label class="check"><input type="checkbox" name="ship-${line.item_id}" checked>${line.product}</label>
    <label><span class="unseen">${t("Pieces of {product}", { product: line.product })}</span>
      <input type="number" name="amount-${line.item_id}" min="1" max=${left(line)} .value=${String(left(line))} class="pieces"></label>
    <span class="summary">${t("of {n}", { n: left(line) })}</span></li>`;
  return html`<details class="more ship" ?open=${form.isOpen} @toggle=${(event) => { form.isOpen = event.target.open; }}>
    <summary>${state.shipments.length ? t("Ship the rest") : t("Ship")}</summary>
    <form @submit=${submit}>
      <ul class="ship-lines">${open.map(row)}</ul>
      <div class="fields"><div class="field"><label for="tracking">${t("Tracking number")}</label><input id="tracking" name="tracking" autocomplete="off" maxlength="255"></div>
        <div class="field"><label for="carrier">${t("Carrier")}</label><input id="carrier" name="carrier" autocomplete="off" maxlength="255"></div></div>
      ${form.problem ? html`<p class="problem" role="alert">${form.problem}</p>` : nothing}
      <div class="actions"><button class="primary" aria-disabled=${Boolean(form.isSending)}>${t("Ship these")}</button></div></form></details>`;
}
