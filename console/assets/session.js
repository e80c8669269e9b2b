// Who is signed in, and requests to the API. The key is in sessionStorage, which ends
// with the tab, and in no address. A new tab gets it from one that is open.

const place = "console.session";
const patience = 500; // milliseconds that a new tab waits for another one
let session = JSON.parse(sessionStorage.getItem(place) || "null");

const tabs = new BroadcastChannel(place);
tabs.addEventListener("message", ({ data }) => {
  if (data.asks && session) tabs.postMessage({ session });
  if (data.left && session) onExpiry();
});

// joinSession takes the session of another tab where this one has none.
export function joinSession() {
  if (session) return Promise.resolve();
  return new Promise((resolve) => {
    const end = setTimeout(resolve, patience);
    tabs.addEventListener("message", function take({ data }) {
      if (!data.session || session) return;
      session = data.session;
      sessionStorage.setItem(place, JSON.stringify(session));
      tabs.removeEventListener("message", take);
      clearTimeout(end);
      resolve();
    });
    tabs.postMessage({ asks: true });
  });
}

// signOutEverywhere ends the session in all tabs.
export function signOutEverywhere() {
  signOut();
  tabs.postMessage({ left: true });
}
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

// upload sends a file as it is, and returns what the API answers.
export async function upload(path, file) {
  let response, data;
  try {
    response = await fetch(base + path, { method: "POST", credentials: "omit", headers: { Accept: "application/json", Authorization: credentials(), "Content-Type": file.type || "application/octet-stream" }, body: file });
    data = await response.json();
  } catch {
    throw new Refused(0, { message: "The file cannot be sent." });
  }
  if (!response.ok) throw new Refused(response.status, data, Number(response.headers.get("Retry-After")));
  return data;
}

// download reads an address in a media type, and gives it to the browser as a file.
export async function download(path, query, type, name) {
  const response = await fetch(`${base}${path}?${query}`, { credentials: "omit", headers: { Accept: type, Authorization: credentials() } })
    .catch(() => { throw new Refused(0, { message: "The API cannot be reached." }); });
  if (!response.ok) throw new Refused(response.status, await response.json().catch(() => null));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await response.blob());
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
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
