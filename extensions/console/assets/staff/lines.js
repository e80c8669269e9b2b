// The lines of an order, and how its total comes about.

import { html, nothing } from "../vendor/lit-html.js";
import { ask } from "../session.js";
import { may } from "../privileges.js";
import { entity, parametersOf } from "../model.js";
import { image, isPair } from "../format.js";
import { href } from "../address.js";
import { money } from "../money.js";
import { t } from "../words.js";

// loadPictures returns the main images of the products of an order, by product id.
export async function loadPictures(order) {
  if (!entity("products") || !parametersOf(["products"]).some((p) => p.name === "order_ids") || !await may("view", ["products"])) return {};
  const query = new URLSearchParams({ order_ids: order.order_id, fields: "main_pair", items_per_page: "250" });
  const { data } = await ask("GET", "/products", { query }).catch(() => ({ data: {} })); // the order is shown without them
  return Object.fromEntries(Object.values(data.products || {}).filter((p) => isPair(p.main_pair)).map((p) => [p.product_id, p.main_pair]));
}

// chosenOptions are the options of a line in words: Size: Large.
export const chosenOptions = (line) => Object.values(line.extra?.product_options_value || line.product_options || {})
  .map((o) => [o.option_name, o.variant_name || o.value].filter(Boolean).join(": ")).filter(Boolean).join(", ");

export function lines({ data: order, pictures }) {
  const row = (line) => html`<tr>
    <td class="picture">${pictures[line.product_id] ? image(pictures[line.product_id]) : html`<span class="thumb"></span>`}</td>
    <th scope="row" class="label">${line.deleted_product ? line.product : html`<a href=${href(["products", line.product_id])}>${line.product}</a>`}
      <small class="summary">${[line.product_code, chosenOptions(line)].filter(Boolean).join(" · ")}</small></th>
    <td class="figure" data-name=${t("Price")}>${money(line.price)}</td>
    <td class="figure" data-name=${t("Pieces")}>${line.amount}${Number(line.shipped_amount) ? html` <small class="summary">${t("{n} shipped", { n: line.shipped_amount })}</small>` : nothing}</td>
    <td class="figure" data-name=${t("Sum")}>${money(line.subtotal)}</td></tr>`;
  return html`<div class="scroll plain" role="region" aria-label=${t("What was ordered")} tabindex="0"><table>
    <thead><tr><th class="picture" scope="col"><span class="unseen">${t("Image")}</span></th><th scope="col">${t("Product")}</th><th scope="col" class="figure">${t("Price")}</th>
      <th scope="col" class="figure">${t("Pieces")}</th><th scope="col" class="figure">${t("Sum")}</th></tr></thead>
    <tbody>${Object.values(order.products || {}).map(row)}</tbody></table></div>`;
}

// totals are the amounts of an order from the sum of its lines to its total.
export function totals(order) {
  const line = (words, amount, isShown = Number(amount) !== 0) => (isShown ? html`<div><dt>${words}</dt><dd>${money(amount)}</dd></div>` : nothing);
  const methods = Object.values(order.shipping || {}).map((s) => s.shipping).filter(Boolean).join(", ");
  const taxes = Object.values(order.taxes || {});
  return html`<dl class="totals">
    ${line(t("Products"), order.subtotal, true)}
    ${line(t("Discount"), -order.subtotal_discount)}
    ${line(methods ? t("Shipping ({method})", { method: methods }) : t("Shipping"), order.shipping_cost, Boolean(methods) || Number(order.shipping_cost) !== 0)}
    ${line(order.payment_method?.surcharge_title || t("Payment fee"), order.payment_surcharge)}
    ${taxes.map((tax) => line(tax.price_includes_tax === "Y" ? t("including {tax}", { tax: tax.description }) : tax.description, tax.tax_subtotal))}
    <div class="total"><dt>${t("Total")}</dt><dd>${money(order.total)}</dd></div></dl>`;
}
