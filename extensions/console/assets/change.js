// The form that makes or changes an object, and its deletion.

import { html, nothing } from "./vendor/lit-html.js";
import { ask, Refused } from "./session.js";
import { humanize, labelOf, object } from "./model.js";
import { fields, problem } from "./form.js";
import { changes, fill, holds, isSame } from "./typed.js";
import { keyOf, send } from "./send.js";
import { read } from "./load.js";
import { confirmed, shownOnce } from "./dialog.js";
import { languageQuery } from "./languages.js";
import { go, href, path } from "./address.js";
import { notice } from "./notice.js";
import { back } from "./origin.js";
import { forgetChoices } from "./relations.js";
import { t } from "./words.js";

const primary = /^(status|price|list_price|amount|email|phone|message|parent_id|product_id|category_ids|position|name|firstname|lastname|user_type|type|value)$/;

export function changeForm(state, refresh, reload, after) {
  const { form: f, isNew } = state;
  const submit = (event) => { event.preventDefault(); save(state, event.target, refresh, reload, after); };
  return html`<form class="object" id="change" novalidate .formState=${f} @submit=${submit}>
    ${f.sections ? inSections(f) : byImportance(state)}
    ${problem(f)}
    <div class="actions save-bar"><button class="primary" aria-disabled=${f.isSending}>${isNew ? t("Create") : t("Save")}</button><a class="button" href=${back(state.own)}>${t("Back")}</a></div>
  </form>`;
}

// inSections shows the fields of a form that names their sections; the others come last.
function inSections(f) {
  const known = f.body.order.filter((name) => !f.hidden?.includes(name));
  const [[title, first], ...more] = f.sections.map(([words, names]) => [t(words), names.filter((name) => known.includes(name))]);
  const rest = known.filter((name) => !f.sections.some(([, names]) => names.includes(name)));
  const section = ([words, names], isOpen) => (names.length ? html`<details class="more" ?open=${isOpen || names.some((name) => f.errors[name])}><summary>${words}</summary>${fields(f, names)}</details>` : nothing);
  return html`<fieldset class="plain"><legend class="unseen">${title}</legend>${fields(f, first)}</fieldset>
    ${more.map((part, i) => section(part, i < (f.openSections ?? 1)))}
    ${section([t("{n} more fields", { n: rest.length }), rest], false)}`;
}

function byImportance({ form: f, e, schema }) {
  const label = labelOf(e, schema);
  const first = f.body.order.filter((name) => f.body.required.includes(name) || name === label || primary.test(name));
  const main = first.length ? first : f.body.order.slice(0, 8);
  const rest = f.body.order.filter((name) => !main.includes(name));
  return html`${fields(f, main)}
    ${rest.length ? html`<details class="more" ?open=${rest.length < 5 || rest.some((name) => f.errors[name])}><summary>${rest.length === 1 ? t("1 more field") : t("{n} more fields", { n: rest.length })}</summary>${fields(f, rest)}</details>` : nothing}`;
}

// save sends what the user changed.
async function save(state, element, refresh, reload, after) {
  const { form: f, own, isNew } = state;
  const body = { ...f.also, ...changes(f, element) };
  if (!Object.keys(body).length) {
    if (!isNew) return notice(t("Nothing was changed."));
    f.problem = t("Fill in the fields of the new object.");
    return refresh();
  }
  const before = f.data;
  await send(f, element, refresh, async () => {
    if (!isNew) {
      const isMerged = await put(state, body) === "merged";
      await reload();
      return notice(isMerged ? t("Somebody changed other fields meanwhile: both changes are saved.") : savedWords(f, before, body), undoOf(state, element, before, body, refresh, reload));
    }
    const { data } = await ask("POST", path(own), { query: languageQuery(own), body, headers: { "Idempotency-Key": keyOf(f, body) } });
    f.isDone = true;
    await after?.(String(data[state.e.replyIdField]));
    forgetChoices();
    if (data.secret) await shownOnce(data.secret);
    notice(t("Created."));
    go(href(object(own).get ? [...own, String(data[state.e.replyIdField])] : own));
  });
}

// savedWords name what the API did not take: fields that the user may not change.
function savedWords(f, before, body) {
  const left = Object.keys(body).filter((name) => name in before && isSame(before, f.data, name) && !holds(f.data, { [name]: body[name] }));
  return left.length ? t("Saved, but not {fields}.", { fields: left.map(humanize).join(", ") }) : t("Saved.");
}

const ifUnchanged = ({ etag }) => (etag ? { "If-Match": etag } : {});

// put sends changes. If somebody changed the object meanwhile, changes of other fields are
// merged; where both changed a field, the form shows the other value and the user decides.
export async function put(state, body) {
  const { segments, own, form: f } = state;
  const send = () => ask("PUT", path(segments), { query: languageQuery(own), body, headers: ifUnchanged(state) });
  try {
    return await send();
  } catch (e) {
    if (e.status !== 412) throw e;
    const before = f.data;
    Object.assign(state, await read(segments, own));
    if (holds(state.data, body)) return undefined; // it was saved, and the answer was lost
    const both = Object.keys(body).filter((name) => !isSame(before, state.data, name));
    if (!both.length) {
      await send();
      return "merged";
    }
    // What the user typed stays in the form, as a change of what was there before.
    f.data = { ...state.data, ...Object.fromEntries(both.map((name) => [name, before[name]])) };
    throw new Refused(412, { message: "", errors: Object.fromEntries(both.map((name) =>
      [name, changedTo(state.data[name])])) });
  }
}

// changedTo says to what somebody else changed a field.
export const changedTo = (v) => t("Somebody changed this meanwhile to “{value}”. Save again to keep yours.", { value: textOf(v) });

const textOf = (v) => (v !== null && typeof v === "object" ? JSON.stringify(v) : String(v ?? "")).slice(0, 200);

// undoOf takes the last change back for as long as the notice shows the button, in the language
// in which it was made. Another page may be shown by then. Keys and orders are never taken back.
function undoOf(state, element, before, body, refresh, reload) {
  const query = languageQuery(state.own);
  const names = Object.keys(body).filter((name) => name in before && !/password|secret/.test(name));
  if (state.e.name === "orders" || names.length !== Object.keys(body).length) return undefined;
  const run = async () => {
    try {
      await ask("PUT", path(state.segments), { query, body: Object.fromEntries(names.map((name) => [name, before[name]])), headers: ifUnchanged(state) });
      if (element.isConnected) await reload();
    } catch (e) {
      return notice(e.status === 412 ? t("Somebody changed this meanwhile: it cannot be undone.") : e.message);
    }
    notice(t("Undone."));
    if (!element.isConnected) return;
    refresh();
    fill(state.form, element);
  };
  return { label: t("Undo"), run };
}

// remove deletes the object, once the user was asked.
export async function remove(state, name, refresh) {
  const { segments, own } = state;
  if (!await confirmed({ title: t("Delete “{name}”?", { name }), words: t("This cannot be undone."), keep: t("Keep it"), lose: t("Delete") })) return;
  try {
    await ask("DELETE", path(segments), { query: languageQuery(own), headers: ifUnchanged(state) });
  } catch (e) {
    if (e.status !== 404) { // else it is gone already
      state.problem = e.message;
      return refresh();
    }
  }
  for (const f of [state.form, ...state.actions.map((action) => action.form)]) if (f) f.isDone = true;
  notice(t("Deleted."));
  forgetChoices();
  go(back(own));
}
