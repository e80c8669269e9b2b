// A list as a table, of which each column that can be sorted by has a link.

import { html, nothing } from "./vendor/lit-html.js";
import { deref, humanize, labelOf, typesOf } from "./model.js";
import { isNumeric, isPair, value } from "./format.js";
import { href } from "./address.js";
import { nameOf } from "./names.js";
import { tick, tickAll } from "./bulk.js";
import { columnsFor } from "./views.js";
import { placeOf } from "./reviewed.js";
import "./quickedit.js";
import { t } from "./words.js";

const most = 7; // columns

// quick are the columns that are changed in the list.
const quick = { products: ["price", "amount"], product_variations: ["price", "amount"], combinations: ["amount"], categories: ["position"] };

// columnNames are the fields that a table can show.
export function columnNames({ schema, items }) {
  const fits = (name) => (name === "main_pair" ? items.some((item) => isPair(item.main_pair))
    : typesOf(deref(schema.properties[name])).some((t) => ["string", "integer", "number", "boolean"].includes(t)));
  return (schema["x-order"] || Object.keys(schema.properties || {}))
    .filter((name) => fits(name) && !/_raw$|^company_id$|^lang_code$|^localization$/.test(name));
}

// columns are the fields worth one: the picture, the id, the name, and what lists can be
// filtered or sorted by, as far as there is room.
export function columns({ e, schema, parameters, items }) {
  const label = labelOf(e, schema);
  const rank = (name) => {
    if (name === e.idField || name === label) return 0;
    if (["main_pair", "status", "price", "total", "amount", "message", "timestamp", "email"].includes(name)) return 1;
    if (["firstname", "lastname"].includes(name)) return 2;
    if (/_ids?$/.test(name) || name === "updated_at") return 5;
    if (e.sorts?.includes(name)) return 2;
    return parameters.some((p) => p.name === name) ? 3 : 9;
  };
  const names = columnNames({ schema, items });
  const chosen = columnsFor(e.name);
  if (chosen) return [...new Set([label, ...chosen])].filter((name) => names.includes(name));
  if (e.columns) return (e.columns.includes(label) ? e.columns : [label, ...e.columns]).filter((name) => names.includes(name));
  const known = names.filter((name) => rank(name) < 9);
  const best = known.length < 5 ? names.slice(0, 6) : [...known].sort((a, b) => rank(a) - rank(b)).slice(0, most);
  return names.filter((name) => best.includes(name)).sort((a, b) => (b === "main_pair") - (a === "main_pair"));
}

const sortKeyOf = (e, name, label) => e.sorts?.find((key) => key === name ||
  key === "id" && name === e.idField || key === "name" && name === label || key === "date" && name === "timestamp" || key === "code" && name === "product_code");

export function table(state, refresh) {
  const { e, segments, schema } = state;
  const label = labelOf(e, schema);
  const columnsOf = columns(state).map((name) => ({ name, schema: deref(schema.properties[name]), title: name === "main_pair" ? t("Image") : name === e.idField ? "ID" : humanize(name) }));
  const isLink = ({ name }) => name === label || name === e.idField && !columnsOf.some((c) => c.name === label);
  const cell = (item, c) => {
    const shown = value(c.name, c.schema, item[c.name], state.statuses);
    if (state.canUpdate && quick[e.name]?.includes(c.name) && segments.length === 1) {
      return html`<td class="figure" data-name=${c.title}><quick-edit data-field=${c.name} .segments=${[...segments, String(item[e.idField])]} .field=${c.name} .label="${c.title}, ${item[label]}" .value=${item[c.name]}></quick-edit></td>`;
    }
    return isLink(c) ? html`<th scope="row" class="label"><a href=${href(placeOf(segments, item, item[e.idField]))}>${item[c.name] === "" ? t("(no name)") : ["orders", "settings"].includes(e.name) ? nameOf(e, item) : shown}</a></th>`
      : html`<td class=${c.name === "main_pair" ? "picture" : isNumeric(c.schema) ? "figure" : nothing} data-name=${c.title}>${shown}</td>`;
  };
  return html`<div class="scroll" role="region" aria-label=${e.title} tabindex="0"><table>
    <thead><tr>${tickAll(state, refresh)}${columnsOf.map((c) => heading(state, c, sortKeyOf(e, c.name, label)))}</tr></thead>
    <tbody>${state.items.map((item) => html`<tr>${tick(state, item, refresh)}${columnsOf.map((c) => cell(item, c))}</tr>`)}</tbody></table></div>`;
}

function heading({ segments, query, sortBy, sortOrder }, { name, schema, title }, key) {
  const isSorted = Boolean(key) && key === sortBy;
  const isUp = isSorted && sortOrder === "asc";
  const q = new URLSearchParams(query);
  q.delete("page");
  if (key) q.set("sort_by", key);
  q.set("sort_order", isUp ? "desc" : "asc");
  return html`<th scope="col" class=${isNumeric(schema) ? "figure" : name === "main_pair" ? "picture" : nothing} aria-sort=${isSorted ? (isUp ? "ascending" : "descending") : nothing}>
    ${key ? html`<a href=${href(segments, q)}>${title}${isSorted ? html`<span aria-hidden="true">${isUp ? " ↑" : " ↓"}</span>` : nothing}</a>` : title}</th>`;
}
