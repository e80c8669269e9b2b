// How a new order is paid and shipped.

import { html, nothing } from "../vendor/lit-html.js";
import { ask } from "../session.js";
import { may } from "../privileges.js";
import { entity } from "../model.js";
import { money } from "../money.js";
import { t } from "../words.js";
import { settled } from "../settled.js";

async function active(name, idField, label) {
  if (!entity(name) || !await may("view", [name])) return [];
  const { data } = await ask("GET", `/${name}`, { query: new URLSearchParams({ items_per_page: "250" }) });
  return Object.values(data[name]).filter((m) => m.status !== "D").map((m) => ({ id: m[idField], name: m[label], detail: m.delivery_time || m.description || "" }));
}

export async function loadMethods() {
  const [payments, shippings] = await settled([active("payments", "payment_id", "payment"), active("shippings", "shipping_id", "shipping")]);
  return { payments, shippings };
}

export function methodsPart(state, changed) {
  const { payments, shippings } = state.methods;
  const costs = (list, id, cost) => {
    const fit = list?.find((m) => m[id[0]] === id[1]);
    return fit && Number(fit[cost]) ? ` + ${money(fit[cost])}` : "";
  };
  const group = (title, name, methods, now, costOf, set) => html`<fieldset class="methods"><legend>${title}</legend>
    ${methods.map((m) => html`<label class="check"><input type="radio" name=${name} value=${m.id} .checked=${m.id === now} @change=${() => { set(m.id); changed(); }}>
      <span>${m.name}${costOf(m.id)}${m.detail ? html` <small class="summary">${m.detail}</small>` : nothing}</span></label>`)}</fieldset>`;
  return html`<section class="object" aria-labelledby="methods"><h2 id="methods">${t("Shipping and payment")}</h2><div class="fields">
    ${group(t("Shipping"), "shipping", shippings, state.shippingID, (id) => costs(state.quote?.shippings, ["shipping_id", id], "shipping_cost"), (id) => { state.shippingID = id; })}
    ${group(t("Payment"), "payment", payments, state.paymentID, (id) => costs(state.quote?.payments, ["payment_id", id], "payment_surcharge"), (id) => { state.paymentID = id; })}</div></section>`;
}
