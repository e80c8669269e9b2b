// Who is signed in, and requests to the API. The key is in sessionStorage, which ends
// with the tab, and in no address. A new tab gets it from one that is open.

import { inWords, loadMessages, t, translatedName } from "./words.js";

const place = "console.session";
const patience = 500; // milliseconds that a new tab waits for another one
let session = JSON.parse(sessionStorage.getItem(place) || "null");
let base = "";       // the address of the API
let signInPage = ""; // the host's own, where the browser's cookies name the user

const tabs = new BroadcastChannel(place);
tabs.addEventListener("message", ({ data }) => {
  if (data.asks && session && !signInPage) tabs.postMessage({ session });
  if (data.left && session) onExpiry();
});

// joinSession takes the session of another tab where this one has none. It calls late if the other
// tab answers after the patience.
export function joinSession(late) {
  if (session || signInPage) return Promise.resolve();
  return new Promise((resolve) => {
    let isLate = false;
    const end = setTimeout(() => {
      isLate = true;
      resolve();
    }, patience);
    tabs.addEventListener("message", function take({ data }) {
      if (!data.session || session) return;
      session = data.session;
      sessionStorage.setItem(place, JSON.stringify(session));
      tabs.removeEventListener("message", take);
      clearTimeout(end);
      resolve();
      if (isLate) late();
    });
    tabs.postMessage({ asks: true });
  });
}

// signOutEverywhere ends the session in all tabs.
export function signOutEverywhere() {
  signOut();
  tabs.postMessage({ left: true });
}

// What a refusal with a status means, where the console does not know the message.
const meanings = {
  401: "You are not signed in, or no longer.", 403: "Your privileges do not reach this.", 404: "This does not exist, or no longer.",
  409: "This is not possible at the moment.", 412: "Somebody changed this meanwhile.", 413: "This is too large.", 429: "These are too many requests.",
};

// refusal is the error of a response that is no success. Where the API no longer takes the key, the
// session ends.
async function refusal(response, body) {
  if (response.status === 401 && signInPage) goToSignIn();
  if (response.status === 401 && sessionStorage.getItem(place)) onExpiry(t("The API no longer takes this key. Sign in again."));
  return refused(response.status, body, Number(response.headers.get("Retry-After")));
}

// refused is a refusal in the user's language: the problems of the fields, or the message, or what
// the status means.
export async function refused(status, body, wait) {
  await loadMessages();
  if (!body?.message) return new Refused(status, body, wait);
  const errors = Object.fromEntries(Object.entries(body.errors || {}).map(([name, text]) => [name, inWords(text) ?? text]));
  const fields = Object.entries(errors).map(([name, text]) => `${translatedName(name) ?? name}: ${text}`).join("; ");
  const message = inWords(body.message) ?? (fields || (meanings[status] ? `${t(meanings[status])} (${body.message})` : body.message));
  return new Refused(status, { message, errors }, wait);
}

export class Refused extends Error {
  constructor(status, body, wait = 0) {
    super([body?.message || t("The API answered {status}.", { status }), wait > 0 && (wait === 1 ? t("It asks to wait for a second.") : t("It asks to wait for {n} seconds.", { n: wait }))].filter(Boolean).join(" "));
    this.status = status;
    this.errors = body?.errors || {};
    this.isPassing = status === 0 || status === 429 || status >= 500; // another try may succeed
  }
}

// setServer sets the address of the API, and the host's sign-in page if it has one.
export function setServer(address, page) {
  base = address;
  signInPage = page || "";
}

// hostUser asks the API for the user of the host's session, by rights. Without one the
// browser goes to the host's sign-in page.
export async function hostUser(rights) {
  session = { email: "" };
  try {
    const known = await rights();
    session.email = known ? t("user {id}", { id: known.user_id }) : t("signed in");
  } catch (e) {
    if (e.status === 401) return;
    session.email = t("signed in");
  }
}

export const hasHostSession = () => Boolean(signInPage);

function goToSignIn() {
  location.assign(`${signInPage}?${new URLSearchParams({ return: location.href })}`);
}

// whenExpired sets what happens where the API no longer takes the key of the session.
let onExpiry = () => {};
export const whenExpired = (f) => { onExpiry = f; };

export const user = () => session?.email;

export function signOut() {
  session = null;
  sessionStorage.removeItem(place);
}

// signIn keeps the credentials if the API accepts them: check asks it something.
export async function signIn(email, key, check) {
  session = { email, key };
  try {
    await check();
  } catch (e) {
    session = null;
    throw e;
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
  const by = authentication();
  try {
    response = await fetch(base + path, { method: "POST", credentials: by.credentials, headers: { Accept: "application/json", ...by.headers, "Content-Type": file.type || "application/octet-stream" }, body: file });
    data = await response.json();
  } catch {
    throw new Refused(0, { message: t("The file cannot be sent.") });
  }
  if (!response.ok) throw await refusal(response, data);
  return data;
}

// download reads an address in a media type, and gives it to the browser as a file.
export async function download(path, query, type, name) {
  const by = authentication();
  const response = await fetch(`${base}${path}?${query}`, { credentials: by.credentials, headers: { Accept: type, ...by.headers } })
    .catch(() => { throw new Refused(0, { message: t("The API cannot be reached.") }); });
  if (!response.ok) throw await refusal(response, await response.json().catch(() => null));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await response.blob());
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

// authentication are the parts of a request that name the user: the key, or the cookies of
// the host's session.
function authentication() {
  if (signInPage) return { credentials: "same-origin", headers: {} };
  return { credentials: "omit", headers: session ? { Authorization: credentials() } : {} };
}

// listen reads the lines of an event stream until it ends, and returns the status of a refusal,
// else 0. It resumes after the event with the id last.
export async function listen(path, { query, last, signal }, hear) {
  const by = authentication();
  const headers = { Accept: "text/event-stream", ...by.headers, ...(last && { "Last-Event-ID": last }) };
  try {
    const response = await fetch(`${base}${path}?${query}`, { credentials: by.credentials, cache: "no-store", headers, signal });
    if (!response.ok) return response.status;
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ""; ;) {
      const { value, done } = await reader.read();
      if (done) return 0;
      const lines = (rest + value).split("\n");
      rest = lines.pop();
      lines.forEach(hear);
    }
  } catch {
    return 0; // the connection is gone, or the page
  }
}

const writes = []; // requests of this tab that changed something: their addresses and times
const manyWrites = 100;

// wroteLately reports whether this tab changed an object in the last milliseconds, or is about to:
// isOf reports whether a segment of an address names its entity.
export function wroteLately(isOf, id, milliseconds) {
  return writes.some(({ segments, at }) => Date.now() - at < milliseconds &&
    (segments[0] === "batch" || segments.some((segment, i) => i % 2 === 0 && isOf(segment) && [undefined, id].includes(segments[i + 1]))));
}

function noteWrite(method, path) {
  if (!["POST", "PUT", "DELETE"].includes(method)) return () => {};
  const write = { segments: path.split("/").slice(1).map(decodeURIComponent), at: Infinity };
  if (writes.push(write) > manyWrites) writes.shift();
  return (mayHave) => { write.at = mayHave ? Date.now() : 0; };
}

// ask sends a request. With a key the browser adds no credentials of its own, and asks the
// user for none.
export async function ask(method, path, { query, body, headers, cache = "no-store" } = {}) {
  const address = base + path + (query && [...query].length ? "?" + query : "");
  const by = authentication();
  const init = { method, credentials: by.credentials, cache, headers: { Accept: "application/json", ...by.headers, ...headers } };
  if (body !== undefined) {
    init.headers["Content-Type"] = "application/json";
    init.body = JSON.stringify(body);
  }
  let response, text;
  const wrote = noteWrite(method, path);
  try {
    response = await fetch(address, init);
    text = await response.text();
  } catch {
    throw new Refused(0, { message: t("The API cannot be reached.") });
  } finally {
    wrote(!response || response.ok); // without an answer it may have changed something
  }
  let data = null;
  try {
    data = text ? JSON.parse(text) : null;
  } catch { /* an answer of something in between */ }
  if (response.ok) return { data, etag: response.headers.get("ETag"), total: response.headers.get("X-Total-Count") };
  throw await refusal(response, data);
}
