// The page of a product: what staff changes every day first, the rest below.

import { html, nothing } from "../vendor/lit-html.js";
import { loadObject, read, renew } from "../load.js";
import { objectPage } from "../object.js";
import { chip } from "../format.js";
import { money } from "../money.js";
import { t } from "../words.js";
import { href } from "../address.js";
import { may } from "../privileges.js";
import { copyOf, featuresOf } from "./duplicate.js";
import { featureEditor, loadFeatures } from "./features.js";
import { pictureEditor } from "./pictures.js";
import { loadStock, stockTable } from "./stocktable.js";
import { loadVariations, variationTable } from "./variations.js";
import { settled } from "../settled.js";

// The fields of a product in the order of staff's work; whatever the API adds comes last.
const sections = [
  ["Description", ["product", "product_code", "status", "category_ids", "full_description", "short_description"]],
  ["Price and stock", ["price", "list_price", "amount", "tracking", "low_avail_limit", "out_of_stock_actions", "tax_ids"]],
  ["Shipping", ["weight", "length", "width", "height", "free_shipping", "shipping_freight"]],
  ["For search engines", ["page_title", "meta_description", "meta_keywords", "seo_name", "search_words"]],
];

// loadProduct reads a product. A new one begins as a copy of the product that the query names.
export async function loadProduct(segments, query) {
  const state = await loadObject(segments);
  const original = state.isNew && query.get("copy");
  const [features, stock, canCopy, copied] = await settled([
    loadFeatures(), loadStock(state), state.isNew ? false : may("create", state.own), original ? read([...state.own, original], state.own) : null,
  ]);
  Object.assign(state, { features, stock, canCopy });
  state.variations = await loadVariations(state);
  if (state.form) {
    state.form.sections = sections;
    state.form.hidden = ["main_pair", "image_pairs", "product_features", "lang_code", "timestamp", "main_category"];
    if (copied) Object.assign(state.form, { copied: copyOf(copied.data, state.form.body.order), also: { product_features: featuresOf(copied.data) } });
  }
  return state;
}

export function productPage(state, refresh) {
  const { data: product } = state;
  const reload = async () => {
    await renew(state);
    state.variations = await loadVariations(state);
  };
  const summary = state.isNew ? nothing : html`<p class="sum">${chip(product.status, state.statuses)} <strong>${money(product.price)}</strong> <span class="summary">${t("{n} in stock", { n: product.amount })}</span></p>`;
  const tools = state.canCopy ? html`<a class="button" href=${href([...state.own, "new"], { copy: state.segments[1] })}>${t("Duplicate")}</a>` : nothing;
  const beside = state.form && !state.isNew ? pictureEditor(state, refresh) : nothing;
  return objectPage(state, refresh, { summary, tools, beside, below: html`${featureEditor(state, refresh, reload)}${stockTable(state)}${variationTable(state, refresh, reload)}` });
}
