// Saved views of a list: its filters under a name, and the columns that are shown. They
// stay in this browser.

import { html, nothing } from "./vendor/lit-html.js";
import { href } from "./address.js";
import { humanize } from "./model.js";
import { notice } from "./notice.js";
import { t } from "./words.js";

const stored = (key) => JSON.parse(localStorage.getItem(`console.${key}`) || "null");
const store = (key, value) => localStorage.setItem(`console.${key}`, JSON.stringify(value));

// columnsFor are the columns that the user chose for an entity, null for the usual ones.
export const columnsFor = (name) => stored(`columns.${name}`);

// viewLinks are the saved views of a list, and a field that saves the present one.
export function viewLinks({ e, segments, query }, refresh) {
  const views = stored(`views.${e.name}`) || {};
  const isFiltered = [...query].some(([name]) => name !== "page");
  if (!isFiltered && !Object.keys(views).length) return nothing;
  const save = (event) => {
    event.preventDefault();
    const name = event.target.elements.view.value.trim();
    if (!name) return;
    const kept = new URLSearchParams(query);
    kept.delete("page");
    store(`views.${e.name}`, { ...views, [name]: String(kept) });
    notice(t("The view is saved in this browser."));
    refresh();
  };
  const drop = (name) => {
    delete views[name];
    store(`views.${e.name}`, views);
    refresh();
  };
  return html`<div class="views">${Object.entries(views).map(([name, kept]) => html`<span class="pick"><a href=${href(segments, new URLSearchParams(kept))}>${name}</a><button class="drop" aria-label="${t("Remove")} ${name}" @click=${() => drop(name)}>×</button></span>`)}
    ${isFiltered ? html`<form class="inline" @submit=${save}><label class="unseen" for="view">${t("Name of this view")}</label><input id="view" name="view" placeholder=${t("Name of this view")} autocomplete="off"><button>${t("Save view")}</button></form>` : nothing}</div>`;
}

// columnChooser shows which columns a table can have, those that it has ticked.
export function columnChooser({ e }, all, shown, refresh) {
  const choose = (event) => {
    const names = new FormData(event.currentTarget).getAll("column");
    store(`columns.${e.name}`, names.length ? names : null);
    refresh();
  };
  const reset = () => {
    store(`columns.${e.name}`, null);
    refresh();
  };
  return html`<details class="filters"><summary>${t("Columns")}</summary><form class="column-choice" @change=${choose}>
    ${all.map((name) => html`<label class="check"><input type="checkbox" name="column" value=${name} .checked=${shown.includes(name)}>${humanize(name)}</label>`)}
    <button type="button" @click=${reset}>${t("The usual ones")}</button></form></details>`;
}
