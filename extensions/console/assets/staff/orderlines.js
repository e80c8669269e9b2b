// The products of a new order, with their options.

import { html, nothing } from "../vendor/lit-html.js";
import { ask } from "../session.js";
import { collection } from "../model.js";
import { money } from "../money.js";
import { t } from "../words.js";

let made = 0; // lines, for their ids

// selection is the lines as POST orders takes them.
export const selection = (lines) => Object.fromEntries(lines.map((line, i) => [String(i + 1), {
  product_id: line.product.id, amount: line.amount, ...(Object.keys(line.chosen).length ? { product_options: line.chosen } : {}),
}]));

async function optionsOf(id) {
  if (!collection(["products", id, "options"]).get) return [];
  const { data } = await ask("GET", `/products/${id}/options`).catch(() => ({ data: {} }));
  return Object.values(data || {}).filter((o) => o.status === "A");
}

const isChoice = (o) => ["S", "R", "C"].includes(o.option_type);

export function productsPart(state, changed, refresh) {
  const add = async (event) => {
    const [product] = event.target.picked;
    if (!product) return;
    event.target.value = "";
    const line = { key: ++made, product, amount: "1", options: [], chosen: {} };
    state.lines.push(line);
    refresh();
    line.options = await optionsOf(product.id);
    for (const o of line.options) {
      const [first] = Object.values(o.variants || {});
      if (isChoice(o) && first && (o.required === "Y" || o.option_type === "C")) line.chosen[o.option_id] = first.variant_id;
    }
    changed();
  };
  const drop = (line) => {
    state.lines = state.lines.filter((other) => other !== line);
    changed();
  };
  return html`<section class="object" aria-labelledby="products"><h2 id="products">${t("Products")}</h2>
    ${state.lines.length ? html`<ul class="order-lines">${state.lines.map((line) => row(line, changed, drop))}</ul>` : nothing}
    <object-picker entity="products" label=${t("Add a product")} placeholder=${t("Add a product by name or code…")} @change=${add}></object-picker></section>`;
}

function row(line, changed, drop) {
  const { product } = line;
  return html`<li><div><strong>${product.name}</strong> <span class="summary">${product.item.product_code}</span></div>
    <label><span class="unseen">${t("Pieces of {product}", { product: product.name })}</span>
      <input type="number" min="1" class="pieces" .value=${line.amount} @change=${(event) => { line.amount = event.target.value || "1"; changed(); }}></label>
    <span class="figure">${money(product.item.price)}</span>
    <button type="button" class="drop" aria-label="${t("Remove")} ${product.name}" @click=${() => drop(line)}>×</button>
    ${line.options.length ? html`<div class="options">${line.options.map((o) => option(line, o, changed))}</div>` : nothing}</li>`;
}

function option(line, o, changed) {
  const id = `line-${line.key}-option-${o.option_id}`;
  const set = (value) => {
    if (value) line.chosen[o.option_id] = value;
    else delete line.chosen[o.option_id];
    changed();
  };
  const control = isChoice(o)
    ? html`<select id=${id} @change=${(event) => set(event.target.value)}>
      ${o.required === "Y" || o.option_type === "C" ? nothing : html`<option value="">${t("none")}</option>`}
      ${Object.values(o.variants || {}).map((v) => html`<option value=${v.variant_id} ?selected=${v.variant_id === line.chosen[o.option_id]}>${v.variant_name}</option>`)}</select>`
    : html`<input id=${id} .value=${line.chosen[o.option_id] || ""} @change=${(event) => set(event.target.value)}>`;
  return html`<label for=${id}>${o.option_name}</label>${control}`;
}
