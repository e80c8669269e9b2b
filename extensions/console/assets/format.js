// How values are shown.

import { html } from "./vendor/lit-html.js";
import { href } from "./address.js";
import { entity, humanize, isImageAllowed } from "./model.js";
import { codeNames } from "./codes.js";
import { countryName } from "./countries.js";
import { money } from "./money.js";
import { language, t } from "./words.js";

const none = () => html`<span class="none"><span aria-hidden="true">—</span><span class="unseen">${t("none")}</span></span>`;

// isEmpty reports whether a value says nothing.
export const isEmpty = (v) => v === null || v === undefined || v === "" || typeof v === "object" && Object.keys(v).length === 0;

// value shows a field. Statuses are the names of codes.
export function value(name, schema, v, statuses = {}) {
  if (isEmpty(v)) return none();
  if (schema?.format === "unix-time" || schema?.["x-widget"] === "time") return time(v);
  if (schema?.["x-widget"] === "money") return money(v);
  if (schema?.["x-widget"] === "country") return countryName(v);
  if (entity(schema?.["x-relation"]) && (typeof v !== "object" || Array.isArray(v))) return links(schema["x-relation"], [v].flat().map(String));
  if (isPair(v)) return image(v);
  if (name === "status" && typeof v === "string") return chip(v, statuses);
  if (codeNames[name]?.[v]) return t(codeNames[name][v]);
  if (isFlag(schema) || typeof v === "boolean") {
    const yes = v === "Y" || v === true;
    return html`<span class=${yes ? "flag yes" : "flag"}>${yes ? t("Yes") : t("No")}</span>`;
  }
  return typeof v === "object" ? structure(v) : shortened(String(v));
}

const isFlag = (schema) => schema?.enum?.includes("Y") && schema.enum.every((code) => [..."YN", "", null].includes(code));

// links lead to the objects of an entity with the ids.
const links = (name, ids) => (ids.every((id) => id === "0") ? none() : ids.map((id, i) => html`${i ? ", " : ""}<a href=${href([name, id])}>${id}</a>`));

const shortened = (text) => (text.length > 160 ? text.slice(0, 157) + "…" : text);

export function chip(code, statuses = {}) {
  const kind = { A: "good", P: "good", C: "good", completed: "good", D: "bad", F: "bad", I: "bad", new: "new", O: "new" }[code] || "quiet";
  return html`<span class="chip ${kind}">${statuses[code] || code.replaceAll("_", " ")}</span>`;
}

export function time(seconds) {
  const n = Number(seconds);
  if (!n) return none();
  const at = new Date(n * 1000);
  if (isNaN(at)) return String(seconds); // no calendar goes so far
  const dates = new Intl.DateTimeFormat(language(), { dateStyle: "medium", timeStyle: "short" });
  return html`<time datetime=${at.toISOString()}>${dates.format(at)}</time>`;
}

const isObject = (v) => v !== null && typeof v === "object" && !Array.isArray(v);

// hasParts reports whether a value holds objects, which a form shows as JSON.
export const hasParts = (v) => !isEmpty(v) && typeof v === "object" && Object.values(v).some(isObject);

// structure shows the members of a list or an object, expanded if they are few.
function structure(v) {
  const parts = Object.values(v);
  if (Array.isArray(v) && parts.every((part) => typeof part !== "object")) return shortened(v.join(", "));
  const count = parts.length === 1 ? t("1 entry") : t("{n} entries", { n: parts.length });
  return html`<details class="document" ?open=${hasParts(v) && parts.length < 12}><summary>${count}</summary>${content(v, 0)}</details>`;
}

// content is a table of objects that a list, or ids, hold; else the members.
const content = (v, depth) => (Object.keys(v).every((key) => /^\d+$/.test(key)) && Object.values(v).every(isObject) ? rows(Object.values(v)) : members(v, depth));

const most = 7; // columns of a table of parts

function rows(parts) {
  const says = (name) => parts.some((part) => !isEmpty(part[name]) && typeof part[name] !== "object");
  const first = ["product", "name", "title", "product_code", "amount", "price", "subtotal"];
  const names = [...new Set([...first, ...parts.flatMap(Object.keys)])].filter(says).slice(0, most);
  return html`<div class="scroll" tabindex="0"><table><thead><tr>${names.map((n) => html`<th scope="col">${humanize(n)}</th>`)}</tr></thead>
    <tbody>${parts.map((part) => html`<tr>${names.map((n) => html`<td data-name=${humanize(n)}>${inner(n, part[n], deepest)}</td>`)}</tr>`)}</tbody></table></div>`;
}

const members = (v, depth) => html`<dl>${Object.entries(v).filter(([, part]) => !isEmpty(part)).map(([n, part]) =>
  html`<div><dt>${Array.isArray(v) ? Number(n) + 1 : humanize(n)}</dt><dd>${inner(n, part, depth + 1)}</dd></div>`)}</dl>`;

const deepest = 3; // what lies deeper is shown as JSON

function inner(name, v, depth) {
  if (isPair(v) || isEmpty(v) || typeof v === "boolean") return value(name, null, v);
  if (typeof v !== "object") return /(timestamp|_at)$/.test(name) ? time(v) : shortened(String(v));
  return depth < deepest ? content(v, depth) : html`<code>${shortened(JSON.stringify(v))}</code>`;
}

// isNumeric reports whether a column of such values is one of figures.
export const isNumeric = (schema) => schema?.format !== "unix-time" && (schema?.pattern || ["integer", "number"].some((t) => [schema?.type].flat().includes(t)));

// Image pairs, as products and categories have them.
export const isPair = (v) => isObject(v) && Boolean(source(v));

const side = (pair) => (pair.icon?.image_path ? pair.icon : pair.detailed);

// source is the address of an image. Paths without a slash name no place in the site.
function source(pair) {
  const path = side(pair)?.image_path || side(pair)?.http_image_path;
  return typeof path === "string" && /^(https?:\/\/|\/(?!\/))/i.test(path) ? path : "";
}

// image shows an image of an allowed origin, and a link to any other.
export function image(pair, size = "") {
  const address = source(pair);
  if (!isImageAllowed(address)) return html`<a class="thumb ${size}" href=${address} target="_blank" rel="noopener noreferrer">${side(pair)?.alt || t("Image")}</a>`;
  return html`<img class="thumb ${size}" src=${address} alt=${side(pair)?.alt || t("Image")} loading="lazy" referrerpolicy="no-referrer">`;
}
