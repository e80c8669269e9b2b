// The addresses of an order.

import { html, nothing } from "../vendor/lit-html.js";
import { countryName } from "../countries.js";
import { t } from "../words.js";

// addressLines are the lines of an address of an order, with the country in a language: b_ for bills,
// s_ for goods.
export const addressLines = (order, prefix, language) => {
  const v = (name) => order[prefix + name] || "";
  const descr = v("country_descr"); // the code where the shop knows no name
  return [[v("firstname"), v("lastname")].filter(Boolean).join(" "), v("address"), v("address_2"), [v("zipcode"), v("city")].filter(Boolean).join(" "),
    v("state_descr") || v("state"), descr && descr !== v("country") ? descr : countryName(v("country"), language), v("phone")].filter(Boolean);
};

export function addresses(order) {
  const shipping = addressLines(order, "s_");
  const billing = addressLines(order, "b_");
  const isSame = shipping.join("\n") === billing.join("\n");
  const block = (title, list) => html`<h3>${title}</h3><address>${list.length ? list.map((line) => html`${line}<br>`) : t("none")}</address>`;
  return html`<section class="object" aria-labelledby="addresses"><h2 id="addresses">${t("Addresses")}</h2>
    ${block(isSame ? t("Shipping and billing") : t("Shipping"), shipping)}${isSame ? nothing : block(t("Billing"), billing)}</section>`;
}
