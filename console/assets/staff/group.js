// The page of a group of variations: its products, and its code.

import { loadObject, read } from "../load.js";
import { objectPage } from "../object.js";
import { Refused } from "../session.js";
import { go, href } from "../address.js";
import { loadFeatures } from "./features.js";
import { loadVariations, variationTable } from "./variations.js";

export async function loadGroup(segments) {
  const state = await loadObject(segments);
  if (state.form) Object.assign(state.form, { sections: [["Group", ["code", "product_ids"]]], hidden: state.isNew ? [] : ["product_ids", "features"] });
  state.features = await loadFeatures();
  state.variations = await loadVariations(state);
  return state;
}

export function groupPage(state, refresh) {
  const reload = async () => {
    try {
      Object.assign(state, await read(state.segments, state.own));
    } catch (e) {
      if (!(e instanceof Refused) || e.status !== 404) throw e;
      return go(href(state.own)); // a group left with one product is gone
    }
    if (state.form) state.form.data = state.data;
    state.variations = await loadVariations(state);
  };
  return objectPage(state, refresh, { beside: variationTable(state, refresh, reload) });
}
