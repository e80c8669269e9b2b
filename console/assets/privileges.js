// What the privileges of the user allow, found by asking for what changes nothing: the
// API checks privileges before ids and bodies.

import { ask, Refused, user } from "./session.js";

const known = new Map();

// may reports whether the user may view or manage the objects of an entity. What the API
// cannot say now is asked again.
export function may(what, e) {
  const key = [user(), what, e.under, e.name].join("/");
  if (!known.has(key)) {
    const answer = what === "view" ? mayView(e) : mayManage(e);
    known.set(key, answer);
    answer.catch(() => known.delete(key));
  }
  return known.get(key);
}

// collection is the address of an entity; no object has the id 0.
const collection = (e) => (e.under ? `/${e.under}/0/${e.name}` : `/${e.name}`);

async function mayView(e) {
  if (e.operations.includes("get")) return allowed("GET", `${collection(e)}/0`);
  return e.operations.includes("list") && allowed("GET", `${collection(e)}?items_per_page=1`);
}

async function mayManage(e) {
  if (e.operations.includes("update")) return allowed("PUT", `${collection(e)}/0`); // 405: there is no payload
  if (e.operations.includes("create")) return allowed("POST", collection(e));
  if (e.actions.length) return allowed("POST", `${collection(e)}/0/${e.actions[0]}`, { "Content-Type": "text/x-question" }); // 415
  return e.operations.includes("delete") && allowed("DELETE", `${collection(e)}/0`, { "If-Match": '"0"' });
}

async function allowed(method, path, headers) {
  try {
    await ask(method, path, { headers });
  } catch (e) {
    if (!(e instanceof Refused) || e.isPassing || e.status === 401) throw e;
    return e.status !== 403;
  }
  return true;
}
