// The entities, as the OpenAPI document describes them: a new one appears by itself.

import { ask, Refused, setServer } from "./session.js";
import { noteOn, t, translatedName } from "./words.js";

const settings = JSON.parse(document.querySelector("meta[name=settings]").content);
const imageOrigins = [location.origin, ...settings.imageOrigins || []];
setServer(settings.server, settings.signIn);

let spec = null;
const top = new Map();   // by name
const under = new Map(); // by parent/name
const paths = new Map(); // by the names of a path

// loadModel reads the document of what the user may do, or that of the whole API where it has
// no other, once for each user.
export async function loadModel() {
  if (spec) return;
  spec = await ask("GET", "/openapi", { cache: "no-cache" }).then(({ data }) => data, wholeDocument);
  for (const known of [top, under, paths]) known.clear();
  for (const [path, item] of Object.entries(spec.paths)) paths.set(path.replace(/\{[^}]*\}/g, "*"), item);
  for (const tag of spec.tags) {
    if (!tag["x-entity"]) continue; // an address that is not an entity's
    const e = { ...tag["x-entity"] };
    e.summary = noteOn(e.name, tag.description);
    [e.title, e.one] = (titles[e.name] || [humanize(e.name), humanize(singular(e.name)).toLowerCase()]).map((words) => t(words));
    if (e.under) under.set(`${e.under}/${e.name}`, e);
    else top.set(e.name, e);
  }
}

async function wholeDocument(e) {
  if (e.status !== 404) throw e;
  const response = await fetch("openapi.json", { credentials: "same-origin" }).catch(() => null);
  if (!response?.ok) throw new Refused(0, { message: t("The description of the API cannot be read.") });
  return response.json();
}

// forgetModel is for when somebody else may sign in.
export function forgetModel() {
  spec = null;
}

// isImageAllowed reports whether the pages may show an image of an address.
export function isImageAllowed(address) {
  try {
    return imageOrigins.includes(new URL(address, location.href).origin);
  } catch {
    return false;
  }
}

export const title = settings.title;
export const edition = () => spec.info["x-shop"]?.edition;
export const limits = () => spec.info["x-shop"]?.limits || {};
export const entities = () => [...top.values()];
export const entity = (name) => top.get(name);

// logNameOf is the name of an entity in the change log, "" where it is not there.
export const logNameOf = (name) => (top.get(name) || [...under.values()].find((e) => e.name === name))?.loggedAs || "";

// resolve finds what an address of the console names: products/12/options/3.
export function resolve(segments) {
  let found = null;
  for (let i = 0; i < segments.length; i += 2) {
    const parent = segments[i - 2];
    found = parent && under.get(`${parent}/${segments[i]}`) || top.get(segments[i]);
    if (!found) return null;
  }
  return found;
}

// titles are names for staff, of many and of one, of the entities of the library.
const titles = {
  orders: ["Orders", "order"], shipments: ["Shipments", "shipment"], call_requests: ["Callback requests", "callback request"], carts: ["Carts", "cart"],
  users: ["Users", "user"], usergroups: ["User groups", "user group"], discussions: ["Reviews", "review"],
  products: ["Products", "product"], categories: ["Categories", "category"], features: ["Features", "feature"], options: ["Options", "option"],
  combinations: ["Combinations", "combination"], exceptions: ["Exceptions", "exception"],
  product_variations: ["Variations", "variation"], product_variations_groups: ["Variation groups", "variation group"], master_products: ["Master products", "master product"],
  pages: ["Pages", "page"], blocks: ["Blocks", "block"], languages: ["Languages", "language"], langvars: ["Language texts", "language text"],
  stores: ["Stores", "store"], vendors: ["Vendors", "vendor"], payments: ["Payment methods", "payment method"], shippings: ["Shipping methods", "shipping method"],
  taxes: ["Taxes", "tax"], statuses: ["Statuses", "status"], settings: ["Settings", "setting"], webhooks: ["Webhooks", "webhook"], jobs: ["Jobs", "job"],
};

// areas are the entities in the order of a shop's work. A host's own entities come last.
const areas = [
  ["Sales", ["orders", "shipments", "call_requests", "carts"]],
  ["Customers", ["users", "usergroups", "discussions"]],
  ["Catalogue", ["products", "categories", "features", "options", "combinations", "exceptions", "product_variations", "product_variations_groups", "master_products"]],
  ["Content", ["pages", "blocks", "languages", "langvars"]],
  ["Set-up", ["stores", "vendors", "payments", "shippings", "taxes", "statuses", "settings", "webhooks", "jobs"]],
];

// groups are entities by the area of work that they belong to: [title, members].
export function groups(list) {
  const named = areas.map(([title, names]) => [title, names.map((name) => list.find((e) => e.name === name)).filter(Boolean)]);
  const others = list.filter((e) => !named.some(([, members]) => members.includes(e)));
  return [...named, ["More", others]].filter(([, members]) => members.length);
}

// children are the entities that lie below an object of e.
export function children(e) {
  if (e.under) return [];
  return [...top.values()].filter((c) => c.parents.includes(e.name))
    .concat([...under.values()].filter((c) => c.under === e.name));
}

const pattern = (segments) => "/" + segments.map((s, i) => (i % 2 ? "*" : s)).join("/");

// collection and object are what the document says of an address and of one below it.
export const collection = (segments) => paths.get(pattern(segments)) || {};
export const object = (segments) => paths.get(pattern(segments) + "/*") || {};

// isThere reports whether the document has an address that is no entity's.
export const isThere = (path) => paths.has(path);

export function deref(v) {
  while (v?.$ref) {
    const { $ref, ...rest } = v;
    const target = $ref.slice(2).split("/").reduce((at, name) => at?.[name.replace(/~1/g, "/")], spec);
    v = { ...target, ...rest };
  }
  return v || {};
}

const json = (response) => deref(deref(response)?.content?.["application/json"]?.schema);

// actionOf is what the document says of an action on an object.
export const actionOf = (segments, name) => paths.get(pattern(segments.slice(0, -1)) + "/*/" + name)?.post;

// isTranslated reports whether the texts at an address are translatable.
export const isTranslated = (segments) => [collection(segments).get, collection(segments).post, object(segments).get]
  .some((operation) => (operation?.parameters || []).some((p) => deref(p).name === "sl"));

// itemOf is the schema of an item of a list.
export function itemOf(segments) {
  const e = resolve(segments);
  const list = json(collection(segments).get?.responses?.[200]);
  if (e.list === "bare") return deref(list.items);
  if (e.list === "keyed") return deref(list.additionalProperties);
  const items = deref(Object.values(list.properties || {})[Object.keys(list.properties || {})[0] === "params" ? 1 : 0]);
  return deref(items.items || items.additionalProperties);
}

// objectOf is the schema of one object.
export const objectOf = (segments) => json(object(segments).get?.responses?.[200]);

// bodyOf is the schema of the body of an operation, and what it requires.
export function bodyOf(operation) {
  const s = deref(operation?.requestBody?.content?.["application/json"]?.schema);
  const parts = (s.allOf || [s]).map(deref);
  return {
    properties: Object.assign({}, ...parts.map((p) => p.properties || {})),
    order: parts.flatMap((p) => p["x-order"] || []),
    required: parts.flatMap((p) => p.required || []),
  };
}

// parametersOf are the filters of a list.
export function parametersOf(segments) {
  const general = ["page", "items_per_page", "sort_by", "sort_order", "sl", "fields", "spreadsheet"];
  return (collection(segments).get?.parameters || []).map(deref)
    .filter((p) => p.in === "query" && !general.includes(p.name))
    .map((p) => ({ ...p, schema: deref(p.schema) }));
}

export const typesOf = (s) => [s?.type || []].flat();

// labelOf is the field that names an object: that of the description, else the first text except
// ids, codes and flags.
export function labelOf(e, schema) {
  if (e.label) return e.label;
  const names = schema?.["x-order"] || [];
  const one = singular(e.name);
  const candidates = [one, "name", "title", "subject", "email", "firstname", "code"];
  for (const name of candidates) if (schema?.properties?.[name]) return name;
  return names.find((name) => {
    const p = deref(schema.properties[name]);
    return name !== e.idField && !name.endsWith("_id") && typesOf(p).includes("string") && !p.enum && !p.pattern && !p.format;
  }) || e.idField;
}

// singular is the name of one object of an entity: category of categories.
export const singular = (name) => name.replace(/ies$/, "y").replace(/(ss|sh|ch|x|us)es$/, "$1").replace(/([^su])s$/, "$1");

// humanize is a name of the API in words of the user's language, or else in English.
export const humanize = (name) => translatedName(name) ?? inEnglish(name);

// unclear are names of the API that say little, with better ones.
const unclear = {
  q: "search_text", cname: "customer_name", pname: "search_in_names", pcode_from_q: "search_in_codes", pshort: "search_in_short_descriptions",
  pfull: "search_in_full_descriptions", pkeywords: "search_in_keywords",
};

// inEnglish is a name of the API in English words.
export function inEnglish(name) {
  const words = (Object.hasOwn(unclear, name) ? unclear[name] : name).replace(/^b_/, "billing_").replace(/^s_/, "shipping_").replaceAll("_", " ").replace(/\btimestamp\b/, "date").replace("firstname", "first name").replace("lastname", "last name").replace("zipcode", "postal code").replace("lang code", "language").replace(/\b(id|ids|seo|ip|url|edp|sku)\b/gi, (w) => (w === "ids" ? "IDs" : w.toUpperCase()));
  return words.charAt(0).toUpperCase() + words.slice(1);
}
