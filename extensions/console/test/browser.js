// A browser as small as the tests of the console's logic need it. Import it before any of the
// console's scripts.

import { beforeEach } from "node:test";

class Storage {
  items = new Map();
  getItem(key) { return this.items.get(key) ?? null; }
  setItem(key, value) { this.items.set(key, String(value)); }
  removeItem(key) { this.items.delete(key); }
}

const define = (name, value) => Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });

const settings = { server: "/api/2.0", title: "A shop", imageOrigins: ["https://images.example.com"], languages: ["de"] };

define("location", { hash: "", href: "https://shop.example.com/docs/", origin: "https://shop.example.com" });
define("document", {
  querySelector: () => ({ content: JSON.stringify(settings) }),
  createTreeWalker: () => ({}), createComment: () => ({}), documentElement: {},
});
define("navigator", { language: "en" });
define("localStorage", new Storage());
define("sessionStorage", new Storage());
define("BroadcastChannel", class { addEventListener() {} postMessage() {} });
define("HTMLElement", class {});
define("customElements", { define() {} });
define("FormData", function FormData(entries) { return entries; }); // a form is its entries

// requests are the requests that were sent in a test.
export const requests = [];

let answers = [];

beforeEach(() => {
  requests.length = 0;
  answers = [];
});

define("fetch", async (address, { method = "GET", body, headers } = {}) => {
  const request = { method, address, body, headers };
  requests.push(request);
  const found = answers.find((a) => a.to === `${method} ${address}`);
  if (!found) return new Response(JSON.stringify({ message: `Not Found: ${method} ${address}` }), { status: 404 });
  if (found.error) throw found.error;
  const { status = 200, data, text = JSON.stringify(data ?? {}), pieces, with: more = {} } = typeof found.answer === "function" ? found.answer(request) : found.answer;
  const content = pieces ? streamOf(pieces) : text;
  return new Response(status === 204 ? null : content, { status, headers: more });
});

const streamOf = (pieces) => new ReadableStream({
  start(controller) {
    for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
    controller.close();
  },
});

// answer sets the answer to a request such as "GET /api/2.0/products": a status, 200 without
// one, with data, a text, pieces of a text that arrive one by one, or headers (with).
export function answer(to, given) {
  answers = [{ to, answer: given }, ...answers.filter((a) => a.to !== to)];
}

// disconnect makes a request fail without an answer.
export function disconnect(to) {
  answers = [{ to, error: new TypeError("network") }, ...answers.filter((a) => a.to !== to)];
}

// written returns a template with its values as text.
export function written(v) {
  if (Array.isArray(v)) return v.map(written).join("");
  if (typeof v === "function") return "";
  if (v?.strings) return v.strings.map((s, i) => s + (i < v.values.length ? written(v.values[i]) : "")).join("");
  return typeof v === "symbol" || v === undefined || v === null ? "" : String(v);
}

// words returns the text of a template without its elements.
export const words = (template) => written(template).replace(/<[^>]*>/g, " ").replace(/\s+/g, " ").trim();
