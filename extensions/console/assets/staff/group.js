// The page of a group of variations: its products, and its code.

import { html, nothing } from "../vendor/lit-html.js";
import { loadObject, renew } from "../load.js";
import { objectPage } from "../object.js";
import { Refused } from "../session.js";
import { go, href } from "../address.js";
import { t } from "../words.js";
import { loadFeatures } from "./features.js";
import { loadVariations, variationTable } from "./variations.js";

export async function loadGroup(segments) {
  const state = await loadObject(segments);
  if (state.form) Object.assign(state.form, { sections: [["Group", ["code", "product_ids"]]], hidden: state.isNew ? ["features"] : ["product_ids", "features"] });
  state.features = await loadFeatures();
  state.variations = await loadVariations(state);
  return state;
}

export function groupPage(state, refresh) {
  const reload = async () => {
    try {
      await renew(state);
    } catch (e) {
      if (!(e instanceof Refused) || e.status !== 404) throw e;
      return go(href(state.own)); // a group left with one product is gone
    }
    state.variations = await loadVariations(state);
  };
  return objectPage(state, refresh, { beside: state.isNew ? featureTicks(state) : variationTable(state, refresh, reload) });
}

// featureTicks chooses the features by whose values the products of a new group differ. Without
// any the API takes those that the products have.
function featureTicks({ form, features }) {
  const list = features?.list.filter((f) => /^group_/.test(f.purpose)) || [];
  if (!form || !list.length) return nothing;
  const tick = (f, isOn) => {
    const others = (form.also?.features || []).filter((chosen) => chosen.feature_id !== f.feature_id);
    const chosen = isOn ? [...others, { feature_id: f.feature_id, purpose: f.purpose }] : others;
    form.also = chosen.length ? { features: chosen } : {};
  };
  return html`<fieldset class="methods"><legend>${t("The products differ in")}</legend>
    ${list.map((f) => html`<label class="check"><input type="checkbox" @change=${(event) => tick(f, event.target.checked)}>${f.description}</label>`)}</fieldset>`;
}
