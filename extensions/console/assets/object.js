// The page of one object.

import { html, nothing } from "./vendor/lit-html.js";
import { nameOf } from "./names.js";
import { read, renew } from "./load.js";
import { changeForm, remove } from "./change.js";
import { actionForms } from "./actions.js";
import { facts, pictures } from "./facts.js";
import { problem } from "./form.js";
import { languageLinks } from "./languages.js";
import { textsEditor } from "./texts.js";
import { href } from "./address.js";
import { crumbs } from "./crumbs.js";
import { listed } from "./origin.js";
import { t } from "./words.js";

// objectPage shows an object with its form, actions and fields. Options: isPart leaves out
// the heading, summary is shown below it, tools beside it, beside is shown above the form, below under it, after runs with the
// id of an object that was created.
export function objectPage(state, refresh, { isPart = false, summary = nothing, tools = nothing, beside = nothing, below = nothing, after = null } = {}) {
  const { e, data, segments, own } = state;
  const name = state.isNew ? t("New {entity}", { entity: e.one }) : nameOf(e, data, state.schema) || segments.at(-1);
  const reload = async () => {
    Object.assign(state, await read(segments, own));
    if (state.form) state.form.data = state.data;
  };
  return html`
    ${isPart ? nothing : html`${crumbs(own)}
    <header class="page">
      <div><p class="kind"><a href=${href(own)}>${e.title}</a>${state.isNew ? nothing : html` · ${segments.at(-1)}`}</p><h1 tabindex="-1">${name}</h1>${summary}</div>
      <div class="head-tools">${tools}${neighbours(state)}</div>
    </header>`}
    ${state.children.length ? html`<nav class="tabs" aria-label=${t("Below this")}>${state.children.map((c) => html`<a href=${href([...segments, c.name])}>${c.title}</a>`)}</nav>` : nothing}
    ${languageLinks(state.languages, segments, null, data.lang_code)}
    ${problem(state)}
    ${beside === nothing ? pictures(data) : beside}
    ${state.form ? changeForm(state, refresh, reload, after) : nothing}
    ${textsEditor(state, refresh, () => renew(state))}
    ${below}
    ${actionForms(state, refresh, () => renew(state))}
    ${state.isNew ? nothing : facts(state)}
    ${state.canDelete ? html`<p class="actions end"><button class="danger" @click=${() => remove(state, name, refresh)}>${t("Delete")}</button></p>` : nothing}`;
}

// neighbours are links to the objects before and after this one in the list that the user
// came from.
function neighbours({ segments, own, isNew }) {
  const ids = isNew ? [] : listed(own);
  const at = ids.indexOf(segments.at(-1));
  if (at < 0 || ids.length < 2) return nothing;
  const link = (id, words, rel) => (id ? html`<a class="button" rel=${rel} href=${href([...own, id])}>${words}</a>` : nothing);
  return html`<nav class="neighbours" aria-label=${t("In the list")}>${link(ids[at - 1], t("Previous"), "prev")}${link(ids[at + 1], t("Next"), "next")}</nav>`;
}
