// The console: the signed-in user, the page of the address, and its content.

import { html, nothing, render } from "./vendor/lit-html.js";
import { Refused, hasHostSession, hostUser, joinSession, signIn, signOut, signOutEverywhere, user, whenExpired } from "./session.js";
import { forget, may, rights } from "./privileges.js";
import { entities, forgetModel, groups, loadModel, resolve, title } from "./model.js";
import { here, href } from "./address.js";
import { home, loadHome } from "./home.js";
import { waits } from "./work.js";
import { chooseLanguage, language, languagesOfConsole, loadWords, t } from "./words.js";
import { listenForShortcuts, openCommands } from "./shortcuts.js";
import "./search.js";
import { setCurrency } from "./money.js";
import { mayLeave, watchPages } from "./unsaved.js";
import { settled } from "./settled.js";

const root = document.getElementById("app");
let visible = []; // the entities that the user may view
let turn = 0;     // of the page that was asked for last
let leavePage = () => {};

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
  leavePage();
  leavePage = page.watch?.(element, refresh, show) || (() => {});
  const heading = element.querySelector("h1");
  document.title = `${heading.textContent.trim()} · ${title}`;
  heading.focus({ preventScroll: true });
  scrollTo(0, 0);
}

function isLoading(is) {
  document.body.classList.toggle("loading", is);
  root.querySelector("#page")?.setAttribute("aria-busy", is);
}

async function load() {
  const { segments, query } = here();
  await settled([loadModel(), rights()]);
  await loadVisible();
  if (!segments.length) {
    const state = await loadHome(visible);
    return { view: () => home(state) };
  }
  const isList = segments.length % 2 === 1;
  if (segments.length > 6 || !resolve(isList ? segments : segments.slice(0, -1))) throw new Error(t("There is nothing at this address."));
  const { list, loadList, loadObject, objectPage, staffPage, watch } = await import("./pages.js").catch(() => { throw new Refused(0, { message: t("The page cannot be loaded.") }); });
  const staff = !isList && staffPage(segments);
  const state = isList ? await loadList(segments, query) : await (staff ? staff.load : loadObject)(segments, query);
  const view = isList ? list : staff ? staff.view : objectPage;
  return { view: (refresh) => view(state, refresh), watch: (...page) => watch({ state, isList }, ...page) };
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
  const link = (e) => html`<li><a href=${href([e.name])} aria-current=${e.name === current ? "page" : nothing} @click=${closeMenu}>${e.title}${waits(e) ? html` <span class="count">${waits(e)}</span>` : nothing}</a></li>`;
  return html`<a class="skip" href="#page" @click=${(event) => { event.preventDefault(); root.querySelector("h1")?.focus(); }}>${t("Skip to the content")}</a>
    <header class="bar"><a class="brand" href=${href([])}><img src="icon.svg" alt="" width="22" height="22">${title}</a>
      <div class="finding"><site-search></site-search><button class="quiet" aria-label=${t("Commands")} title="${t("Commands")} (Ctrl+K)" aria-keyshortcuts="Control+K" @click=${openCommands}>⌘</button></div>
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
  leavePage();
  signOut();
  forget();
  forgetModel();
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
  document.title = `${t("Sign in")} · ${title}`;
  render(signInPage(problem), root);
  root.querySelector(root.querySelector("#email").value ? "#key" : "#email").focus();
}

function signInPage(problem) {
  const submit = async (event) => {
    event.preventDefault();
    const data = new FormData(event.target);
    try {
      await signIn(data.get("email").trim(), data.get("key").trim(), rights);
      show();
    } catch (e) {
      askToSignIn(e.message);
    }
  };
  return html`<main class="sign-in"><form @submit=${submit}>
    <h1><img src="icon.svg" alt="" width="28" height="28">${title}</h1><p class="summary">${t("Sign in with the e-mail address of an administrator and an API key.")}</p>
    ${problem ? html`<p class="problem" role="alert">${problem}</p>` : nothing}
    <label for="email">${t("E-mail address")}</label><input id="email" name="email" type="email" autocomplete="username" required>
    <label for="key">${t("API key")}</label><input id="key" name="key" type="password" autocomplete="current-password" required>
    <button class="primary">${t("Sign in")}</button></form></main>`;
}

async function start() {
  try {
    await loadWords();
    await (hasHostSession() ? hostUser(rights) : joinSession(show));
    await show();
  } catch (e) {
    render(html`<main><p class="problem" role="alert">${e.message}</p><p class="actions"><button class="primary" @click=${start}>${t("Try again")}</button></p></main>`, root);
  }
}

watchPages(show);
listenForShortcuts();
whenExpired(leave);
start();
