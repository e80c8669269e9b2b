// A form made from the description of a body: a control for each field, and what the API
// says of a field beside it.

import { html, nothing } from "./vendor/lit-html.js";
import { deref, humanize, typesOf } from "./model.js";
import { Refused } from "./session.js";

// newForm is a form for a body (model.bodyOf), with the values that there are. Ids begin
// with the prefix, which tells the forms of a page apart.
export const newForm = (body, data, { prefix = "field", isNew = false, statuses = {}, language = "" } = {}) =>
  ({ body, data, prefix, isNew, statuses, language, errors: {}, problem: "", isSending: false, isDone: false });

export const fields = (f, names) => html`<div class="fields">${names.map((name) => field(f, name))}</div>`;

// problem is what was wrong with all of the form.
export const problem = (f) => (f.problem ? html`<p class="problem" role="alert">${f.problem}</p>` : nothing);

function field(f, name) {
  const s = deref(f.body.properties[name]);
  const error = f.errors[name];
  const required = f.isNew && f.body.required.includes(name);
  const id = `${f.prefix}-${name}`;
  const hints = [s.description && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ");
  return html`<div class="field">
    <label for=${id}>${humanize(name)}${required ? html` <span class="mark">required</span>` : nothing}${s["x-translated"] && f.language ? html` <span class="mark">${f.language}</span>` : nothing}</label>
    ${control(f, name, s, { id, hints: hints || nothing, invalid: error ? "true" : nothing, required })}
    ${s.description ? html`<p class="hint" id="${id}-hint">${s.description}</p>` : nothing}
    ${error ? html`<p class="error" id="${id}-error">${error}</p>` : nothing}</div>`;
}

function control(f, name, s, { id, hints, invalid, required }) {
  const now = shown(f, name);
  const choices = choicesOf(f, name, s);
  if (choices) {
    return html`<select id=${id} name=${name} aria-invalid=${invalid} aria-describedby=${hints}>
      ${now in choices ? nothing : html`<option value=${now}>${now || "Default"}</option>`}
      ${Object.entries(choices).map(([code, words]) => html`<option value=${code} ?selected=${code === now}>${words}</option>`)}</select>`;
  }
  if (isTime(name)) {
    return html`<input id=${id} name=${name} type="datetime-local" step="1" aria-invalid=${invalid} aria-describedby=${hints} .value=${now}>`;
  }
  const isDocument = !s.type || typesOf(s).includes("object") && !typesOf(s).includes("string");
  if (isDocument || s["x-max-bytes"] > 2000 || now.length > 100 || now.includes("\n")) {
    return html`<textarea id=${id} name=${name} rows=${now.length > 300 ? 8 : 3} class=${isDocument ? "code" : ""} aria-invalid=${invalid} aria-describedby=${hints} aria-required=${required} .value=${now} spellcheck=${isDocument ? "false" : "true"}></textarea>`;
  }
  const isSecret = /password|secret/.test(name);
  return html`<input id=${id} name=${name} type=${isSecret ? "password" : "text"} inputmode=${typesOf(s).includes("integer") ? "numeric" : "text"}
    autocomplete=${isSecret ? "new-password" : "off"} aria-invalid=${invalid} aria-describedby=${hints} aria-required=${required} .value=${now}>`;
}

// choicesOf are the words for each code that a field may have, null where it is free.
function choicesOf(f, name, s) {
  if (s.format === "flag") return { Y: "Yes", N: "No" };
  if (s.enum) return Object.fromEntries(s.enum.filter((code) => code !== null).map((code) => [code, name === "status" && f.statuses[code] || code]));
  return name === "status" && Object.keys(f.statuses).length ? f.statuses : null;
}

// text is a value as it is typed.
function text(v) {
  if (v === null || v === undefined) return "";
  if (typeof v !== "object") return String(v).replace(/\r\n?/g, "\n"); // as controls have lines
  if (!Object.keys(v).length) return "";
  return Array.isArray(v) && v.every((x) => typeof x !== "object") ? v.join(", ") : JSON.stringify(v, null, 2);
}

const isTime = (name) => /(^|_)timestamp$|^avail_since$/.test(name);

// local is a time in seconds as an input of the browser's time zone has it.
function local(seconds) {
  if (!Number(seconds)) return "";
  const at = new Date(seconds * 1000);
  return new Date(at - at.getTimezoneOffset() * 60000).toISOString().slice(0, 19);
}

// shown is the value of a field's control before the user types.
const shown = (f, name) => (isTime(name) ? local(f.data[name]) : text(f.data[name]));

// changes are the fields of the form's element that the user gave another value.
export function changes(f, element) {
  const body = {};
  for (const [name, typed] of new FormData(element)) {
    const before = text(f.data[name]);
    const now = !isTime(name) ? typed : typed ? String(new Date(typed) / 1000) : before && "0";
    if (now !== before) body[name] = given(deref(f.body.properties[name]), now);
  }
  return body;
}

// isChanged reports whether an element holds what was not sent. That of a form has it as
// its property formState.
export function isChanged(element) {
  const f = element.formState;
  return Boolean(f) && !f.isDone && Object.keys(changes(f, element)).length > 0;
}

// holds reports whether an object has the values of a body already.
export const holds = (data, body) => Object.entries(body).every(([name, v]) => {
  const [a, b] = [text(data[name]), text(v)];
  return a === b || a !== "" && b !== "" && Number(a) === Number(b);
});

// fill puts the values that there are now into the controls.
function fill(f, element) {
  for (const name of f.body.order) {
    const control = element.elements.namedItem(name);
    if (control) control.value = shown(f, name);
  }
}

// given is what was typed as it is sent: JSON where the field may hold such.
function given(s, typed) {
  const isList = typesOf(s).includes("array");
  if (s.type && !isList && !typesOf(s).includes("object")) return typed;
  const trimmed = typed.trim();
  if (/^[[{]/.test(trimmed)) {
    try {
      return JSON.parse(trimmed);
    } catch { /* the API says what is wrong with it */ }
  }
  return trimmed === "" && isList ? [] : typed;
}

// keyOf is the Idempotency-Key of a new object: the same for the same body, so that
// sending it once more after an answer was lost makes no second one.
export function keyOf(f, body) {
  const sent = JSON.stringify(body);
  if (f.sent !== sent) Object.assign(f, { sent, key: [...crypto.getRandomValues(new Uint32Array(4))].join("-") });
  return f.key;
}

// send runs what sends the form, and shows in it what the API refuses.
export async function send(f, element, refresh, request) {
  Object.assign(f, { isSending: true, errors: {}, problem: "" });
  refresh();
  try {
    await request();
    f.isSending = false;
    refresh();
    return f.isDone ? undefined : fill(f, element);
  } catch (e) {
    if (!(e instanceof Refused)) throw e;
    Object.assign(f, { isSending: false, errors: e.errors, problem: problemOf(f, e) });
  }
  refresh();
  (element.querySelector("[aria-invalid=true]") || element.querySelector(".problem"))?.scrollIntoView({ block: "nearest" });
  element.querySelector("[aria-invalid=true]")?.focus();
}

function problemOf(f, { status, message, errors, isPassing }) {
  const names = Object.keys(errors);
  if (isPassing) return `${message} What you typed is still here: try again.`;
  if (status === 412) return "Somebody changed this meanwhile. Load the page again, and then make your change.";
  if (!names.length || names.some((name) => !(name in f.body.properties))) return message;
  return names.length === 1 ? "One field is not right yet." : `${names.length} fields are not right yet.`;
}
