// A list as a tree, if objects name their parents.

import { html, nothing } from "./vendor/lit-html.js";
import { labelOf } from "./model.js";
import { chip } from "./format.js";
import { href } from "./address.js";
import { t } from "./words.js";

export const isTree = (schema) => Boolean(schema.properties?.parent_id && schema.properties?.id_path);

// toggle shows or hides what lies below an object.
function toggle({ currentTarget: button }) {
  const list = button.closest("li").querySelector("ul");
  list.hidden = !list.hidden;
  button.setAttribute("aria-expanded", !list.hidden);
}

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
      ${item.product_count > 0 ? html`<span class="count" title=${t("Products")}>${item.product_count}</span>` : nothing}`;
    const isOpen = item.parent_id === "0";
    return html`<li><div class="branch">${inner.length ? html`<button type="button" class="twist" aria-expanded=${isOpen} aria-label=${t("Below {name}", { name: item[label] })} @click=${toggle}></button>` : nothing}${line}</div>
      ${inner.length ? html`<ul ?hidden=${!isOpen}>${inner.map(node)}</ul>` : nothing}</li>`;
  };
  return html`<ul class="tree" aria-label=${e.title}>${(below["0"] || []).map(node)}</ul>`;
}
