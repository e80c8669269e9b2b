// The console: the signed-in user, the page of the address, and its content.

import { html, nothing, render } from "./vendor/lit-html.js";
import { hasHostSession, hostUser, joinSession, signIn, signOut, signOutEverywhere, user, whenExpired } from "./session.js";
import { forget, may, rights } from "./privileges.js";
import { entities, groups, info, loadModel, resolve } from "./model.js";
import { here, href } from "./address.js";
import { home, loadHome } from "./home.js";
import { list, loadList } from "./list.js";
import { loadObject } from "./load.js";
import { objectPage } from "./object.js";
import { staffPage } from "./staff/pages.js";
import { chooseLanguage, language, languagesOfConsole, loadWords, t } from "./words.js";
import { listenForShortcuts } from "./shortcuts.js";
import "./search.js";
import { setCurrency } from "./money.js";
import { mayLeave, watchPages } from "./unsaved.js";
import { watch } from "./meanwhile.js";
import { settled } from "./settled.js";

const root = document.getElementById("app");
let visible = []; // the entities that the user may view
let turn = 0;     // of the page that was asked for last

// show loads the page of the address. It drops responses that arrive after the user left
// the page.
async function show() {
  const mine = ++turn;
  if (!user()) return hasHostSession() ? undefined : askToSignIn();
  isLoading(true);
  const page = await load().catch(refusal);
  if (mine !== turn) return;
  isLoading(false);
  render(shell(), root);
  // Each page has its own element, so that input on one page does not appear on the next.
  const element = document.createElement("div");
  const content = element.appendChild(document.createElement("div"));
  const refresh = () => render(page.view(refresh), content);
  refresh();
  root.querySelector("#page").replaceChildren(element);
  watch(page, element, refresh, show);
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
    return { view: () => home(state) };
  }
  const isList = segments.length % 2 === 1;
  if (segments.length > 6 || !resolve(isList ? segments : segments.slice(0, -1))) throw new Error("There is nothing at this address.");
  const staff = !isList && staffPage(segments);
  const state = isList ? await loadList(segments, query) : await (staff ? staff.load : loadObject)(segments);
  return { state, isList, view: (refresh) => (isList ? list(state, refresh) : (staff ? staff.view : objectPage)(state, refresh)) };
}

async function loadVisible() {
  if (visible.length) return;
  setCurrency((await rights())?.currency || "");
  const all = entities().filter((e) => e.operations.includes("list"));
  const views = await settled(all.map((e) => may("view", [e.name])));
  visible = all.filter((_, i) => views[i]);
}

// refusal is the page that replaces a page that failed to load.
function refusal(e) {
  const view = () => html`<h1 tabindex="-1">${t("Not shown")}</h1><p class="problem" role="alert">${e.message}</p>
    ${e.isPassing ? html`<p class="actions"><button class="primary" @click=${show}>${t("Try again")}</button></p>` : nothing}`;
  return { view };
}

const wide = matchMedia("(min-width: 56rem)");
wide.addEventListener("change", () => {
  const menu = root.querySelector(".menu");
  if (menu) menu.open = wide.matches;
});

function shell() {
  const [current] = here().segments;
  const link = (e) => html`<li><a href=${href([e.name])} aria-current=${e.name === current ? "page" : nothing} @click=${closeMenu}>${e.title}</a></li>`;
  return html`<a class="skip" href="#page" @click=${(event) => { event.preventDefault(); root.querySelector("h1")?.focus(); }}>${t("Skip to the content")}</a>
    <header class="bar"><a class="brand" href=${href([])}><img src="icon.svg" alt="" width="22" height="22">${info().title}</a>
      <site-search></site-search>
      <details class="menu" ?open=${wide.matches}><summary>${t("Menu")}</summary>
        <nav aria-label=${t("Entities")}>${groups(visible).map(([title, members]) => html`${title ? html`<p>${t(title)}</p>` : nothing}<ul>${members.map(link)}</ul>`)}</nav>
        ${hasHostSession() ? nothing : html`<button class="quiet" @click=${async () => await mayLeave() && leaveEverywhere()}>${t("Sign out")}</button>`}
        <label class="choice"><span class="unseen">${t("Language of the console")}</span><select @change=${(event) => chooseLanguage(event.target.value)}>
          ${languagesOfConsole.map((code) => html`<option value=${code} ?selected=${code === language()}>${new Intl.DisplayNames([code], { type: "language" }).of(code)}</option>`)}</select></label></details></header>
    <main id="page"></main>`;
}

function closeMenu() {
  if (!wide.matches) root.querySelector(".menu").open = false;
}

function leave(words) {
  watch({});
  signOut();
  forget();
  visible = [];
  turn++;
  isLoading(false);
  askToSignIn(words);
}

function leaveEverywhere() {
  leave();
  signOutEverywhere();
}

function askToSignIn(problem) {
  document.title = `${t("Sign in")} · ${info().title}`;
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
    <h1><img src="icon.svg" alt="" width="28" height="28">${info().title}</h1><p class="summary">${t("Sign in with the e-mail address of an administrator and an API key.")}</p>
    ${problem ? html`<p class="problem" role="alert">${problem}</p>` : nothing}
    <label for="email">${t("E-mail address")}</label><input id="email" name="email" type="email" autocomplete="username" required>
    <label for="key">${t("API key")}</label><input id="key" name="key" type="password" autocomplete="current-password" required>
    <button class="primary">${t("Sign in")}</button></form></main>`;
}

async function start() {
  try {
    await settled([loadModel(), loadWords()]);
    await (hasHostSession() ? hostUser() : joinSession());
    await show();
  } catch (e) {
    render(html`<main><p class="problem" role="alert">${e.message}</p><p class="actions"><button class="primary" @click=${start}>Try again</button></p></main>`, root);
  }
}

watchPages(show);
listenForShortcuts();
whenExpired(leave);
await start();
