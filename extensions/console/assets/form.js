// A form made from the description of a body: a control for each field, and what the API
// says of a field beside it.

import { html, nothing } from "./vendor/lit-html.js";
import { codeNames } from "./codes.js";
import { countries } from "./countries.js";
import { deref, humanize, inEnglish, typesOf } from "./model.js";
import { isTime, shown } from "./typed.js";
import { targetOf } from "./relations.js";
import { noteOn, t, translatedName } from "./words.js";
import "./picker.js";
import "./richtext.js";

// newForm returns a form for a body (model.bodyOf) with the present values. Ids begin
// with the prefix, which differs between the forms of a page. Answered is the schema of objects.
export const newForm = (body, data, { prefix = "field", isNew = false, statuses = {}, language = "", answered = null } = {}) =>
  ({ body, data, prefix, isNew, statuses, language, answered, errors: {}, problem: "", isSending: false, isDone: false });

export const fields = (f, names) => html`<div class="fields">${names.map((name) => field(f, name))}</div>`;

// problem shows the problem of the whole form.
export const problem = (f) => (f.problem ? html`<p class="problem" role="alert">${f.problem}</p>` : nothing);

function field(f, name) {
  const s = deref(f.body.properties[name]);
  const error = f.errors[name];
  const required = f.isNew && f.body.required.includes(name);
  const id = `${f.prefix}-${name}`;
  const hint = hintOf(f, name, s);
  const hints = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ");
  return html`<div class="field">
    <label for=${id}>${titleOf(name, s)}${required ? html` <span class="mark">${t("required")}</span>` : nothing}${s["x-translated"] && f.language ? html` <span class="mark">${f.language}</span>` : nothing}</label>
    ${control(f, name, s, { id, hints: hints || nothing, invalid: error ? "true" : nothing, required })}
    ${hint ? html`<p class="hint" id="${id}-hint">${hint}</p>` : nothing}
    ${error ? html`<p class="error" id="${id}-error">${error}</p>` : nothing}</div>`;
}

// hintOf is what the document says of a field. What the label, or the words of a choice, say already
// is left out.
function hintOf(f, name, s) {
  const english = s.description || "";
  if (targetOf(name, s)) return ""; // it is about ids
  const isSaid = english.toLowerCase() === `${inEnglish(name).toLowerCase()}.` || name in codeNames || name === "status" && Object.keys(f.statuses).length;
  return isSaid ? "" : noteOn(name, english.replace(technical, "").trim()) || (isDocument(s) ? english : "");
}

// technical is what the document says for programs: the API says it too, to who goes beyond it.
const technical = /\s*\b(At most \d{2,} (bytes in UTF-8|characters)|From 0)\.(?=\s|$)/g;

// titleOf is the name of a field for people: that of the objects where it contains ids.
function titleOf(name, s) {
  const relation = targetOf(name, s);
  if (!relation) return humanize(name);
  return relation.isList ? relation.entity.title : translatedName(name) ?? humanize(name.replace(/_id$/, ""));
}

function control(f, name, s, { id, hints, invalid, required }) {
  const now = shown(f, name);
  const relation = targetOf(name, s);
  if (relation) {
    return html`<object-picker id=${id} name=${name} entity=${relation.entity.name} label=${titleOf(name, s)} ?multiple=${relation.isList} ?required=${required} ?invalid=${invalid === "true"} aria-describedby=${hints} .value=${now}></object-picker>`;
  }
  const choices = choicesOf(f, name, s);
  if (choices) {
    return html`<select id=${id} name=${name} aria-invalid=${invalid} aria-describedby=${hints} aria-required=${required}>
      ${now in choices ? nothing : html`<option value=${now}>${now || (f.prefix === "bulk" || required ? "—" : t("Default"))}</option>`}
      ${Object.entries(choices).map(([code, words]) => html`<option value=${code} ?selected=${code === now}>${words}</option>`)}</select>`;
  }
  if (isTime(s)) {
    return html`<input id=${id} name=${name} type="datetime-local" step="1" aria-invalid=${invalid} aria-describedby=${hints} aria-required=${required} .value=${now}>`;
  }
  const widget = s["x-widget"];
  if (s.contentMediaType === "text/html" || widget === "html") {
    return html`<rich-text label=${titleOf(name, s)} .stored=${now}><textarea id=${id} name=${name} rows="8" class="code" aria-invalid=${invalid} aria-describedby=${hints} aria-required=${required} .value=${now} spellcheck="false"></textarea></rich-text>`;
  }
  if (isDocument(s) || widget === "lines" || isLong(name, s) || now.length > 100 || now.includes("\n")) {
    return html`<textarea id=${id} name=${name} rows=${now.length > 300 ? 8 : 3} class=${isDocument(s) ? "code" : ""} aria-invalid=${invalid} aria-describedby=${hints} aria-required=${required} .value=${now} spellcheck=${isDocument(s) ? "false" : "true"}></textarea>`;
  }
  const isSecret = widget === "secret" || /password|secret/.test(name);
  return html`<input id=${id} name=${name} type=${isSecret ? "password" : "text"} inputmode=${typesOf(s).includes("integer") ? "numeric" : "text"}
    autocomplete=${isSecret ? "new-password" : "off"} aria-invalid=${invalid} aria-describedby=${hints} aria-required=${required} .value=${now}>`;
}

// isLong reports whether a text may have several lines. Texts of a host's own have no limit in bytes.
const isLong = (name, s) => (s["x-max-bytes"] ? s["x-max-bytes"] > 2000 && !/(^|_)url$/.test(name) : s.maxLength > 255);

// isDocument reports whether a field is typed as JSON.
const isDocument = (s) => s["x-widget"] === "json" || !s.type || typesOf(s).includes("object") && (!typesOf(s).includes("string") || s.maxLength === 0);

// mayBeNull reports whether objects may lack a value of a field, as they do of a host's own.
const mayBeNull = (f, name, s) => Boolean(s["x-in"]) || typesOf(deref(f.answered?.properties?.[name])).includes("null");

// choicesOf are the words for each code that a field may have, null where it is free.
function choicesOf(f, name, s) {
  if (s["x-widget"] === "country") return { "": t("none"), ...countries() };
  const cleared = mayBeNull(f, name, s) ? { "": t("none") } : {};
  if (s.format === "flag") return { ...cleared, Y: t("Yes"), N: t("No") };
  if (s.enum) return Object.fromEntries([...Object.entries(cleared), ...s.enum.filter((code) => code).map((code) => [code, name === "status" && f.statuses[code] || t(codeNames[name]?.[code] || code)])]);
  return name === "status" && Object.keys(f.statuses).length ? f.statuses : null;
}
