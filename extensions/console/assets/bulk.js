// Changing or deleting several objects of a list at once.

import { html, nothing } from "./vendor/lit-html.js";
import { bodyOf, humanize, object } from "./model.js";
import { fields, newForm } from "./form.js";
import { changes } from "./typed.js";
import { confirmed } from "./dialog.js";
import { languageQuery } from "./languages.js";
import { path } from "./address.js";
import { sendAll } from "./many.js";
import { notice } from "./notice.js";
import { t } from "./words.js";

const idOf = (state, item) => String(item[state.e.idField]);

export function tickAll(state, refresh) {
  if (!state.canUpdate) return nothing;
  const isAll = state.items.length > 0 && state.items.every((item) => state.ticked.has(idOf(state, item)));
  const set = (event) => {
    state.ticked = new Set(event.target.checked ? state.items.map((item) => idOf(state, item)) : []);
    refresh();
  };
  return html`<th class="tick" scope="col"><input type="checkbox" aria-label=${t("Tick all")} .checked=${isAll} @change=${set}></th>`;
}

export function tick(state, item, refresh) {
  if (!state.canUpdate) return nothing;
  const id = idOf(state, item);
  const set = (event) => {
    if (event.target.checked) state.ticked.add(id);
    else state.ticked.delete(id);
    refresh();
  };
  return html`<td class="tick"><input type="checkbox" aria-label="${t("Tick")} ${id}" .checked=${state.ticked.has(id)} @change=${set}></td>`;
}

// bulkBar offers a change of the ticked objects. Objects that are refused stay ticked, with
// the reason.
export function bulkBar(state, refresh, reload) {
  if (!state.ticked?.size) return nothing;
  const body = bodyOf(object(state.segments).put);
  const bulk = state.bulk ||= { field: body.order.includes("status") ? "status" : body.order[0], problems: [] };
  bulk.form = bulk.form?.field === bulk.field ? bulk.form : Object.assign(newForm(body, {}, { prefix: "bulk", statuses: state.statuses, answered: state.schema }), { field: bulk.field });
  const each = async (method, body) => {
    const ids = [...state.ticked];
    const refused = await sendAll(ids.map((id) => ({ method, path: path([...state.segments, id]), query: languageQuery(state.segments), body })));
    state.ticked = new Set(ids.filter((_, i) => refused[i]));
    bulk.problems = ids.map((id, i) => refused[i] && `${id}: ${refused[i]}`).filter(Boolean);
    const { ticked } = state;
    await reload();
    Object.assign(state, { ticked, bulk });
    notice(bulk.problems.length ? t("{n} were refused.", { n: bulk.problems.length }) : t("Saved."));
    refresh();
  };
  const apply = (event) => {
    event.preventDefault();
    const control = new FormData(event.target).get(bulk.field);
    const change = { [bulk.field]: control, ...changes(bulk.form, event.target) };
    each("PUT", change);
  };
  const remove = async () => {
    if (!await confirmed({ title: t("Delete {n} objects?", { n: state.ticked.size }), words: t("This cannot be undone."), keep: t("Keep them"), lose: t("Delete") })) return;
    each("DELETE");
  };
  return html`<form class="object bulk" @submit=${apply} aria-label=${t("Change the ticked ones")}>
    <strong>${t("{n} ticked", { n: state.ticked.size })}</strong>
    <label>${t("Field")}<select @change=${(event) => { bulk.field = event.target.value; refresh(); }}>
      ${body.order.map((name) => html`<option value=${name} ?selected=${name === bulk.field}>${humanize(name)}</option>`)}</select></label>
    ${fields(bulk.form, [bulk.field])}
    <div class="actions"><button class="primary">${t("Change {n}", { n: state.ticked.size })}</button>
      ${state.canDelete ? html`<button type="button" class="danger" @click=${remove}>${t("Delete")}</button>` : nothing}
      <button type="button" class="quiet" @click=${() => { state.ticked.clear(); refresh(); }}>${t("Untick")}</button></div>
    ${bulk.problems.length ? html`<ul class="problem" role="alert">${bulk.problems.slice(0, 20).map((line) => html`<li>${line}</li>`)}</ul>` : nothing}</form>`;
}
