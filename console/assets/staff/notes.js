// The addresses of an order, and what was written about it.

import { html, nothing } from "../vendor/lit-html.js";
import { ask } from "../session.js";
import { notice } from "../notice.js";
import { t } from "../words.js";

const lineOf = (order, prefix) => {
  const v = (name) => order[prefix + name] || "";
  return [[v("firstname"), v("lastname")].filter(Boolean).join(" "), v("address"), v("address_2"), [v("zipcode"), v("city")].filter(Boolean).join(" "),
    v("state_descr") || v("state"), v("country_descr") || v("country"), v("phone")].filter(Boolean);
};

export function addresses(order) {
  const shipping = lineOf(order, "s_");
  const billing = lineOf(order, "b_");
  const isSame = shipping.join("\n") === billing.join("\n");
  const block = (title, list) => html`<h3>${title}</h3><address>${list.length ? list.map((line) => html`${line}<br>`) : t("none")}</address>`;
  return html`<section class="object" aria-labelledby="addresses"><h2 id="addresses">${t("Addresses")}</h2>
    ${block(isSame ? t("Shipping and billing") : t("Shipping"), shipping)}${isSame ? nothing : block(t("Billing"), billing)}</section>`;
}

export function notes(state, refresh, reload) {
  const { data: order, form } = state;
  const own = state.noteForm ||= { text: order.details, problem: "" };
  const save = async (event) => {
    event.preventDefault();
    const details = event.target.elements.details.value;
    try {
      await ask("PUT", `/orders/${order.order_id}`, { body: { details } });
    } catch (e) {
      own.problem = e.message;
      return refresh();
    }
    state.noteForm = null;
    notice(t("Saved."));
    await reload();
  };
  return html`<section class="object" aria-labelledby="notes"><h2 id="notes">${t("Notes")}</h2>
    ${order.notes ? html`<h3>${t("From the customer")}</h3><p class="text">${order.notes}</p>` : nothing}
    ${form ? html`<form @submit=${save}><label for="details">${t("For staff only")}</label>
      <textarea id="details" name="details" rows="3" .value=${own.text}></textarea>
      ${own.problem ? html`<p class="problem" role="alert">${own.problem}</p>` : nothing}
      <div class="actions"><button>${t("Save note")}</button></div></form>` : order.details ? html`<h3>${t("For staff only")}</h3><p class="text">${order.details}</p>` : nothing}</section>`;
}
