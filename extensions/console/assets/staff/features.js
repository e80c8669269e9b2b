// The features of a product by their names, each with the control of its type. A choice is
// saved at once.

import { html, nothing } from "../vendor/lit-html.js";
import { ask } from "../session.js";
import { may } from "../privileges.js";
import { entity } from "../model.js";
import { isEmpty } from "../format.js";
import { notice } from "../notice.js";
import { local } from "../typed.js";
import { t } from "../words.js";

// loadFeatures returns the features that products can have, with their variants; null
// where the user may not see them.
export async function loadFeatures() {
  if (!entity("features") || !await may("view", ["features"])) return null;
  const { data } = await ask("GET", "/features", { query: new URLSearchParams({ items_per_page: "250", get_variants: "Y" }) });
  return { list: Object.values(data.features).filter((f) => f.feature_type !== "G" && f.status !== "D"), problem: "" };
}

// featureEditor shows them. After a change, reload reads the page's object again.
export function featureEditor(state, refresh, reload) {
  const { features, data: product } = state;
  if (!features?.list.length || !state.form || state.isNew) return nothing;
  const save = async (feature, value) => {
    try {
      await ask("PUT", `/products/${product.product_id}`, { body: { product_features: { [feature.feature_id]: value } } });
      await reload();
      features.problem = "";
      notice(t("Saved."));
    } catch (e) {
      features.problem = `${feature.description}: ${e.message}`;
    }
    refresh();
  };
  const row = (feature) => html`<div class="field"><label for="feature-${feature.feature_id}">${feature.description}</label>${control(feature, product.product_features?.[feature.feature_id] || {}, save)}</div>`;
  return html`<section class="object" aria-labelledby="features"><h2 id="features">${t("Features")}</h2><div class="fields narrow">${features.list.map(row)}</div>
    ${features.problem ? html`<p class="problem" role="alert">${features.problem}</p>` : nothing}</section>`;
}

// control is the control of a feature: one variant (S, N, E), several (M), yes or no (C), a
// number (O), a day (D) or a text (T).
function control(feature, now, save) {
  const id = `feature-${feature.feature_id}`;
  const variants = Object.values(feature.variants || {});
  const set = (value) => save(feature, value === "" ? null : { value });
  switch (feature.feature_type) {
    case "S": case "N": case "E":
      return html`<select id=${id} @change=${(event) => save(feature, event.target.value ? { variant_id: event.target.value } : null)}>
        <option value="">${t("none")}</option>${variants.map((v) => html`<option value=${v.variant_id} ?selected=${v.variant_id === String(now.variant_id ?? "")}>${v.variant}</option>`)}</select>`;
    case "M": {
      const held = new Set(Object.keys(now.variants || {}));
      const toggle = (v, isOn) => {
        if (isOn) held.add(v.variant_id);
        else held.delete(v.variant_id);
        save(feature, [...held]);
      };
      return html`<span id=${id} role="group" aria-label=${feature.description} class="ticks">${variants.map((v) => html`<label class="check"><input type="checkbox" .checked=${held.has(v.variant_id)} @change=${(event) => toggle(v, event.target.checked)}>${v.variant}</label>`)}</span>`;
    }
    case "C":
      return html`<select id=${id} @change=${(event) => set(event.target.value)}>${[["", t("none")], ["Y", t("Yes")], ["N", t("No")]].map(([code, words]) => html`<option value=${code} ?selected=${code === (now.value || "")}>${words}</option>`)}</select>`;
    case "D":
      return html`<input id=${id} type="date" .value=${local(now.value_int).slice(0, 10)} @change=${(event) => set(event.target.value ? String(new Date(`${event.target.value}T00:00`) / 1000) : "")}>`;
    default:
      return html`<input id=${id} inputmode=${feature.feature_type === "O" ? "decimal" : "text"} .value=${isEmpty(now.value) ? "" : now.value} @change=${(event) => set(event.target.value.trim())}>`;
  }
}
