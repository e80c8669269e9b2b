// Who is signed in, and requests to the API. The key is in sessionStorage, which ends
// with the tab, and in no address.

const place = "console.session";
let session = JSON.parse(sessionStorage.getItem(place) || "null");
let base = "";

export class Refused extends Error {
  constructor(status, body, wait = 0) {
    super([body?.message || `The API answered ${status}.`, wait > 0 && `It asks to wait for ${wait === 1 ? "a second" : `${wait} seconds`}.`].filter(Boolean).join(" "));
    this.status = status;
    this.errors = body?.errors || {};
    this.isPassing = status === 0 || status === 429 || status >= 500; // another try may succeed
  }
}

export const setBase = (address) => { base = address; };

// whenExpired sets what happens where the API no longer takes the key of the session.
let onExpiry = () => {};
export const whenExpired = (f) => { onExpiry = f; };

export const user = () => session?.email;

export function signOut() {
  session = null;
  sessionStorage.removeItem(place);
}

// signIn keeps the credentials if the API accepts them. Any address will do: a wrong key
// is 401 before anything else.
export async function signIn(email, key) {
  session = { email, key };
  try {
    await ask("GET", "/");
  } catch (e) {
    if (!(e instanceof Refused) || e.isPassing || e.status === 401) {
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
  let response, text;
  try {
    response = await fetch(address, init);
    text = await response.text();
  } catch {
    throw new Refused(0, { message: "The API cannot be reached." });
  }
  let data = null;
  try {
    data = text ? JSON.parse(text) : null;
  } catch { /* an answer of something in between */ }
  if (response.ok) return { data, etag: response.headers.get("ETag"), total: response.headers.get("X-Total-Count") };
  if (response.status === 401 && sessionStorage.getItem(place)) onExpiry("The API no longer takes this key. Sign in again.");
  throw new Refused(response.status, data, Number(response.headers.get("Retry-After")));
}
