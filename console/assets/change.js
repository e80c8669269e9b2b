// The form that makes or changes an object, and its deletion.

import { html, nothing } from "./vendor/lit-html.js";
import { ask } from "./session.js";
import { humanize, labelOf, object } from "./model.js";
import { fields, problem } from "./form.js";
import { changes, holds, isSame } from "./typed.js";
import { keyOf, send } from "./send.js";
import { read } from "./load.js";
import { confirmed } from "./dialog.js";
import { languageQuery } from "./languages.js";
import { go, href, path } from "./address.js";
import { notice } from "./notice.js";

const primary = /^(status|price|list_price|amount|email|phone|message|parent_id|product_id|category_ids|position|name|firstname|lastname|user_type|type|value)$/;

export function changeForm(state, refresh, reload) {
  const { form: f, isNew, e } = state;
  const label = labelOf(e, state.schema);
  const first = f.body.order.filter((name) => f.body.required.includes(name) || name === label || primary.test(name));
  const main = first.length ? first : f.body.order.slice(0, 8);
  const rest = f.body.order.filter((name) => !main.includes(name));
  const submit = (event) => { event.preventDefault(); save(state, event.target, refresh, reload); };
  return html`<form class="object" id="change" novalidate .formState=${f} @submit=${submit}>
    ${fields(f, main)}
    ${rest.length ? html`<details class="more" ?open=${rest.length < 5 || rest.some((name) => f.errors[name])}><summary>${rest.length} more ${rest.length === 1 ? "field" : "fields"}</summary>${fields(f, rest)}</details>` : nothing}
    ${problem(f)}
    <div class="actions"><button class="primary" aria-disabled=${f.isSending}>${isNew ? "Create" : "Save"}</button><a class="button" href=${href(state.own)}>Back</a></div>
  </form>`;
}

// save sends what the user changed.
async function save(state, element, refresh, reload) {
  const { form: f, own, segments, isNew } = state;
  const body = changes(f, element);
  if (!Object.keys(body).length) {
    if (!isNew) return notice("Nothing was changed.");
    f.problem = "Fill in the fields of the new object.";
    return refresh();
  }
  const before = f.data;
  await send(f, element, refresh, async () => {
    if (!isNew) {
      await put(state, body);
      await reload();
      return notice(savedWords(f, before, body));
    }
    const { data } = await ask("POST", path(own), { query: languageQuery(own), body, headers: { "Idempotency-Key": keyOf(f, body) } });
    f.isDone = true;
    notice("Created.");
    go(href(object(own).get ? [...own, String(data[state.e.idField])] : own));
  });
}

// savedWords name what the API did not take: fields that the user may not change.
function savedWords(f, before, body) {
  const left = Object.keys(body).filter((name) => name in before && isSame(before, f.data, name) && !holds(f.data, { [name]: body[name] }));
  return left.length ? `Saved, but not ${left.map(humanize).join(", ")}.` : "Saved.";
}

const ifUnchanged = ({ etag }) => (etag ? { "If-Match": etag } : {});

// put sends changes. A 412 does not count where the object is as they want it: they were
// made, and the answer was lost.
async function put(state, body) {
  const { segments, own } = state;
  try {
    await ask("PUT", path(segments), { query: languageQuery(own), body, headers: ifUnchanged(state) });
  } catch (e) {
    if (e.status !== 412 || !holds((await read(segments, own)).data, body)) throw e;
  }
}

// remove deletes the object, once the user was asked.
export async function remove(state, name, refresh) {
  const { segments, own } = state;
  if (!await confirmed({ title: `Delete “${name}”?`, words: "This cannot be undone.", keep: "Keep it", lose: "Delete" })) return;
  try {
    await ask("DELETE", path(segments), { query: languageQuery(own), headers: ifUnchanged(state) });
  } catch (e) {
    if (e.status !== 404) { // else it is gone already
      state.problem = e.message;
      return refresh();
    }
  }
  for (const f of [state.form, ...state.actions.map((action) => action.form)]) if (f) f.isDone = true;
  notice("Deleted.");
  go(href(own));
}
