// One object: what it holds, what lies below it, and the form that changes it.

import { html, nothing } from "./vendor/lit-html.js";
import { ask, may, Refused } from "./session.js";
import { bodyOf, children, collection, deref, humanize, labelOf, object, objectOf, resolve, typesOf } from "./model.js";
import { image, isPair, value, words } from "./format.js";
import { crumbs, href, manages } from "./list.js";

const address = (segments) => "/" + segments.map(encodeURIComponent).join("/");

export async function loadObject(segments) {
  const own = segments.slice(0, -1);
  const e = resolve(own);
  const state = { e, segments, own, schema: objectOf(own), isNew: segments.at(-1) === "new", data: {}, errors: {}, children: [] };
  const item = object(own);
  if (!state.isNew && item.get) {
    const { data, etag } = await ask("GET", address(segments));
    Object.assign(state, { data, etag });
  }
  const operation = state.isNew ? collection(own).post : item.put;
  const manage = await manages(e, own);
  state.form = operation && manage ? bodyOf(operation) : null;
  state.canDelete = !state.isNew && item.delete && manage;
  state.actions = !state.isNew && manage ? e.actions : [];
  if (!state.isNew && segments.length <= 4) {
    for (const c of children(e)) if (c.operations.includes("list") && (c.under || await may("view", c))) state.children.push(c);
  }
  return state;
}

export function objectPage(state, go, refresh) {
  const { e, data, segments, own } = state;
  const name = state.isNew ? `New in ${e.title.toLowerCase()}` : data[labelOf(e, state.schema)] || segments.at(-1);
  return html`
    ${crumbs(own.length > 1 ? own : [])}
    <header class="page">
      <div><p class="kind"><a href=${href(own)}>${e.title}</a>${state.isNew ? nothing : html` · ${segments.at(-1)}`}</p><h1 tabindex="-1">${name}</h1></div>
      ${state.canDelete ? html`<button class="danger" @click=${() => askDelete(name)}>Delete</button>` : nothing}
    </header>
    ${state.children.length ? html`<nav class="tabs" aria-label="Below this">${state.children.map((c) => html`<a href=${href([...segments, c.name])}>${c.title}</a>`)}</nav>` : nothing}
    ${state.actions?.length ? html`<div class="actions">${state.actions.map((a) => html`<button @click=${() => act(state, a, refresh)}>${humanize(a)}</button>`)}</div>` : nothing}
    ${state.error ? html`<p class="problem" role="alert">${state.error}</p>` : nothing}
    ${pictures(data)}
    ${state.form ? form(state, go, refresh) : nothing}
    ${state.isNew ? nothing : facts(state)}
    ${state.canDelete ? question(state, name, go, refresh) : nothing}`;
}

function pictures(data) {
  const pairs = [data.main_pair, ...Object.values(data.image_pairs || {})].filter(isPair);
  return pairs.length ? html`<div class="pictures">${pairs.map((p) => image(p, "large"))}</div>` : nothing;
}

// facts are the fields that the form does not have.
function facts(state) {
  const names = (state.schema["x-order"] || Object.keys(state.data)).filter((n) => !(state.form && n in state.form.properties));
  const shown = names.filter((n) => !/_raw$/.test(n) && !(n in { main_pair: 1, image_pairs: 1 }) && n in state.data);
  if (!shown.length) return nothing;
  return html`<section aria-label="Facts"><h2>${state.form ? "Kept by the shop" : "Fields"}</h2><dl class="facts">
    ${shown.map((n) => html`<div><dt>${humanize(n)}</dt><dd>${value(n, deref(state.schema.properties?.[n]), state.data[n])}</dd></div>`)}</dl></section>`;
}

const primary = /^(status|price|list_price|amount|email|phone|message|parent_id|product_id|category_ids|position|name|firstname|lastname|user_type|type|value)$/;

function form(state, go, refresh) {
  const { form: f, isNew, e } = state;
  const names = [...new Set(f.order)];
  const label = labelOf(e, state.schema);
  const first = names.filter((n) => f.required.includes(n) || n === label || primary.test(n));
  const main = first.length ? first : names.slice(0, 8);
  const rest = names.filter((n) => !main.includes(n));
  const restAtFault = rest.some((n) => state.errors[n]);
  const submit = (event) => { event.preventDefault(); save(state, event.target, go, refresh); };
  return html`<form class="object" novalidate @submit=${submit}>
    <div class="fields">${main.map((n) => field(state, n))}</div>
    ${rest.length ? html`<details class="more" ?open=${restAtFault || rest.length < 5}><summary>${rest.length} more fields</summary><div class="fields">${rest.map((n) => field(state, n))}</div></details>` : nothing}
    <div class="actions"><button class="primary" ?disabled=${state.saving}>${isNew ? "Create" : "Save"}</button><a class="button" href=${href(state.own)}>Back</a></div>
  </form>`;
}

function field(state, name) {
  const s = deref(state.form.properties[name]);
  const error = state.errors[name];
  const required = state.isNew && state.form.required.includes(name);
  const id = `field-${name}`;
  const hints = [s.description && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ");
  return html`<div class=${error ? "field wrong" : "field"}>
    <label for=${id}>${humanize(name)}${required ? html` <span class="needed">required</span>` : nothing}</label>
    ${control(state, name, s, { id, hints, error, required })}
    ${s.description ? html`<p class="hint" id="${id}-hint">${s.description}</p>` : nothing}
    ${error ? html`<p class="error" id="${id}-error">${error}</p>` : nothing}</div>`;
}

function control(state, name, s, { id, hints, error, required }) {
  const now = text(state.data[name]);
  const invalid = error ? "true" : nothing;
  const described = hints || nothing;
  const codes = s.format === "flag" ? ["Y", "N"] : s.enum?.filter((v) => v !== null);
  if (codes) {
    const meant = s.format === "flag" ? { Y: "Yes", N: "No" } : name === "status" ? words : {};
    return html`<select id=${id} name=${name} aria-invalid=${invalid} aria-describedby=${described}>
      ${codes.includes(now) ? nothing : html`<option value=${now}>${now || "Default"}</option>`}
      ${codes.map((c) => html`<option value=${c} ?selected=${c === now}>${meant[c] || c}</option>`)}</select>`;
  }
  if (isTime(name)) {
    return html`<input id=${id} name=${name} type="datetime-local" step="1" aria-invalid=${invalid} aria-describedby=${described} .value=${local(now)}>`;
  }
  const long = s["x-max-bytes"] > 2000 || !s.type || now.length > 100;
  if (long) {
    return html`<textarea id=${id} name=${name} rows=${now.length > 300 ? 8 : 3} class=${s.type ? "" : "code"} aria-invalid=${invalid} aria-describedby=${described} aria-required=${required} .value=${now} spellcheck=${s.type ? "true" : "false"}></textarea>`;
  }
  const figures = typesOf(s).some((t) => t === "integer");
  const kind = /password|secret/.test(name) ? "password" : "text";
  return html`<input id=${id} name=${name} type=${kind} inputmode=${figures ? "numeric" : "text"} autocomplete=${kind === "password" ? "new-password" : "off"} aria-invalid=${invalid} aria-describedby=${described} aria-required=${required} .value=${now}>`;
}

const text = (v) => (v === null || v === undefined ? "" : typeof v === "object" ? (Object.keys(v).length ? (Array.isArray(v) && v.every((x) => typeof x !== "object") ? v.join(", ") : JSON.stringify(v, null, 2)) : "") : String(v));

const isTime = (name) => /(^|_)timestamp$|^avail_since$/.test(name);

// local is a time in seconds as an input of the browser's time zone has it.
function local(seconds) {
  if (!Number(seconds)) return "";
  const at = new Date(seconds * 1000);
  return new Date(at - at.getTimezoneOffset() * 60000).toISOString().slice(0, 19);
}

// given reads a control: documents are JSON where they look like it.
function given(s, v) {
  if (s.type && !typesOf(s).includes("array")) return v;
  const trimmed = v.trim();
  if (/^[[{]/.test(trimmed)) {
    try {
      return JSON.parse(trimmed);
    } catch { /* the API says what is wrong with it */ }
  }
  return trimmed === "" && typesOf(s).includes("array") ? [] : v;
}

function random() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, "0")).join("");
}

// save sends what the user changed, and shows what the API says of each field beside it.
async function save(state, element, go, refresh) {
  const body = {};
  for (const [name, typed] of new FormData(element)) {
    const v = isTime(name) ? (typed ? String(new Date(typed) / 1000) : text(state.data[name]) && "0") : typed;
    if (v !== text(state.data[name])) body[name] = given(deref(state.form.properties[name]), v);
  }
  const notice = (words) => { document.getElementById("status").textContent = words; };
  if (!Object.keys(body).length) {
    state.error = state.isNew ? "Fill in the fields of the new object." : "";
    if (!state.isNew) notice("Nothing was changed.");
    return refresh();
  }
  Object.assign(state, { saving: true, errors: {}, error: "" });
  state.key ||= random();
  refresh();
  try {
    if (state.isNew) {
      const { data } = await ask("POST", address(state.own), { body, headers: { "Idempotency-Key": state.key } });
      notice("Created.");
      const id = data[state.e.idField];
      return go(href(object(state.own).get ? [...state.own, String(id)] : state.own));
    }
    await ask("PUT", address(state.segments), { body, headers: state.etag ? { "If-Match": state.etag } : {} });
    Object.assign(state, await loadObject(state.segments), { saving: false });
    notice("Saved.");
  } catch (e) {
    if (!(e instanceof Refused)) throw e;
    const elsewhere = Object.keys(e.errors).filter((n) => !(n in state.form.properties));
    Object.assign(state, { saving: false, errors: e.errors, key: "" });
    state.error = e.status === 412 ? "Somebody changed this meanwhile. Load the page again, and then make your change."
      : Object.keys(e.errors).length ? (elsewhere.length ? e.message : `Please correct ${Object.keys(e.errors).length === 1 ? "the field" : "the fields"} below.`) : e.message;
  }
  refresh();
  element.querySelector("[aria-invalid=true]")?.focus();
}

async function act(state, action, refresh) {
  try {
    await ask("POST", `${address(state.segments)}/${action}`, { body: {} });
    Object.assign(state, await loadObject(state.segments), { error: "" });
    document.getElementById("status").textContent = "Done.";
  } catch (e) {
    state.error = e.message;
  }
  refresh();
}

const askDelete = () => document.getElementById("question").showModal();

function question(state, name, go, refresh) {
  const remove = async () => {
    const dialog = document.getElementById("question");
    try {
      await ask("DELETE", address(state.segments), { headers: state.etag ? { "If-Match": state.etag } : {} });
      dialog.close();
      document.getElementById("status").textContent = "Deleted.";
      go(href(state.own));
    } catch (e) {
      dialog.close();
      state.error = e.message;
      refresh();
    }
  };
  return html`<dialog id="question" aria-labelledby="question-title">
    <h2 id="question-title">Delete “${name}”?</h2><p>This cannot be undone.</p>
    <form method="dialog" class="actions"><button autofocus>Keep it</button><button type="button" class="danger" @click=${remove}>Delete</button></form></dialog>`;
}
