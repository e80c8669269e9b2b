// The variations that a group does not have yet: the combinations of ticked values of its
// features.

import { html, nothing } from "../vendor/lit-html.js";
import { ask } from "../session.js";
import { path } from "../address.js";
import { t } from "../words.js";

const most = 1000; // products of a group
const atOnce = 200; // combinations of one request

// missingPart ticks values and makes the products. Of a product without a group those of its
// features make one, of which several values are ticked.
export function missingPart(v, product, byThese, run, refresh) {
  const features = v.group ? v.group.features.map(({ feature_id: id }) => v.features.find((f) => f.feature_id === String(id)))
    : byThese.filter((f) => product.product_features?.[f.feature_id]?.variant_id);
  if (!features.length) return html`<p class="summary">${t("To make variations, first choose one of these features above.")}</p>`;
  if (features.includes(undefined)) return nothing; // a feature that the user may not see
  const rows = v.group ? v.rows : [{ id: v.own, item: product, values: new Map(features.map((f) => [f.feature_id, String(product.product_features[f.feature_id].variant_id)])) }];
  for (const f of features) v.ticked[f.feature_id] ||= new Set(rows.map((row) => row.values.get(f.feature_id)).filter((id) => f.variants?.[id]));
  const lists = Object.fromEntries(features.map((f) => [f.feature_id, [...v.ticked[f.feature_id]]]).filter(([, ids]) => v.group || ids.length > 1));
  const missing = missingOf(lists, rows);
  const original = rows.find((row) => row.id === v.own) || rows[0];
  const make = () => run(async () => {
    for (let i = 0; i < missing.length; i += atOnce) {
      await ask("POST", path(["product_variations", original.id, "generate_product_variations"]), { body: { combinations: missing.slice(i, i + atOnce) } });
    }
  }, t("Created."));
  const tick = (f, id) => {
    const ids = v.ticked[f.feature_id];
    if (!ids.delete(id)) ids.add(id);
    refresh();
  };
  return html`<div class="fields narrow">${features.map((f) => html`<fieldset class="methods"><legend>${f.description}</legend>
      ${Object.values(f.variants || {}).map((variant) => html`<label class="check"><input type="checkbox" .checked=${v.ticked[f.feature_id].has(variant.variant_id)} @change=${() => tick(f, variant.variant_id)}>${variant.variant}</label>`)}</fieldset>`)}</div>
    ${missing === null ? html`<p class="summary">${t("A group has at most {n} products: tick fewer values.", { n: most })}</p>`
      : missing.length ? html`<p class="actions"><button type="button" @click=${make}>${missing.length === 1 ? t("Add 1 variation") : t("Add {n} variations", { n: missing.length })}</button>
        <span class="summary">${t("They are copies of {product} without stock and code.", { product: original.item.product })}</span></p>`
      : html`<p class="summary">${v.group ? t("All variations of the ticked values are there.") : t("Tick the values that the variations have.")}</p>`}`;
}

// missingOf returns the combinations of values, by the ids of features, that no row has; null
// where there are more than a group may have.
export function missingOf(lists, rows) {
  const ids = Object.keys(lists);
  if (!ids.length) return [];
  if (ids.reduce((n, id) => n * lists[id].length, 1) > most) return null;
  const taken = new Set(rows.map((row) => ids.map((id) => row.values.get(id)).join()));
  const all = ids.reduce((found, id) => found.flatMap((c) => lists[id].map((variant) => ({ ...c, [id]: variant }))), [{}]);
  return all.filter((c) => !taken.has(ids.map((id) => c[id]).join()));
}
