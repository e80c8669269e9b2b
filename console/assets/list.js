// A list: filters, order, pages and a table; a tree where objects lie below each other.

import { html, nothing } from "./vendor/lit-html.js";
import { ask, may } from "./session.js";
import { collection, deref, humanize, itemOf, labelOf, parametersOf, resolve, typesOf } from "./model.js";
import { isPair, numeric, value } from "./format.js";

const size = 20;

export async function loadList(segments, query) {
  const e = resolve(segments);
  const schema = itemOf(segments);
  const parameters = parametersOf(segments);
  const missing = parameters.filter((p) => p.required && !query.get(p.name));
  const asTree = isTree(schema) && !parameters.some((p) => query.get(p.name));
  const state = { e, segments, query, schema, parameters, missing, asTree, items: [], total: 0 };
  state.canCreate = collection(segments).post && await manages(e, segments);
  if (missing.length) return state;
  const sent = new URLSearchParams(query);
  if (asTree) sent.set("items_per_page", "1000");
  else if (!sent.get("items_per_page")) sent.set("items_per_page", String(size));
  if (!sent.get("page")) sent.set("page", "1");
  const { data, total } = await ask("GET", "/" + segments.map(encodeURIComponent).join("/"), { query: sent });
  state.page = Number(sent.get("page"));
  if (data?.params) {
    const key = Object.keys(data).find((k) => k !== "params");
    state.items = Object.values(data[key] || {});
    state.total = Number(data.params.total_items);
    state.size = Number(data.params.items_per_page);
    state.sortBy = data.params.sort_by;
    state.sortOrder = data.params.sort_order;
  } else {
    state.items = Array.isArray(data) ? data : Object.values(data || {});
    state.total = Number(total ?? state.items.length);
    state.size = Number(sent.get("items_per_page"));
    state.sortBy = query.get("sort_by") || e.sorts?.[0];
    state.sortOrder = query.get("sort_order") || (e.descending ? "desc" : "asc");
  }
  return state;
}

// manages reports whether the user may change what lies at an address. Of what exists
// below another entity alone only the attempt tells.
export const manages = (e) => (e.under ? true : may("manage", e));

const isTree = (schema) => Boolean(schema.properties?.parent_id && schema.properties?.id_path);

export function href(segments, query) {
  const q = query ? String(query) : "";
  return "#/" + segments.map(encodeURIComponent).join("/") + (q ? "?" + q : "");
}

function changed(query, changes) {
  const q = new URLSearchParams(query);
  for (const [name, v] of Object.entries(changes)) v === "" || v === null ? q.delete(name) : q.set(name, v);
  return q;
}

// columns are the fields worth a column: the id, the name, and what lists can be
// filtered or sorted by, as far as there is room.
function columns({ e, schema, parameters, items }) {
  const order = schema["x-order"] || Object.keys(schema.properties || {});
  const label = labelOf(e, schema);
  const wanted = (name) => {
    if (name === e.idField || name === label) return 0;
    if (["main_pair", "status", "price", "total", "amount", "message", "timestamp", "email"].includes(name)) return 1;
    if (e.sorts?.includes(name)) return 2;
    if (parameters.some((p) => p.name === name)) return 3;
    return 9;
  };
  const short = (name) => {
    const p = deref(schema.properties[name]);
    if (name === "main_pair") return items.some((item) => isPair(item.main_pair));
    return typesOf(p).some((t) => ["string", "integer", "number", "boolean"].includes(t));
  };
  const skipped = /_raw$|^company_id$|^lang_code$|^localization$/;
  let chosen = order.filter((name) => short(name) && !skipped.test(name) && wanted(name) < 9);
  if (chosen.length < 5) chosen = order.filter((name) => short(name) && !skipped.test(name)).slice(0, 6);
  const best = [...chosen].sort((a, b) => wanted(a) - wanted(b)).slice(0, 7);
  return chosen.filter((name) => best.includes(name));
}

const sortKeyOf = (e, name, label) => e.sorts?.find((key) => key === name ||
  key === "id" && name === e.idField || key === "name" && name === label || key === "date" && name === "timestamp" || key === "code" && name === "product_code");

export function list(state, go) {
  const { e, segments } = state;
  return html`
    ${crumbs(segments)}
    <header class="page">
      <div><h1 tabindex="-1">${e.title}</h1><p class="summary">${e.summary}</p></div>
      ${state.canCreate ? html`<a class="button primary" href=${href([...segments, "new"])}>New</a>` : nothing}
    </header>
    ${filters(state, go)}
    ${state.missing.length ? html`<p class="empty">Choose ${state.missing.map((p) => humanize(p.name)).join(" and ")} to see the list.</p>`
      : state.items.length === 0 ? html`<p class="empty">Nothing here${[...state.query].length ? " that matches" : " yet"}.</p>`
      : state.asTree ? tree(state) : table(state)}
    ${state.asTree || state.missing.length ? nothing : pager(state)}`;
}

export function crumbs(segments) {
  if (segments.length < 3) return nothing;
  const links = [];
  for (let i = 0; i + 1 < segments.length; i += 2) {
    const e = resolve(segments.slice(0, i + 1));
    links.push(html`<li><a href=${href(segments.slice(0, i + 1))}>${e.title}</a></li><li><a href=${href(segments.slice(0, i + 2))}>${segments[i + 1]}</a></li>`);
  }
  return html`<nav aria-label="Where you are"><ol class="crumbs">${links}</ol></nav>`;
}

function filters(state, go) {
  const { e, segments, query, parameters } = state;
  if (!parameters.length && !(e.sorts?.length > 1)) return nothing;
  const submit = (event) => {
    event.preventDefault();
    const q = new URLSearchParams();
    for (const [name, v] of new FormData(event.target)) if (v !== "") q.set(name, v);
    go(href(segments, q));
  };
  const active = parameters.filter((p) => query.get(p.name)).length;
  return html`<details class="filters" ?open=${active > 0 || state.missing.length > 0}>
    <summary>Filter and sort${active ? html` <span class="count">${active}</span>` : nothing}</summary>
    <form @submit=${submit}>
      <div class="grid">
        ${parameters.map((p) => html`<label>${humanize(p.name)}${filterInput(p, query.get(p.name) || "")}</label>`)}
        ${e.sorts?.length > 1 ? html`
          <label>Sort by<select name="sort_by">${e.sorts.map((key) => option(key, humanize(key), key === (query.get("sort_by") || state.sortBy)))}</select></label>
          <label>Direction<select name="sort_order">
            ${["asc", "desc"].map((o) => option(o, o === "asc" ? "Ascending" : "Descending", o === (query.get("sort_order") || state.sortOrder)))}</select></label>` : nothing}
      </div>
      <div class="actions"><button class="primary">Apply</button><a class="button" href=${href(segments)}>Reset</a></div>
    </form></details>`;
}

const option = (v, text, selected) => html`<option value=${v} ?selected=${selected}>${text}</option>`;

function filterInput(p, current) {
  const codes = p.schema.format === "flag" ? ["Y", "N"] : p.schema.enum;
  if (codes) {
    return html`<select name=${p.name}><option value="">Any</option>${codes.map((c) => option(c, p.schema.format === "flag" ? (c === "Y" ? "Yes" : "No") : c, c === current))}</select>`;
  }
  return html`<input name=${p.name} .value=${current} inputmode=${p.schema.type === "integer" ? "numeric" : "text"} autocomplete="off" ?required=${p.required}>`;
}

function table(state) {
  const { e, segments, schema, query } = state;
  const names = columns(state);
  const label = labelOf(e, schema);
  const open = (item) => href([...segments, item[e.idField]]);
  const cell = (item, name) => {
    const p = deref(schema.properties[name]);
    const shown = value(name, p, item[name]);
    const linked = name === label || name === e.idField && !names.includes(label);
    return linked ? html`<td class="label"><a href=${open(item)}>${item[name] === "" ? "(no name)" : shown}</a></td>`
      : html`<td class=${numeric(p) ? "figure" : nothing} data-name=${humanize(name)}>${shown}</td>`;
  };
  const head = (name) => {
    const p = deref(schema.properties[name]);
    const key = sortKeyOf(e, name, label);
    const by = key && key === state.sortBy;
    const next = by && state.sortOrder === "asc" ? "desc" : "asc";
    return html`<th scope="col" class=${numeric(p) ? "figure" : nothing} aria-sort=${by ? (state.sortOrder === "asc" ? "ascending" : "descending") : nothing}>
      ${key ? html`<a href=${href(segments, changed(query, { sort_by: key, sort_order: next, page: "" }))}>${humanize(name)}${by ? html`<span aria-hidden="true">${state.sortOrder === "asc" ? " ↑" : " ↓"}</span>` : nothing}</a>` : humanize(name)}</th>`;
  };
  return html`<div class="scroll" role="region" aria-label=${e.title} tabindex="0"><table>
    <thead><tr>${names.map(head)}</tr></thead>
    <tbody>${state.items.map((item) => html`<tr>${names.map((name) => cell(item, name))}</tr>`)}</tbody></table></div>`;
}

function pager(state) {
  const pages = Math.max(1, Math.ceil(state.total / state.size));
  const to = (page) => href(state.segments, changed(state.query, { page: String(page) }));
  const first = (state.page - 1) * state.size + 1;
  if (!state.items.length && state.page === 1) return nothing;
  return html`<nav class="pager" aria-label="Pages">
    <span>${state.items.length ? `${first}–${first + state.items.length - 1} of ${state.total}` : `None on this page; ${state.total} in all`}</span>
    ${state.page > 1 ? html`<a class="button" rel="prev" href=${to(Math.min(state.page - 1, pages))}>Previous</a>` : nothing}
    ${state.page < pages ? html`<a class="button" rel="next" href=${to(state.page + 1)}>Next</a>` : nothing}</nav>`;
}

function tree({ e, segments, items, schema }) {
  const label = labelOf(e, schema);
  const ids = new Set(items.map((item) => item[e.idField]));
  const below = Map.groupBy ? Map.groupBy(items, (item) => (ids.has(item.parent_id) ? item.parent_id : "0")) : group(items, ids);
  const node = (item) => {
    const inner = below.get(item[e.idField]) || [];
    const line = html`<a href=${href([...segments, item[e.idField]])}>${item[label] || item[e.idField]}</a>
      ${item.status && item.status !== "A" ? value("status", null, item.status) : nothing}
      ${item.product_count > 0 ? html`<span class="count" title="products">${item.product_count}</span>` : nothing}`;
    return html`<li>${inner.length ? html`<details ?open=${item.parent_id === "0"}><summary>${line}</summary><ul>${inner.map(node)}</ul></details>` : html`<div class="leaf">${line}</div>`}</li>`;
  };
  return html`<ul class="tree" aria-label=${e.title}>${(below.get("0") || []).map(node)}</ul>`;
}

function group(items, ids) {
  const groups = new Map();
  for (const item of items) {
    const key = ids.has(item.parent_id) ? item.parent_id : "0";
    groups.set(key, [...(groups.get(key) || []), item]);
  }
  return groups;
}
