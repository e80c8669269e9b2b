// Who is signed in, and requests to the API. The key is in sessionStorage, which ends
// with the tab, and in no address.

const place = "console.session";
let session = JSON.parse(sessionStorage.getItem(place) || "null");
let base = "";

export class Refused extends Error {
  constructor(status, body) {
    super(body?.message || `The API answered ${status}.`);
    this.status = status;
    this.errors = body?.errors || {};
  }
}

export const setBase = (address) => { base = address; };
export const user = () => session?.email;

export function signOut() {
  session = null;
  sessionStorage.removeItem(place);
}

// signIn keeps the credentials if the API takes them. Any address tells: a wrong key is
// 401 before anything else.
export async function signIn(email, key) {
  session = { email, key };
  try {
    await ask("GET", "/");
  } catch (e) {
    if (!(e instanceof Refused) || e.status === 401 || e.status === 429 || e.status >= 500) {
      session = null;
      throw e;
    }
  }
  sessionStorage.setItem(place, JSON.stringify(session));
}

function credentials() {
  const bytes = new TextEncoder().encode(`${session.email}:${session.key}`);
  return "Basic " + btoa(String.fromCharCode(...bytes));
}

// ask sends a request. The browser adds no credentials of its own, and asks the user
// for none.
export async function ask(method, path, { query, body, headers } = {}) {
  const address = base + path + (query && [...query].length ? "?" + query : "");
  const init = { method, credentials: "omit", cache: "no-store", headers: { Accept: "application/json", ...headers } };
  if (session) init.headers.Authorization = credentials();
  if (body !== undefined) {
    init.headers["Content-Type"] = "application/json";
    init.body = JSON.stringify(body);
  }
  let response;
  try {
    response = await fetch(address, init);
  } catch {
    throw new Refused(0, { message: "The API cannot be reached." });
  }
  const text = await response.text();
  let data = null;
  try {
    data = text ? JSON.parse(text) : null;
  } catch { /* an answer of something in between */ }
  if (!response.ok) throw new Refused(response.status, data);
  return { data, etag: response.headers.get("ETag"), total: response.headers.get("X-Total-Count") };
}

// allowed reports whether the user may do what the request would, without doing it:
// privileges are checked before ids and bodies are looked at.
async function allowed(method, path) {
  try {
    await ask(method, path);
  } catch (e) {
    if (e instanceof Refused && e.status === 403) return false;
    if (e instanceof Refused && e.status === 401) throw e;
  }
  return true;
}

const known = new Map();

// may reports whether the user may view or manage the objects of an entity. No object
// has the id 0, and an empty body changes nothing.
export function may(what, entity) {
  const key = `${session.email}/${what}/${entity.name}`;
  if (!known.has(key)) known.set(key, probe(what, entity));
  return known.get(key);
}

function probe(what, entity) {
  const has = (operation) => entity.operations.includes(operation);
  if (what === "view") {
    if (has("get")) return allowed("GET", `/${entity.name}/0`);
    if (has("list")) return allowed("GET", `/${entity.name}?items_per_page=1`);
    return Promise.resolve(false);
  }
  if (has("update")) return allowed("PUT", `/${entity.name}/0`);
  if (has("create")) return allowed("POST", `/${entity.name}`);
  if (has("delete")) return allowed("DELETE", `/${entity.name}/0`);
  return Promise.resolve(false);
}
