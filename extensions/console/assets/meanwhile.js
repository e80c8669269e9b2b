// What others change while a page is open: the change log's stream says that something
// changed, and the page says so once that makes a difference to what it shows.

import { html, nothing, render } from "./vendor/lit-html.js";
import { ask, listen, wroteLately } from "./session.js";
import { collection, entity, logNameOf } from "./model.js";
import { languageQuery } from "./languages.js";
import { loadList } from "./list.js";
import { path } from "./address.js";
import { notice } from "./notice.js";
import { mayLeave } from "./unsaved.js";
import { t } from "./words.js";

const pause = 3000; // milliseconds between two streams
const wait = 500;   // milliseconds between a change and the look at what the API answers now
const own = 2000;   // milliseconds in which a change of what this tab wrote is its own
const ownInList = 10_000; // in a list, which already shows what its user wrote: a slow shop tells of it late

// shownWith are entities whose changes also change the page of an object above them, with their
// names in the log.
const shownWith = { products: { features: "product_features" }, users: { usergroups: "usergroups" } };

let last = "";             // the position in the log up to which this tab has heard
let isUnavailable = false; // the shop keeps no log

// watch watches a page with a state, and returns a function that ends it. show loads the page
// again.
export function watch({ state, isList }, element, refresh, show) {
  const name = state.e.loggedAs;
  if (isUnavailable || !name || !collection(["changes"]).get || (!isList && (state.isNew || !state.etag))) return undefined;
  const end = new AbortController();
  const bar = document.createElement("div");
  bar.setAttribute("role", "status");
  element.prepend(bar);
  const names = [name, ...(isList ? [] : partsOf(name))];
  const page = { state, isList, name, bar, refresh, show, signal: end.signal, isDue: false, isMine: false };
  if (isList) page.shown = contentOf(state);
  follow(new URLSearchParams({ entity: names.join(",") }), end.signal, (change) => heard(page, change));
  return () => end.abort();
}

// partsOf are the further names that the page of an object listens to. The log refuses the names of
// entities that the shop lacks.
export const partsOf = (name) => Object.entries(shownWith[name] || {}).filter(([part]) => entity(part)).map(([, logged]) => logged);

// follow listens to the stream for as long as the tab is seen.
async function follow(query, signal, hear) {
  while (!signal.aborted) {
    await seen();
    const hidden = new AbortController();
    const hide = () => document.hidden && hidden.abort();
    document.addEventListener("visibilitychange", hide);
    const status = signal.aborted ? 0 : await listen("/changes", { query, last, signal: AbortSignal.any([signal, hidden.signal]) }, read(hear));
    document.removeEventListener("visibilitychange", hide);
    if (status === 404) isUnavailable = true;
    if (status >= 400 && status < 500) return; // it would be refused again
    if (!hidden.signal.aborted) await new Promise((resolve) => { setTimeout(resolve, pause); });
  }
}

// seen waits until the tab is shown.
const seen = () => new Promise((resolve) => {
  if (!document.hidden) return resolve();
  return document.addEventListener("visibilitychange", resolve, { once: true });
});

// read returns a function that takes the lines of a stream, and calls hear for each change. A
// stream that begins anew may have missed any.
function read(hear) {
  let event = "";
  return (line) => {
    const [, field, value] = line.match(/^(\w+): (.*)$/) || [];
    if (field === "id") last = value;
    else if (field === "event") event = value;
    else if (field === "data") hear(event === "reset" ? { id: "*" } : JSON.parse(value));
  };
}

function heard(page, change) {
  const { state, isList, name } = page;
  const id = change.entity === name ? change.id : change.parent?.id ?? change.id;
  if (!isList && id !== "*" && id !== state.segments.at(-1)) return;
  if (isList && isOwn(name, id, ownInList)) {
    page.isMine = true;
    return;
  }
  if (page.isDue) return;
  page.isDue = true;
  setTimeout(() => look(page), wait);
}

const isOwn = (name, id, milliseconds = own) => wroteLately((segment) => logNameOf(segment) === name, id, milliseconds);

// look compares what the page shows with what the API answers now.
async function look(page) {
  const { state, isList, name, signal } = page;
  if (signal.aborted) return;
  if (!isList && (state.form?.isSending || isOwn(name, state.segments.at(-1)))) {
    setTimeout(() => look(page), wait); // a page shows by itself what its user saves
    return;
  }
  page.isDue = false;
  try {
    await (isList ? lookAtList(page) : lookAtObject(page));
  } catch {
    // the next change, or the user, asks again
  }
}

async function lookAtObject(page) {
  const { state, show, signal } = page;
  let etag = "";
  try {
    ({ etag } = await ask("GET", path(state.segments), { query: languageQuery(state.own) }));
  } catch (e) {
    if (e.status !== 404) throw e;
  }
  if (signal.aborted || etag === state.etag) return;
  tell(page, etag ? t("Somebody changed this meanwhile.") : t("Somebody deleted this meanwhile."), etag && (async () => await mayLeave() && show()));
}

// contentOf is what a list shows, as a text.
const contentOf = ({ items, total }) => JSON.stringify([items, total]);

async function lookAtList(page) {
  const { state, shown, refresh, bar, signal } = page;
  const now = await loadList(state.segments, state.query);
  if (signal.aborted || !page.isMine && contentOf(now) === shown) return;
  const apply = () => {
    Object.assign(state, now, { ticked: state.ticked });
    Object.assign(page, { shown: contentOf(now), isMine: false });
    refresh();
    render(nothing, bar);
  };
  const isTyping = document.activeElement?.matches("input, select, textarea") || document.querySelector("dialog[open]");
  if (state.e.name !== "orders" || state.ticked.size || isTyping) return tell(page, t("The list changed meanwhile."), apply);
  apply();
  notice(t("The list of orders has changed, and is shown anew."));
}

function tell({ bar }, words, run) {
  render(html`<p class="meanwhile">${words} ${run ? html`<button type="button" @click=${run}>${t("Show it now")}</button>` : nothing}</p>`, bar);
}
