// The console: who is signed in, what the address names, and what is shown of it.

import { html, nothing, render } from "./vendor/lit-html.js";
import { may, Refused, signIn, signOut, user, ask } from "./session.js";
import { entities, entity, info, loadModel, resolve } from "./model.js";
import { href, list, loadList } from "./list.js";
import { loadObject, objectPage } from "./object.js";
import { loadOrders, ordersPlots } from "./orders.js";

const root = document.getElementById("app");
let visible = [];
let current = () => nothing;
let turn = 0;

// Each page has an element of its own: what was typed on one does not stay on the next.
let element = document.createElement("div");
const refresh = () => render(current(), element);

function go(address) {
  if (location.hash === address) show();
  else location.hash = address;
}

function route() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  return { segments: path.split("/").filter(Boolean).map(decodeURIComponent), query: new URLSearchParams(query || "") };
}

// show loads what the address names. What comes back after the user went on is dropped.
async function show() {
  const mine = ++turn;
  if (!user()) return render(signInPage(), root);
  document.body.classList.add("loading");
  let page;
  try {
    page = await load();
  } catch (e) {
    if (mine !== turn) return;
    if (e instanceof Refused && e.status === 401) return leave(e.message);
    const words = e instanceof Refused && e.status === 403 ? "Your privileges do not reach this." : e.message;
    page = () => html`<h1 tabindex="-1">Not shown</h1><p class="problem" role="alert">${words}</p>`;
  }
  if (mine !== turn) return;
  document.body.classList.remove("loading");
  current = page;
  element = document.createElement("div");
  render(shell(), root);
  refresh();
  root.querySelector("#page").replaceChildren(element);
  const heading = element.querySelector("h1");
  document.title = `${heading?.textContent.trim() || "Console"} · ${info().title}`;
  heading?.focus({ preventScroll: true });
  scrollTo(0, 0);
}

async function load() {
  await loadVisible();
  const { segments, query } = route();
  if (!segments.length) return home();
  const own = segments.length % 2 ? segments : segments.slice(0, -1);
  const e = resolve(own);
  if (!e || own.length > 5) throw new Error("There is nothing at this address.");
  if (segments.length % 2) {
    const state = await loadList(segments, query);
    return () => list(state, go);
  }
  const state = await loadObject(segments);
  return () => objectPage(state, go, refresh);
}

async function loadVisible() {
  if (visible.length) return;
  const all = entities().filter((e) => e.operations.includes("list"));
  const views = await Promise.all(all.map((e) => may("view", e)));
  visible = all.filter((_, i) => views[i]);
}

async function home() {
  const needless = (e) => !e.parents.some((p) => entity(p)) || !["options", "combinations", "exceptions"].includes(e.name);
  const [orders, counts] = await Promise.all([loadOrders(), Promise.all(visible.map(async (e) => {
    try {
      const { data, total } = await ask("GET", `/${e.name}`, { query: new URLSearchParams({ items_per_page: "1", page: "1" }) });
      return data?.params?.total_items ?? total;
    } catch {
      return null;
    }
  }))]);
  return () => html`<header class="page"><div><h1 tabindex="-1">${info().title}</h1><p class="summary">${info()["x-shop"]?.edition} · ${user()}</p></div></header>
    ${ordersPlots(orders)}
    <ul class="cards">${visible.map((e, i) => needless(e) && counts[i] !== null ? html`<li><a href=${href([e.name])}><strong>${e.title}</strong><span class="number">${counts[i] ?? ""}</span><span class="summary">${e.summary}</span></a></li>` : nothing)}</ul>`;
}

function shell() {
  const here = route().segments[0];
  return html`<a class="skip" href="#page" @click=${(e) => { e.preventDefault(); root.querySelector("h1")?.focus(); }}>Skip to the content</a>
    <header class="bar"><a class="brand" href="#/">${info().title}</a>
      <details class="menu" ?open=${matchMedia("(min-width: 56rem)").matches}><summary>Menu</summary>
        <nav aria-label="Entities"><ul>${visible.map((e) => html`<li><a href=${href([e.name])} aria-current=${e.name === here ? "page" : nothing} @click=${closeMenu}>${e.title}</a></li>`)}</ul></nav>
        <button class="quiet" @click=${() => leave("")}>Sign out</button></details></header>
    <main id="page"></main>`;
}

function closeMenu() {
  if (!matchMedia("(min-width: 56rem)").matches) root.querySelector(".menu").open = false;
}

function leave(words) {
  signOut();
  visible = [];
  turn++;
  document.body.classList.remove("loading");
  render(signInPage(words), root);
  document.title = "Sign in";
}

function signInPage(problem) {
  const submit = async (event) => {
    event.preventDefault();
    const data = new FormData(event.target);
    try {
      await signIn(data.get("email").trim(), data.get("key").trim());
      show();
    } catch (e) {
      render(signInPage(e.message), root);
      root.querySelector("#key").focus();
    }
  };
  return html`<main class="sign-in"><form @submit=${submit}>
    <h1>${info().title}</h1><p class="summary">Sign in with the e-mail address of an administrator and an API key.</p>
    ${problem ? html`<p class="problem" role="alert">${problem}</p>` : nothing}
    <label for="email">E-mail address</label><input id="email" name="email" type="email" autocomplete="username" required autofocus>
    <label for="key">API key</label><input id="key" name="key" type="password" autocomplete="current-password" required>
    <button class="primary">Sign in</button></form></main>`;
}

addEventListener("hashchange", show);
try {
  await loadModel();
  await show();
} catch (e) {
  render(html`<p class="problem" role="alert">${e.message}</p>`, root);
}
