// One object: what it holds, what lies below it, and the form that changes it.

import { html, nothing } from "./vendor/lit-html.js";
import { may, mayChange } from "./privileges.js";
import { ask, Refused } from "./session.js";
import { bodyOf, children, collection, deref, humanize, isTranslated, labelOf, object, objectOf, resolve } from "./model.js";
import { hasParts, image, isEmpty, isPair, value } from "./format.js";
import { changes, fields, holds, keyOf, newForm, problem, send } from "./form.js";
import { confirmed } from "./dialog.js";
import { actionForms, loadActions } from "./actions.js";
import { languageLinks, languageQuery, loadLanguages } from "./languages.js";
import { loadStatuses } from "./statuses.js";
import { chosenLanguage, go, href, path } from "./address.js";
import { crumbs } from "./crumbs.js";
import { notice } from "./notice.js";

export async function loadObject(segments) {
  const own = segments.slice(0, -1);
  const e = resolve(own);
  const isNew = segments.at(-1) === "new";
  const [answer, allowed, statuses, languages, below] = await Promise.all([
    isNew ? { data: {} } : read(segments, own), loadAllowed(segments, own, isNew),
    loadStatuses(e), loadLanguages(own), isNew ? [] : loadChildren(e, segments),
  ]);
  if (isNew && !allowed.canCreate) throw new Refused(403);
  const state = {
    e, segments, own, isNew, statuses, languages, ...answer, schema: objectOf(own), form: null, problem: "",
    actions: allowed.canAct ? loadActions(e, segments) : [], canDelete: allowed.canDelete, children: below,
  };
  const operation = isNew ? collection(own).post : allowed.canUpdate && object(own).put;
  if (operation) state.form = formOf(state, bodyOf(operation));
  return state;
}

// read is the object with its ETag, nothing where objects are not read one by one.
async function read(segments, own) {
  if (!object(own).get) return { data: {} };
  const { data, etag } = await ask("GET", path(segments), { query: languageQuery(own) });
  return { data, etag };
}

// loadAllowed is what the user may do to the object, or whether it may be made.
async function loadAllowed(segments, own, isNew) {
  if (isNew) return { canCreate: await may("create", own) };
  const [canUpdate, canDelete, canAct] = await Promise.all(["update", "delete", "act"].map((what) => may(what, own)));
  if (!(canUpdate || canDelete || canAct) || !await mayChange(segments)) return {};
  return { canUpdate, canDelete, canAct };
}

// loadChildren are the entities below an object that the user may view there.
async function loadChildren(e, segments) {
  const listed = children(e).filter((c) => collection([...segments, c.name]).get);
  const views = await Promise.all(listed.map((c) => may("view", [...segments, c.name])));
  return listed.filter((_, i) => views[i]);
}

// formOf is the form of an object. The language of its texts is chosen above it.
function formOf({ own, data, isNew, statuses, languages }, body) {
  if (isTranslated(own)) body.order = body.order.filter((name) => name !== "lang_code");
  const code = chosenLanguage() || data.lang_code;
  const language = languages.length > 1 ? languages.find((l) => l.code === code)?.name : "";
  return newForm(body, data, { isNew, statuses, language });
}

export function objectPage(state, refresh) {
  const { e, data, segments, own } = state;
  const name = state.isNew ? `New in ${e.title.toLowerCase()}` : data[labelOf(e, state.schema)] || segments.at(-1);
  const reload = async () => {
    Object.assign(state, await read(segments, own));
    if (state.form) state.form.data = state.data;
  };
  return html`
    ${crumbs(own)}
    <header class="page">
      <div><p class="kind"><a href=${href(own)}>${e.title}</a>${state.isNew ? nothing : html` · ${segments.at(-1)}`}</p><h1 tabindex="-1">${name}</h1></div>
      ${state.canDelete ? html`<button class="danger" @click=${() => remove(state, name, refresh)}>Delete</button>` : nothing}
    </header>
    ${state.children.length ? html`<nav class="tabs" aria-label="Below this">${state.children.map((c) => html`<a href=${href([...segments, c.name])}>${c.title}</a>`)}</nav>` : nothing}
    ${languageLinks(state.languages, segments, null, data.lang_code)}
    ${problem(state)}
    ${pictures(data)}
    ${state.form ? form(state, refresh, reload) : nothing}
    ${actionForms(state, refresh, reload)}
    ${state.isNew ? nothing : facts(state)}`;
}

function pictures(data) {
  const pairs = [data.main_pair, ...Object.values(data.image_pairs || {})].filter(isPair);
  return pairs.length ? html`<div class="pictures">${pairs.map((p) => image(p, "large"))}</div>` : nothing;
}

const addresses = { b_: "Billing address", s_: "Shipping address" };

// facts are the fields that the form does not have, or has as JSON.
function facts({ data, form: f, schema, statuses }) {
  const names = (schema["x-order"] || Object.keys(data)).filter((name) => name in data && !/_raw$|^main_pair$|^image_pairs$/.test(name) &&
    (!f?.body.order.includes(name) || hasParts(data[name])));
  const filled = names.filter((name) => !isEmpty(data[name])).sort((a, b) => hasParts(data[a]) - hasParts(data[b]));
  const empty = names.filter((name) => isEmpty(data[name]));
  const group = (name) => addresses[name.slice(0, 2)] || (f ? "More about it" : "Fields");
  const groups = Object.groupBy(filled, group);
  const line = (name) => html`<div class=${hasParts(data[name]) ? "wide" : nothing}><dt>${humanize(name)}</dt><dd>${value(name, deref(schema.properties?.[name]), data[name], statuses)}</dd></div>`;
  return html`<div class="sections">${Object.entries(groups).map(([title, list]) => html`<section aria-label=${title}><h2>${title}</h2><dl class="facts">${list.map(line)}</dl></section>`)}
    ${empty.length ? html`<details class="more"><summary>${empty.length} empty</summary><p class="summary">${empty.map(humanize).join(", ")}</p></details>` : nothing}</div>`;
}

const primary = /^(status|price|list_price|amount|email|phone|message|parent_id|product_id|category_ids|position|name|firstname|lastname|user_type|type|value)$/;

function form(state, refresh, reload) {
  const { form: f, isNew, e } = state;
  const label = labelOf(e, state.schema);
  const first = f.body.order.filter((name) => f.body.required.includes(name) || name === label || primary.test(name));
  const main = first.length ? first : f.body.order.slice(0, 8);
  const rest = f.body.order.filter((name) => !main.includes(name));
  const submit = (event) => { event.preventDefault(); save(state, event.target, refresh, reload); };
  return html`<form class="object" id="change" novalidate .formState=${f} @submit=${submit}>
    ${fields(f, main)}
    ${rest.length ? html`<details class="more" ?open=${rest.length < 5 || rest.some((name) => f.errors[name])}><summary>${rest.length} more ${rest.length === 1 ? "field" : "fields"}</summary>${fields(f, rest)}</details>` : nothing}
    ${problem(f)}
    <div class="actions"><button class="primary" ?disabled=${f.isSending}>${isNew ? "Create" : "Save"}</button><a class="button" href=${href(state.own)}>Back</a></div>
  </form>`;
}

// save sends what the user changed.
async function save(state, element, refresh, reload) {
  const { form: f, own, segments, isNew } = state;
  const body = changes(f, element);
  if (!Object.keys(body).length) {
    if (!isNew) return notice("Nothing was changed.");
    f.problem = "Fill in the fields of the new object.";
    return refresh();
  }
  await send(f, element, refresh, async () => {
    if (!isNew) {
      await put(state, body);
      await reload();
      return notice("Saved.");
    }
    const { data } = await ask("POST", path(own), { query: languageQuery(own), body, headers: { "Idempotency-Key": keyOf(f, body) } });
    f.isDone = true;
    notice("Created.");
    go(href(object(own).get ? [...own, String(data[state.e.idField])] : own));
  });
}

const ifUnchanged = ({ etag }) => (etag ? { "If-Match": etag } : {});

// put sends changes. A 412 does not count where the object is as they want it: they were
// made, and the answer was lost.
async function put(state, body) {
  const { segments, own } = state;
  try {
    await ask("PUT", path(segments), { query: languageQuery(own), body, headers: ifUnchanged(state) });
  } catch (e) {
    if (e.status !== 412 || !holds((await read(segments, own)).data, body)) throw e;
  }
}

// remove deletes the object, once the user was asked.
async function remove(state, name, refresh) {
  const { segments, own } = state;
  if (!await confirmed({ title: `Delete “${name}”?`, words: "This cannot be undone.", keep: "Keep it", lose: "Delete" })) return;
  try {
    await ask("DELETE", path(segments), { query: languageQuery(own), headers: ifUnchanged(state) });
  } catch (e) {
    if (e.status !== 404) { // else it is gone already
      state.problem = e.message;
      return refresh();
    }
  }
  for (const f of [state.form, ...state.actions.map((action) => action.form)]) if (f) f.isDone = true;
  notice("Deleted.");
  go(href(own));
}
