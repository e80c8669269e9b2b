// A list as a tree, if objects name their parents.

import { html, nothing } from "./vendor/lit-html.js";
import { labelOf } from "./model.js";
import { chip } from "./format.js";
import { href } from "./address.js";

export const isTree = (schema) => Boolean(schema.properties?.parent_id && schema.properties?.id_path);

// tree shows what lies below an object that is not there, as a filter leaves it, at the
// top.
export function tree({ e, segments, items, schema, statuses }) {
  const label = labelOf(e, schema);
  const ids = new Set(items.map((item) => item[e.idField]));
  const below = Object.groupBy(items, (item) => (ids.has(item.parent_id) ? item.parent_id : "0"));
  const node = (item) => {
    const inner = below[item[e.idField]] || [];
    const line = html`<a href=${href([...segments, item[e.idField]])}>${item[label] || item[e.idField]}</a>
      ${item.status && item.status !== "A" ? chip(item.status, statuses) : nothing}
      ${item.product_count > 0 ? html`<span class="count" title="products">${item.product_count}</span>` : nothing}`;
    return html`<li>${inner.length ? html`<details ?open=${item.parent_id === "0"}><summary>${line}</summary><ul>${inner.map(node)}</ul></details>` : html`<div class="leaf">${line}</div>`}</li>`;
  };
  return html`<ul class="tree" aria-label=${e.title}>${(below["0"] || []).map(node)}</ul>`;
}
