// The console: the signed-in user, the page of the address, and its content.

import { html, nothing, render } from "./vendor/lit-html.js";
import { signIn, signOut, user, whenExpired } from "./session.js";
import { forget, may } from "./privileges.js";
import { entities, groups, info, loadModel, resolve } from "./model.js";
import { here, href } from "./address.js";
import { home, loadHome } from "./home.js";
import { list, loadList } from "./list.js";
import { loadObject } from "./load.js";
import { objectPage } from "./object.js";
import { mayLeave, watchPages } from "./unsaved.js";

const root = document.getElementById("app");
let visible = []; // the entities that the user may view
let turn = 0;     // of the page that was asked for last

// show loads the page of the address. It drops responses that arrive after the user left
// the page.
async function show() {
  const mine = ++turn;
  if (!user()) return askToSignIn();
  isLoading(true);
  const page = await load().catch(refusal);
  if (mine !== turn) return;
  isLoading(false);
  render(shell(), root);
  // Each page has its own element, so that input on one page does not appear on the next.
  const element = document.createElement("div");
  const refresh = () => render(page(refresh), element);
  refresh();
  root.querySelector("#page").replaceChildren(element);
  const heading = element.querySelector("h1");
  document.title = `${heading.textContent.trim()} · ${info().title}`;
  heading.focus({ preventScroll: true });
  scrollTo(0, 0);
}

function isLoading(is) {
  document.body.classList.toggle("loading", is);
  root.querySelector("#page")?.setAttribute("aria-busy", is);
}

async function load() {
  const { segments, query } = here();
  await loadVisible();
  if (!segments.length) {
    const state = await loadHome(visible);
    return () => home(state);
  }
  const isList = segments.length % 2 === 1;
  if (segments.length > 6 || !resolve(isList ? segments : segments.slice(0, -1))) throw new Error("There is nothing at this address.");
  const state = isList ? await loadList(segments, query) : await loadObject(segments);
  return (refresh) => (isList ? list(state) : objectPage(state, refresh));
}

async function loadVisible() {
  if (visible.length) return;
  const all = entities().filter((e) => e.operations.includes("list"));
  const views = await Promise.all(all.map((e) => may("view", [e.name])));
  visible = all.filter((_, i) => views[i]);
}

// refusal is the page that replaces a page that failed to load.
function refusal(e) {
  return () => html`<h1 tabindex="-1">Not shown</h1><p class="problem" role="alert">${e.message}</p>
    ${e.isPassing ? html`<p class="actions"><button class="primary" @click=${show}>Try again</button></p>` : nothing}`;
}

const wide = matchMedia("(min-width: 56rem)");
wide.addEventListener("change", () => {
  const menu = root.querySelector(".menu");
  if (menu) menu.open = wide.matches;
});

function shell() {
  const [current] = here().segments;
  const link = (e) => html`<li><a href=${href([e.name])} aria-current=${e.name === current ? "page" : nothing} @click=${closeMenu}>${e.title}</a></li>`;
  return html`<a class="skip" href="#page" @click=${(event) => { event.preventDefault(); root.querySelector("h1")?.focus(); }}>Skip to the content</a>
    <header class="bar"><a class="brand" href=${href([])}><img src="icon.svg" alt="" width="22" height="22">${info().title}</a>
      <details class="menu" ?open=${wide.matches}><summary>Menu</summary>
        <nav aria-label="Entities">${groups(visible).map(([title, members]) => html`${title ? html`<p>${title}</p>` : nothing}<ul>${members.map(link)}</ul>`)}</nav>
        <button class="quiet" @click=${async () => await mayLeave() && leave()}>Sign out</button></details></header>
    <main id="page"></main>`;
}

function closeMenu() {
  if (!wide.matches) root.querySelector(".menu").open = false;
}

function leave(words) {
  signOut();
  forget();
  visible = [];
  turn++;
  isLoading(false);
  askToSignIn(words);
}

function askToSignIn(problem) {
  document.title = `Sign in · ${info().title}`;
  render(signInPage(problem), root);
  root.querySelector(root.querySelector("#email").value ? "#key" : "#email").focus();
}

function signInPage(problem) {
  const submit = async (event) => {
    event.preventDefault();
    const data = new FormData(event.target);
    try {
      await signIn(data.get("email").trim(), data.get("key").trim());
      show();
    } catch (e) {
      askToSignIn(e.message);
    }
  };
  return html`<main class="sign-in"><form @submit=${submit}>
    <h1><img src="icon.svg" alt="" width="28" height="28">${info().title}</h1><p class="summary">Sign in with the e-mail address of an administrator and an API key.</p>
    ${problem ? html`<p class="problem" role="alert">${problem}</p>` : nothing}
    <label for="email">E-mail address</label><input id="email" name="email" type="email" autocomplete="username" required>
    <label for="key">API key</label><input id="key" name="key" type="password" autocomplete="current-password" required>
    <button class="primary">Sign in</button></form></main>`;
}

async function start() {
  try {
    await loadModel();
    await show();
  } catch (e) {
    render(html`<main><p class="problem" role="alert">${e.message}</p><p class="actions"><button class="primary" @click=${start}>Try again</button></p></main>`, root);
  }
}

watchPages(show);
whenExpired(leave);
await start();
