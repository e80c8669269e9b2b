// A list: filters, order, pages, and the objects as a table or a tree.

import { html, nothing } from "./vendor/lit-html.js";
import { may, ownFilter } from "./privileges.js";
import { ask } from "./session.js";
import { humanize, itemOf, parametersOf, resolve } from "./model.js";
import { languageLinks, languageQuery, loadLanguages } from "./languages.js";
import { loadStatuses } from "./statuses.js";
import { go, href, path } from "./address.js";
import { crumbs } from "./crumbs.js";
import { columnNames, columns, table } from "./table.js";
import { isTree, tree } from "./tree.js";
import { remember } from "./origin.js";
import { found, recentDays } from "./recent.js";
import { searchFilter } from "./search.js";
import { bulkBar } from "./bulk.js";
import { columnChooser, viewLinks } from "./views.js";
import { exportButton } from "./export.js";
import { codeNames } from "./codes.js";
import { t } from "./words.js";
import { settled } from "./settled.js";

const size = 20;

export async function loadList(segments, given) {
  const e = resolve(segments);
  const query = new URLSearchParams({ ...(segments.length === 1 && await ownFilter(e.name)), ...Object.fromEntries(given) });
  const schema = itemOf(segments);
  const parameters = parametersOf(segments);
  const missing = parameters.filter((p) => p.required && !query.get(p.name));
  const asTree = isTree(schema) && !parameters.some((p) => query.get(p.name));
  const sent = new URLSearchParams([...query, ...languageQuery(segments)]);
  if (asTree) sent.set("items_per_page", "1000");
  else if (!sent.get("items_per_page")) sent.set("items_per_page", String(size));
  if (!sent.get("page")) sent.set("page", "1");
  const [canCreate, canUpdate, canDelete, languages, statuses, answer] = await settled([
    may("create", segments), may("update", segments), may("delete", segments), loadLanguages(segments), loadStatuses(e),
    missing.length ? {} : found(e, path(segments), sent).catch((problem) => wrongFilter(problem, parameters, query)),
  ]);
  const state = { e, segments, query, schema, parameters, missing, asTree, languages, statuses, canCreate, canUpdate, canDelete, ticked: new Set(), isRecent: answer.isRecent, problem: answer.problem || "", ...itemsOf(e, sent, answer) };
  if (asTree) await readRest(state, sent);
  remember(segments, query, state.items.map((item) => item[e.idField]));
  return state;
}

// wrongFilter is the answer to a list whose filters the API refuses: the page shows them, to be
// mended.
function wrongFilter(e, parameters, query) {
  if (![400, 404].includes(e.status) || !parameters.some((p) => query.get(p.name))) throw e;
  return { problem: e.message };
}

// readRest reads the further pages of a tree, which is shown as a whole.
async function readRest(state, sent) {
  for (let page = 2; state.items.length < state.total; page++) {
    sent.set("page", String(page));
    const more = itemsOf(state.e, sent, await ask("GET", path(state.segments), { query: sent })).items;
    if (!more.length) return;
    state.items.push(...more);
  }
}

// itemsOf are the objects of an answer, and which they are of how many.
function itemsOf(e, sent, { data, total }) {
  const page = Number(sent.get("page"));
  const { params, ...rest } = data && !Array.isArray(data) ? data : {};
  if (params) {
    const items = Object.values(Object.values(rest)[0] || {});
    return { page, items, total: Number(params.total_items), size: Number(params.items_per_page), sortBy: params.sort_by, sortOrder: params.sort_order };
  }
  const items = Object.values(data || {});
  return {
    page, items, total: Number(total ?? items.length), size: Number(sent.get("items_per_page")),
    sortBy: sent.get("sort_by") || e.sorts?.[0], sortOrder: sent.get("sort_order") || (e.descending ? "desc" : "asc"),
  };
}

export function list(state, refresh) {
  const { e, segments, missing, items } = state;
  const reload = async () => Object.assign(state, await loadList(segments, state.query));
  return html`
    ${crumbs(segments)}
    <header class="page">
      <div><h1 tabindex="-1">${e.title}</h1><p class="summary">${e.summary}</p></div>
      ${state.canCreate ? html`<a class="button primary" data-key="n" href=${href([...segments, "new"])}>${t("New")}</a>` : nothing}
    </header>
    ${quickSearch(state)}
    ${languageLinks(state.languages, segments, state.query, items[0]?.lang_code)}
    <div class="list-tools">${filters(state)}${state.asTree || missing.length ? nothing : columnTool(state, refresh)}${exportButton(state)}</div>
    ${viewLinks(state, refresh)}
    ${bulkBar(state, refresh, reload)}
    ${missing.length ? html`<p class="empty">${t("Fill in these filters to see the list: {filters}.", { filters: missing.map((p) => humanize(p.name)).join(", ") })}</p>`
      : state.problem ? html`<p class="problem" role="alert">${state.problem}</p>`
      : items.length === 0 ? emptyList(state)
      : state.asTree ? tree(state) : table(state, refresh)}
    ${state.asTree || missing.length || state.problem ? nothing : pager(state, refresh)}`;
}

// emptyList says what to do next.
function emptyList({ e, segments, query, canCreate }) {
  if ([...query].length) return html`<p class="empty">${t("Nothing here matches.")} <a href=${href(segments)}>${t("Show all")}</a></p>`;
  return html`<p class="empty">${t("Nothing here yet.")} ${canCreate ? html`<a href=${href([...segments, "new"])}>${t("Add the first {entity}", { entity: e.one })}</a>` : nothing}</p>`;
}

function columnTool(state, refresh) {
  const all = columnNames(state);
  return all.length > 3 ? columnChooser(state, all, columns(state), refresh) : nothing;
}

// quickSearch is one field that finds what staff looks for by name, number or address.
function quickSearch({ e, segments, query, parameters }) {
  const filterOf = searchFilter(e, segments, parameters);
  if (!filterOf) return nothing;
  const submit = (event) => {
    event.preventDefault();
    const text = event.target.elements.find.value.trim();
    go(href(segments, new URLSearchParams(text ? filterOf(text) : {})));
  };
  const now = ["q", "order_id", "cname", "email", "phone", "name"].map((name) => query.get(name)).find(Boolean) || "";
  return html`<form class="quick inline" role="search" @submit=${submit}><label class="unseen" for="find">${t("Find in {entity}", { entity: e.title })}</label>
    <input id="find" name="find" type="search" .value=${now} placeholder=${e.name === "orders" ? t("Number, name, e-mail address or phone") : t("Find by name")} autocomplete="off"><button>${t("Find")}</button></form>`;
}

function filters({ e, segments, query, parameters, missing, sortBy, sortOrder, statuses }) {
  const canSort = e.sorts?.length > 1;
  if (!parameters.length && !canSort) return nothing;
  const submit = (event) => {
    event.preventDefault();
    const form = new FormData(event.target);
    const filled = [...new Set(form.keys())].map((name) => [name, form.getAll(name).join(",")]).filter(([, v]) => v !== "");
    go(href(segments, new URLSearchParams(filled)));
  };
  const active = parameters.filter((p) => query.get(p.name)).length;
  return html`<details class="filters" ?open=${active > 0 || missing.length > 0}>
    <summary>${canSort ? t("Filter and sort") : t("Filter")}${active ? html` <span class="count">${active}</span>` : nothing}</summary>
    <form @submit=${submit}>
      <div class="grid">
        ${parameters.map((p) => filterField(p, query.get(p.name) || "", p.name === "status" && e.name !== "statuses" ? statuses : {}))}
        ${canSort ? html`
          <label>${t("Sort by")}<select name="sort_by">${e.sorts.map((key) => option(key, humanize(key), key === sortBy))}</select></label>
          <label>${t("Direction")}<select name="sort_order">${option("asc", t("Ascending"), sortOrder === "asc")}${option("desc", t("Descending"), sortOrder === "desc")}</select></label>` : nothing}
      </div>
      <div class="actions"><button class="primary">${t("Apply")}</button><a class="button" href=${href(segments)}>${t("Reset")}</a></div>
    </form></details>`;
}

const option = (v, words, selected) => html`<option value=${v} ?selected=${selected}>${words}</option>`;

// filterField is the input of a filter: a box for each code where several codes may be chosen.
function filterField(p, current, statuses) {
  const codes = p.schema.type === "array" ? p.schema.items?.enum || Object.keys(statuses) : [];
  if (!codes.length) return html`<label title=${p.description || nothing}>${humanize(p.name)}${filterInput(p, current)}</label>`;
  const chosen = current.split(",").map((code) => code.trim()).filter(Boolean);
  const all = [...codes, ...chosen.filter((code) => !codes.includes(code))];
  const words = (code) => statuses[code] || t(codeNames[p.name]?.[code] || code);
  return html`<fieldset class="codes" title=${p.description || nothing}><legend>${humanize(p.name)}</legend><div>
    ${all.map((code) => html`<label class="check"><input type="checkbox" name=${p.name} value=${code} .checked=${chosen.includes(code)}> ${words(code)}</label>`)}</div></fieldset>`;
}

function filterInput(p, current) {
  const isFlag = p.schema.format === "flag";
  const codes = isFlag ? ["Y", "N"] : p.schema.enum;
  if (codes) {
    const words = isFlag ? { Y: t("Yes"), N: t("No") } : {};
    return html`<select name=${p.name}><option value="">${t("Any")}</option>${codes.map((c) => option(c, words[c] || c, c === current))}</select>`;
  }
  return html`<input name=${p.name} .value=${current} inputmode=${p.schema.type === "integer" ? "numeric" : "text"} autocomplete="off" ?required=${p.required}>`;
}

function pager(state, refresh) {
  const { segments, query, items, page, size, total } = state;
  if (!items.length && page === 1) return nothing;
  const pages = Math.max(1, Math.ceil(total / size));
  const to = (n) => href(segments, new URLSearchParams([...[...query].filter(([name]) => name !== "page"), ["page", n]]));
  const first = (page - 1) * size + 1;
  return html`<nav class="pager" aria-label=${t("Pages of the list")}>
    <span>${items.length ? t("{first}–{last} of {total}", { first, last: first + items.length - 1, total }) : t("None on this page; {total} in all", { total })}${state.isRecent ? html` ${t("in the last {n} days", { n: recentDays })}` : nothing}</span>
    ${state.isRecent ? html`<button class="reads" @click=${() => findAll(state, refresh)}>${t("Find all")}</button>` : nothing}
    ${page > 1 ? html`<a class="button" rel="prev" href=${to(Math.min(page - 1, pages))}>${t("Previous")}</a>` : nothing}
    ${page < pages ? html`<a class="button" rel="next" href=${to(page + 1)}>${t("Next")}</a>` : nothing}</nav>`;
}

// findAll counts all that a search finds, where the page shows the number of the last days.
async function findAll(state, refresh) {
  const { e, segments, query, page, size } = state;
  const sent = new URLSearchParams({ ...Object.fromEntries(query), page: String(page), items_per_page: String(size) });
  Object.assign(state, itemsOf(e, sent, await ask("GET", path(segments), { query: sent })), { isRecent: false });
  refresh();
}
