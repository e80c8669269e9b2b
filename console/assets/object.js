// The page of one object.

import { html, nothing } from "./vendor/lit-html.js";
import { labelOf } from "./model.js";
import { read } from "./load.js";
import { changeForm, remove } from "./change.js";
import { actionForms } from "./actions.js";
import { facts, pictures } from "./facts.js";
import { problem } from "./form.js";
import { languageLinks } from "./languages.js";
import { href } from "./address.js";
import { crumbs } from "./crumbs.js";

export function objectPage(state, refresh) {
  const { e, data, segments, own } = state;
  const name = state.isNew ? `New in ${e.title.toLowerCase()}` : data[labelOf(e, state.schema)] || segments.at(-1);
  const reload = async () => {
    Object.assign(state, await read(segments, own));
    if (state.form) state.form.data = state.data;
  };
  return html`
    ${crumbs(own)}
    <header class="page">
      <div><p class="kind"><a href=${href(own)}>${e.title}</a>${state.isNew ? nothing : html` · ${segments.at(-1)}`}</p><h1 tabindex="-1">${name}</h1></div>
      ${state.canDelete ? html`<button class="danger" @click=${() => remove(state, name, refresh)}>Delete</button>` : nothing}
    </header>
    ${state.children.length ? html`<nav class="tabs" aria-label="Below this">${state.children.map((c) => html`<a href=${href([...segments, c.name])}>${c.title}</a>`)}</nav>` : nothing}
    ${languageLinks(state.languages, segments, null, data.lang_code)}
    ${problem(state)}
    ${pictures(data)}
    ${state.form ? changeForm(state, refresh, reload) : nothing}
    ${actionForms(state, refresh, reload)}
    ${state.isNew ? nothing : facts(state)}`;
}
