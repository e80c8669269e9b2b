// What the API lets the user do at an address. The API tells all rights at once (GET
// access); where it does not, they are found by requests that change nothing: it checks
// privileges, and what the edition closes to vendors, before ids and bodies.

import { ask, Refused, user } from "./session.js";
import { collection, object, resolve } from "./model.js";
import { path } from "./address.js";

const known = new Map();
let access; // a promise of what GET access answers, null where the API has no such address

// forget is for when somebody else may sign in.
export function forget() {
  known.clear();
  access = undefined;
}

// rights returns the answer of GET access, null where the API has no such address.
export function rights() {
  access ??= ask("GET", "/access").then(({ data }) => data, (e) => {
    if (e.status === 404) return null;
    access = undefined;
    throw e;
  });
  return access;
}

const verbs = { view: ["list", "get"], create: ["create"], update: ["update"], delete: ["delete"] };

// keyOf is the name of an address among the rights.
const keyOf = (segments) => segments.filter((_, i) => i % 2 === 0).join("/");

// told reports what the rights say about an address.
function told({ entities }, what, names) {
  const key = keyOf(names);
  if (what === "act") return resolve(names).actions.some((action) => entities[`${key}:${action}`]);
  return verbs[what].some((verb) => entities[key]?.[verb]);
}

// may reports whether the user may "view", "create", "update" or "delete" the objects at
// an address, or "act" on them. What the API cannot say now is asked again.
export function may(what, segments) {
  const names = segments.map((s, i) => (i % 2 ? "0" : s)); // no object has the id 0
  const key = [user(), what, ...names].join("/");
  if (!known.has(key)) {
    const answer = rights().then((all) => (all ? told(all, what, names) : questions[what](path(names), names)));
    known.set(key, answer);
    answer.catch(() => known.delete(key));
  }
  return known.get(key);
}

const questions = {
  async view(at, names) {
    if (object(names).get) return allows("GET", `${at}/0`);
    return Boolean(collection(names).get) && allows("GET", `${at}?items_per_page=1`);
  },
  create: async (at, names) => Boolean(collection(names).post) && allows("POST", at), // 405: there is no payload
  update: async (at, names) => Boolean(object(names).put) && allows("PUT", `${at}/0`), // 405
  delete: async (at, names) => Boolean(object(names).delete) && allows("DELETE", `${at}/0`, { headers: noObject }),
  async act(at, names) {
    const [action] = resolve(names).actions;
    return Boolean(action) && allows("POST", `${at}/0/${action}`, { headers: { "Content-Type": "text/x-question" } }); // 415
  },
};

// ownFilter is the filter with which users may list an entity of which they see their own rows:
// vendors list the reviews of products alone.
export async function ownFilter(name) {
  const all = await rights();
  const isVendor = all?.edition === "multi-vendor" && all.entities[name]?.list === "own";
  return isVendor && name === "discussions" ? { object_type: "P" } : {};
}

const noObject = { "If-Match": '"0"' }; // the ETag of no object: 412

// mayChange reports whether the user may change or delete this object where they may do so
// with others: what belongs to the whole shop a vendor reads alone.
export async function mayChange(segments) {
  const all = await rights();
  const own = all?.entities[keyOf(segments)] || {};
  if (all && own.update !== "own" && own.delete !== "own") return true;
  return !object(segments.slice(0, -1)).put || allows("PUT", path(segments), { headers: noObject, body: { console_asks: "Y" } });
}

async function allows(method, address, request) {
  try {
    await ask(method, address, request);
  } catch (e) {
    if (!(e instanceof Refused) || e.isPassing || e.status === 401) throw e;
    return e.status !== 403;
  }
  return true;
}
