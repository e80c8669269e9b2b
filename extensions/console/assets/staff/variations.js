// The variations of a product: the products of its group as a table, and what makes and
// changes the group.

import { html, nothing } from "../vendor/lit-html.js";
import { ask } from "../session.js";
import { may } from "../privileges.js";
import { entity } from "../model.js";
import { href, path } from "../address.js";
import { notice } from "../notice.js";
import { money } from "../money.js";
import { forgetChoices } from "../relations.js";
import { settled } from "../settled.js";
import { t } from "../words.js";
import { missingPart } from "./missing.js";
import "../picker.js";
import "../quickedit.js";

const groups = "product_variations_groups";
const most = 1000; // products of a group

// loadVariations returns the group of a product, or the group of the page, with its products;
// null where there are no variations.
export async function loadVariations({ isNew, segments, data, form, features }) {
  if (isNew || !entity(groups) || !await may("view", [groups])) return null;
  const own = segments[0] === "products" ? segments[1] : "";
  const [group, canJoin, canAct] = await settled([own ? groupOf(own) : data, may("update", ["product_variations"]), may("act", ["product_variations"])]);
  const rows = group ? await rowsOf(group) : [];
  return { own, group, rows, features: features?.list || [], canChange: Boolean(form) && canJoin && canAct, ticked: {}, problem: "", isBusy: false };
}

async function groupOf(product) {
  const { data } = await ask("GET", `/${groups}`, { query: new URLSearchParams({ product_ids: product, items_per_page: "1" }) });
  return data.groups[0];
}

// rowsOf are the products of a group with their values, each with what the list of products
// says of it.
async function rowsOf({ id, products }) {
  const query = new URLSearchParams({ items_per_page: String(most), fields: "product_id,product,product_code,price,amount" });
  const { data } = await ask("GET", path([groups, String(id), "product_variations"]), { query });
  const items = new Map(Object.values(data.products).map((item) => [item.product_id, item]));
  return products.map(({ product_id: product, parent_product_id: parent, feature_values: values }) => ({
    id: String(product), parent: String(parent), item: items.get(String(product)) || {},
    values: new Map(values.map((value) => [String(value.feature_id), String(value.variant_id)])),
  }));
}

// variationTable shows the group. After a change, reload reads the page's object again.
export function variationTable({ variations: v, data, isNew }, refresh, reload) {
  const byThese = v?.features.filter((f) => /^group_/.test(f.purpose)) || [];
  if (isNew || !v || !v.group && !(v.canChange && byThese.length)) return nothing;
  const run = async (request, words) => {
    if (v.isBusy) return;
    Object.assign(v, { isBusy: true, problem: "" });
    try {
      await request();
      forgetChoices();
      await reload();
      notice(words);
    } catch (e) {
      v.problem = e.message;
    }
    v.isBusy = false;
    refresh();
  };
  return html`<section class="object" aria-labelledby="variations"><h2 id="variations">${t("Variations")}</h2>
    ${v.group ? table(v, run) : html`<p class="summary">${t("A variation is a product of its own that differs in {features}.", { features: byThese.map((f) => f.description).join(", ") })}</p>`}
    ${v.canChange ? html`${adding(v, run)}${missingPart(v, data, byThese, run, refresh)}` : nothing}
    ${v.problem ? html`<p class="problem" role="alert">${v.problem}</p>` : nothing}</section>`;
}

function table(v, run) {
  const features = v.group.features.map(({ feature_id: id }) => v.features.find((f) => f.feature_id === String(id)) || { feature_id: String(id), description: String(id), variants: {} });
  const head = (words, kind) => html`<th scope="col" class=${kind || nothing}>${words}</th>`;
  return html`<div class="scroll plain" role="region" aria-label=${t("Products")} tabindex="0"><table>
    <thead><tr>${head(t("Product"))}${features.map((f) => head(f.description))}${head(t("Code"))}${head(t("Price"), "figure")}${head(t("Stock"), "figure")}${v.canChange ? head(html`<span class="unseen">${t("Change")}</span>`) : nothing}</tr></thead>
    <tbody>${v.rows.map((row) => tableRow(v, row, features, run))}</tbody></table></div>`;
}

function tableRow(v, row, features, run) {
  const { id, item } = row;
  const name = item.product || id;
  const valueOf = (f) => f.variants?.[row.values.get(f.feature_id)]?.variant || row.values.get(f.feature_id);
  const called = [name, ...features.map(valueOf)].join(", ");
  // The form of the page has the fields of the product itself.
  const edit = (field, label, shown = item[field]) => (v.canChange && id !== v.own ? html`<quick-edit data-field=${field} .segments=${["products", id]} .field=${field} .label="${label}, ${called}" .value=${item[field]}></quick-edit>` : shown);
  const act = (action, words) => run(() => ask("POST", path(["product_variations", id, action]), { body: {} }), words);
  return html`<tr><th scope="row" class="label">${id === v.own ? name : html`<a href=${href(["products", id])}>${name}</a>`}</th>
    ${features.map((f) => html`<td data-name=${f.description}>${valueOf(f)}</td>`)}
    <td data-name=${t("Code")}>${edit("product_code", t("Code"))}</td>
    <td class="figure" data-name=${t("Price")}>${edit("price", t("Price"), money(item.price))}</td>
    <td class="figure" data-name=${t("Stock")}>${edit("amount", t("Stock"))}</td>
    ${v.canChange ? html`<td><span class="row-actions">${row.parent === "0" ? (v.rows.some(({ parent }) => parent === id) ? html`<span class="chip">${t("Default")}</span>` : nothing) : html`<button type="button" aria-label=${t("Make {product} the default", { product: called })} @click=${() => act("set_default_product_variation", t("Saved."))}>${t("Make default")}</button>`}
      <button type="button" class="drop" aria-label=${t("Take {product} out of the group", { product: called })} @click=${() => act("detach_product_variation", t("It is a product of its own now."))}>×</button></span></td>` : nothing}</tr>`;
}

// adding puts a product that is there already into the group, or begins a group with it.
function adding(v, run) {
  const add = (event) => {
    const [product] = event.target.picked;
    if (!product) return;
    event.target.value = "";
    run(() => (v.group ? ask("PUT", path(["product_variations", product.id]), { body: { variation_group_id: v.group.id } })
      : ask("POST", `/${groups}`, { body: { product_ids: [v.own, product.id] } })), t("Saved."));
  };
  return html`<p><object-picker entity="products" label=${t("Add a product")} placeholder=${t("Add a product by name or code…")} @change=${add}></object-picker></p>`;
}
