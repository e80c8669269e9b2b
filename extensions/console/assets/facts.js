// What an object holds beside the fields of its form.

import { html, nothing } from "./vendor/lit-html.js";
import { deref, humanize } from "./model.js";
import { hasParts, image, isEmpty, isPair, value } from "./format.js";
import { t } from "./words.js";

export function pictures(data) {
  const pairs = [data.main_pair, ...Object.values(data.image_pairs || {})].filter(isPair);
  return pairs.length ? html`<div class="pictures">${pairs.map((p) => image(p, "large"))}</div>` : nothing;
}

// isSerialized reports whether a value is PHP's serialized form, which says nothing to people.
const isSerialized = (v) => typeof v === "string" && /^a:\d+:\{/.test(v);

const addresses = { b_: "Billing address", s_: "Shipping address" };

// facts are the fields that the form does not have, or has as JSON.
export function facts({ data, form: f, schema, statuses }) {
  const inForm = new Set(Object.values(f?.body.properties || {}).map((p) => deref(p)["x-in"]));
  const names = (schema["x-order"] || Object.keys(data)).filter((name) => name in data && !inForm.has(name) && !/_raw$|^main_pair$|^image_pairs$/.test(name) && !isSerialized(data[name]) &&
    (!f?.body.order.includes(name) || hasParts(data[name])));
  const filled = names.filter((name) => !isEmpty(data[name])).sort((a, b) => hasParts(data[a]) - hasParts(data[b]));
  const empty = names.filter((name) => isEmpty(data[name]));
  const group = (name) => t(addresses[name.slice(0, 2)] || (f ? "More about it" : "Fields"));
  const groups = Object.groupBy(filled, group);
  const line = (name) => html`<div class=${hasParts(data[name]) ? "wide" : nothing}><dt>${humanize(name)}</dt><dd>${value(name, deref(schema.properties?.[name]), data[name], statuses)}</dd></div>`;
  return html`<div class="sections">${Object.entries(groups).map(([title, list]) => html`<section aria-label=${title}><h2>${title}</h2><dl class="facts">${list.map(line)}</dl></section>`)}
    ${empty.length ? html`<details class="more"><summary>${t("{n} empty", { n: empty.length })}</summary><p class="summary">${empty.map(humanize).join(", ")}</p></details>` : nothing}</div>`;
}
