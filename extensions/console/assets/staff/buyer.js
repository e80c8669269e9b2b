// Whom an order is for: a customer of the shop, or a guest with an address.

import { html, nothing } from "../vendor/lit-html.js";
import { countries } from "../countries.js";
import { entity } from "../model.js";
import { t } from "../words.js";

const addressNames = ["firstname", "lastname", "address", "city", "zipcode", "country", "state", "phone"];

const labels = { firstname: "First name", lastname: "Last name", address: "Street and number", city: "City", zipcode: "Postal code", country: "Country", state: "State", phone: "Phone" };

const optional = ["state", "phone"];

export const emptyAddress = () => ({ email: "", ...Object.fromEntries(addressNames.map((name) => [name, ""])) });

// buyer returns the fields of POST orders that name who orders, and where to.
export function buyer({ customer, guest }) {
  if (customer) return { user_id: customer.id };
  const data = { email: guest.email.trim(), phone: guest.phone.trim() };
  for (const name of addressNames) for (const prefix of ["b_", "s_"]) data[prefix + name] = guest[name].trim();
  return { user_id: "0", user_data: { ...data, firstname: data.s_firstname, lastname: data.s_lastname } };
}

export function customerPart(state, changed) {
  if (!entity("users")) return nothing;
  const pick = (event) => {
    [state.customer = null] = event.target.picked;
    changed();
  };
  return html`<section class="object" aria-labelledby="customer"><h2 id="customer">${t("Customer")}</h2>
    <object-picker entity="users" label=${t("Customer")} placeholder=${t("Name or e-mail address…")} @change=${pick}></object-picker>
    <p class="hint">${state.customer ? t("The addresses of the profile are used.") : t("Leave it empty for a guest, and write the address beside.")}</p></section>`;
}

// addressFields are the address of a guest.
export function addressFields(state, changed) {
  const set = (name) => (event) => {
    state.guest[name] = event.target.value;
    changed();
  };
  const control = (name, type, error) => {
    const [invalid, by] = error ? ["true", `guest-${name}-error`] : [nothing, nothing];
    if (name !== "country") return html`<input id="guest-${name}" type=${type} autocomplete="off" .value=${state.guest[name]} aria-invalid=${invalid} aria-describedby=${by} @change=${set(name)}>`;
    return html`<select id="guest-country" aria-invalid=${invalid} aria-describedby=${by} @change=${set(name)}><option value=""></option>
      ${Object.entries(countries()).map(([code, words]) => html`<option value=${code} ?selected=${code === state.guest.country}>${words}</option>`)}</select>`;
  };
  const field = (name, words, type = "text") => {
    const error = state.errors[`user_data[s_${name}]`] || state.errors[`user_data[${name}]`];
    return html`<div class="field"><label for="guest-${name}">${t(words)}${optional.includes(name) ? nothing : html` <span class="mark">${t("required")}</span>`}</label>
      ${control(name, type, error)}
      ${error ? html`<p class="error" id="guest-${name}-error">${error}</p>` : nothing}</div>`;
  };
  return html`<section class="object" aria-labelledby="guest"><h2 id="guest">${t("Guest")}</h2>
    <div class="fields narrow">${field("email", "E-mail address", "email")}${addressNames.map((name) => field(name, labels[name]))}</div></section>`;
}
