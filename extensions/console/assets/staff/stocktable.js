// The options of a product, and the stock of each combination as a table.

import { html, nothing } from "../vendor/lit-html.js";
import { ask } from "../session.js";
import { may } from "../privileges.js";
import { collection } from "../model.js";
import { href } from "../address.js";
import { t } from "../words.js";
import "../quickedit.js";

const at = (id, name) => `/products/${encodeURIComponent(id)}/${name}`;

// loadStock returns the options and combinations of a product; null where it has none.
export async function loadStock({ isNew, segments }) {
  if (isNew || !collection(["products", "0", "options"]).get || !await may("view", [...segments, "options"])) return null;
  try {
    const options = Object.values((await ask("GET", at(segments[1], "options"))).data || {});
    const combinations = collection(["products", "0", "combinations"]).get ? Object.values((await ask("GET", at(segments[1], "combinations"))).data || {}) : [];
    return { options, combinations };
  } catch {
    return null; // the product is shown without them
  }
}

export function stockTable({ stock, segments, form, isNew }) {
  if (isNew || !stock || !stock.options.length && !form) return nothing;
  const options = href([...segments, "options"]);
  const names = new Map(stock.options.flatMap((o) => Object.values(o.variants || {}).map((v) => [v.variant_id, v.variant_name])));
  const words = (c) => Object.values(c.combination || {}).map((id) => names.get(String(id)) || id).join(" / ");
  const edit = (c, field, label) => (form ? html`<quick-edit data-field=${field} .segments=${["combinations", String(c.combination_hash)]} .field=${field} .label="${label}, ${words(c)}" .value=${c[field]}></quick-edit>` : c[field]);
  return html`<section class="object" aria-labelledby="options"><h2 id="options">${t("Options")}</h2>
    ${stock.options.length ? html`<p>${stock.options.map((o, i) => html`${i ? " · " : nothing}<a href=${href([...segments, "options", o.option_id])}>${o.option_name}</a> <span class="summary">${Object.values(o.variants || {}).map((v) => v.variant_name).filter(Boolean).join(", ")}</span>`)}</p>` : html`<p class="summary">${t("Customers choose nothing.")}</p>`}
    ${stock.combinations.length ? html`<div class="scroll plain" role="region" aria-label=${t("Stock by options")} tabindex="0"><table>
      <thead><tr><th scope="col">${t("Combination")}</th><th scope="col">${t("Code")}</th><th scope="col" class="figure">${t("Stock")}</th></tr></thead>
      <tbody>${stock.combinations.map((c) => html`<tr><th scope="row" class="label">${words(c)}</th><td data-name=${t("Code")}>${edit(c, "product_code", t("Code"))}</td><td class="figure" data-name=${t("Stock")}>${edit(c, "amount", t("Stock"))}</td></tr>`)}</tbody></table></div>` : nothing}
    ${form ? html`<p class="actions"><a class="button" href=${options}>${t("Change options")}</a></p>` : nothing}</section>`;
}
