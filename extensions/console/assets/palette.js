// Pages and actions by their names: a field in a dialog, opened by Ctrl+K or the button beside
// the search.

import { html, render } from "./vendor/lit-html.js";
import { Combobox } from "./combobox.js";
import { collection, entities, inEnglish } from "./model.js";
import { may } from "./privileges.js";
import { finds } from "./names.js";
import { go, href } from "./address.js";
import { showShortcuts } from "./keys.js";
import { chooseLanguage, language, languagesOfConsole, t } from "./words.js";

const most = 12; // commands that are shown at once

// pageActions are the buttons of the page below the dialog, those of lists and editors apart.
function pageActions() {
  const found = new Map();
  for (const e of document.querySelectorAll("#page button, #page a.button, #page summary, .menu > button")) {
    const name = e.innerText.trim() || e.textContent.trim();
    const isPart = e.closest("table, .document, .sections, dialog, quick-edit, object-picker, rich-text, .drop, .pager, .filters form");
    if (name && !isPart && (e.checkVisibility() || e.closest(".menu")) && !found.has(name)) found.set(name, e);
  }
  const run = (e) => {
    e.scrollIntoView({ block: "center" });
    e.focus();
    e.click();
  };
  return [...found].map(([name, e]) => ({ name, detail: e.closest(".menu") ? "" : t("on this page"), run: () => run(e) }));
}

// pagesOf are the pages of an entity that the user may open.
async function pagesOf(e) {
  const [canView, canCreate] = await Promise.all([may("view", [e.name]), collection([e.name]).post ? may("create", [e.name]) : false]);
  const open = (...segments) => () => go(href([e.name, ...segments]));
  return [
    ...(canView ? [{ name: e.title, also: inEnglish(e.name), detail: t("page"), run: open() }] : []),
    ...(canCreate ? [{ name: t("New {entity}", { entity: e.one }), also: `New ${inEnglish(e.name)}`, detail: t("page"), run: open("new") }] : []),
  ];
}

// commands are all that can be chosen: what the page offers first, signing out last.
async function commands() {
  const pages = await Promise.all(entities().filter((e) => e.operations.includes("list")).map(pagesOf));
  const languages = languagesOfConsole.filter((code) => code !== language())
    .map((code) => ({ name: new Intl.DisplayNames([code], { type: "language" }).of(code), detail: t("Language of the console"), run: () => chooseLanguage(code) }));
  const actions = pageActions();
  return [
    ...actions.filter((c) => c.detail), { name: t("First page"), detail: t("page"), run: () => go(href([])) }, ...pages.flat(),
    { name: t("Keys"), also: t("This list"), detail: "?", run: showShortcuts }, ...languages, ...actions.filter((c) => !c.detail),
  ];
}

class CommandPalette extends Combobox {
  #all = null; // a promise of the commands

  async find(text) {
    this.#all ??= commands();
    const found = (await this.#all).filter((c) => finds(text, `${c.name} ${c.also || ""}`));
    const begins = (c) => c.name.toLowerCase().startsWith(text.toLowerCase());
    return [...found.filter(begins), ...found.filter((c) => !begins(c))].slice(0, most);
  }

  choose(command) {
    this.closest("dialog").close();
    command.run();
  }

  draw() {
    render(html`${this.field(t("Go to a page, or do something"), { placeholder: t("Page or action…") })}${this.found(t("Found"))}`, this);
  }
}

customElements.define("command-palette", CommandPalette);

// openPalette asks for a command. Where none is chosen, the focus returns to where it was.
export function openPalette() {
  const dialog = document.createElement("dialog");
  dialog.className = "palette";
  dialog.setAttribute("aria-label", t("Commands"));
  const palette = dialog.appendChild(document.createElement("command-palette"));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  palette.focus();
  palette.search("");
}
