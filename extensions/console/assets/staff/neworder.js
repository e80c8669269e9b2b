// An order that staff places for a customer, by telephone for example.

import { html, nothing } from "../vendor/lit-html.js";
import { ask, Refused } from "../session.js";
import { may } from "../privileges.js";
import { entity } from "../model.js";
import { keyOf } from "../send.js";
import { notice } from "../notice.js";
import { go, href } from "../address.js";
import { t } from "../words.js";
import { addressFields, buyer, customerPart, emptyAddress } from "./buyer.js";
import { productsPart, selection } from "./orderlines.js";
import { loadMethods, methodsPart } from "./methods.js";
import { quoted, sums } from "./quote.js";

export async function loadNewOrder() {
  if (!await may("create", ["orders"])) throw new Refused(403, { message: t("You may not place orders.") });
  const methods = await loadMethods();
  const state = {
    isNew: true, own: ["orders"], e: entity("orders"), problem: "", isSending: false, errors: {},
    customer: null, guest: emptyAddress(), lines: [], methods, paymentID: methods.payments[0]?.id || "", shippingID: methods.shippings[0]?.id || "",
    discount: "", notes: "", quote: null,
  };
  state.isTyped = () => Boolean(state.customer || state.lines.length || state.discount || state.notes || Object.values(state.guest).some(Boolean));
  return state;
}

// orderBody is what the API gets: POST of orders, and the quote before it.
export function orderBody(state) {
  const body = { payment_id: state.paymentID, shipping_id: state.shippingID, products: selection(state.lines), ...buyer(state) };
  if (state.discount) body.subtotal_discount = state.discount;
  if (state.notes) body.notes = state.notes;
  return body;
}

export function newOrderPage(state, refresh) {
  const changed = () => {
    state.problem = "";
    quoted(state, orderBody, refresh);
    refresh();
  };
  const place = async (event) => {
    event.preventDefault();
    if (state.isSending) return;
    if (!state.lines.length) {
      state.problem = t("Add a product first.");
      return refresh();
    }
    const body = orderBody(state);
    Object.assign(state, { isSending: true, errors: {}, problem: "" });
    refresh();
    try {
      const { data } = await ask("POST", "/orders", { body, headers: { "Idempotency-Key": keyOf(state, body) } });
      state.isDone = true;
      notice(t("The order is placed."));
      go(href(["orders", String(data.order_id)]));
    } catch (e) {
      Object.assign(state, { errors: e.errors || {}, problem: e.message, isSending: false });
      refresh();
    }
  };
  return html`<header class="page"><div><p class="kind"><a href="#/orders">${t("Orders")}</a></p><h1 tabindex="-1">${t("New order")}</h1></div></header>
    <form novalidate class="columns" id="order" .formState=${state} @submit=${place}>
      <div class="wide-column">
        ${customerPart(state, changed)}
        ${productsPart(state, changed, refresh)}
        ${methodsPart(state, changed)}
      </div>
      <aside class="side-column">
        ${state.customer ? nothing : addressFields(state, changed)}
        <section class="object"><h2>${t("Sum")}</h2>
          <div class="field"><label for="discount">${t("Discount")}</label><input id="discount" inputmode="decimal" .value=${state.discount} @change=${(event) => { state.discount = event.target.value.trim(); changed(); }}></div>
          <div class="field"><label for="order-notes">${t("Note from the customer")}</label><textarea id="order-notes" rows="2" .value=${state.notes} @change=${(event) => { state.notes = event.target.value; }}></textarea></div>
          ${sums(state)}
          ${state.problem ? html`<p class="problem" role="alert">${state.problem}</p>` : nothing}
          <div class="actions"><button class="primary" aria-disabled=${state.isSending}>${t("Place order")}</button></div></section>
      </aside>
    </form>`;
}
