// How values are shown.

import { html } from "./vendor/lit-html.js";

const dates = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

// What the codes of a status mean in most entities.
export const words = { A: "Active", D: "Disabled", H: "Hidden" };

export function value(name, schema, v) {
  if (v === null || v === undefined || v === "") return html`<span class="none" aria-label="none">—</span>`;
  if (schema?.format === "unix-time") return time(v);
  if (isPair(v)) return image(v);
  if (name === "status" && typeof v === "string") return chip(v);
  if (schema?.enum?.includes("Y") || typeof v === "boolean") {
    const yes = v === "Y" || v === true;
    return html`<span class=${yes ? "flag yes" : "flag"}>${yes ? "Yes" : "No"}</span>`;
  }
  if (typeof v === "object") {
    const count = Array.isArray(v) ? v.length : Object.keys(v).length;
    if (count === 0) return html`<span class="none" aria-label="none">—</span>`;
    if (Array.isArray(v) && v.every((x) => typeof x !== "object")) return v.join(", ");
    return html`<details class="document"><summary>${count} ${count === 1 ? "entry" : "entries"}</summary><pre>${JSON.stringify(v, null, 2)}</pre></details>`;
  }
  const text = String(v);
  return text.length > 160 ? text.slice(0, 157) + "…" : text;
}

export function chip(code) {
  const kind = { A: "good", P: "good", C: "good", completed: "good", D: "bad", H: "quiet", new: "new", O: "new" }[code] || "quiet";
  return html`<span class="chip ${kind}">${words[code] || code.replaceAll("_", " ")}</span>`;
}

export function time(seconds) {
  const n = Number(seconds);
  if (!n) return html`<span class="none" aria-label="none">—</span>`;
  const at = new Date(n * 1000);
  return html`<time datetime=${at.toISOString()}>${dates.format(at)}</time>`;
}

// numeric reports whether a column of such values is one of figures.
export const numeric = (schema) => schema?.format !== "unix-time" && (schema?.pattern || ["integer", "number"].some((t) => [schema?.type].flat().includes(t)));

// Image pairs, as products and categories have them.
export const isPair = (v) => v && typeof v === "object" && !Array.isArray(v) && Boolean(source(v));

function source(pair) {
  const side = pair.icon?.image_path ? pair.icon : pair.detailed;
  const path = side?.image_path || side?.http_image_path;
  return typeof path === "string" && /^(https?:\/\/|\/(?!\/))/i.test(path) ? path : "";
}

export function image(pair, size = "") {
  const side = pair.icon?.image_path ? pair.icon : pair.detailed;
  return html`<img class="thumb ${size}" src=${source(pair)} alt=${side?.alt || "Image"} loading="lazy" referrerpolicy="no-referrer">`;
}
