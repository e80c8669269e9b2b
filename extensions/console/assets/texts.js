// The texts of an object in all languages of the shop, side by side.

import { html, nothing } from "./vendor/lit-html.js";
import { ask } from "./session.js";
import { changedTo } from "./change.js";
import { deref, humanize } from "./model.js";
import { changes, fill, isChanged } from "./typed.js";
import { path } from "./address.js";
import { notice } from "./notice.js";
import { t } from "./words.js";

const languageOf = (code) => new URLSearchParams({ sl: code });

// textsEditor shows the translated fields of an object, which are read when it is opened.
export function textsEditor(state, refresh, reload) {
  const { form, languages, isNew, segments } = state;
  const names = form && !isNew && languages.length > 1 ? form.body.order.filter((name) => deref(form.body.properties[name])["x-translated"]) : [];
  if (!names.length) return nothing;
  const own = state.texts ||= { form: null, problem: "", isOpen: false };
  const open = async (event) => {
    own.isOpen = event.target.open;
    if (!own.isOpen || own.form) return;
    try {
      own.form = await formOf(segments, languages, names);
    } catch (e) {
      own.problem = e.message;
    }
    refresh();
  };
  const submit = async (event) => {
    event.preventDefault();
    own.problem = await save(segments, languages, own.form, event.target);
    if (!own.problem) notice(t("Saved."));
    const change = document.getElementById("change");
    const isTyped = isChanged(change);
    refresh();
    await reload().catch((e) => { own.problem ||= e.message; });
    refresh();
    if (!isTyped) fill(form, change);
  };
  const cell = (name, { code, name: language }) => html`<td><textarea rows="2" name="${code}/${name}" lang=${code} aria-label="${humanize(name)}, ${language}" .value=${own.form.data[`${code}/${name}`]}></textarea></td>`;
  return html`<details class="more texts" ?open=${own.isOpen} @toggle=${open}><summary>${t("Texts in all languages")}</summary>
    ${own.form ? html`<form @submit=${submit} .formState=${own.form}><div class="scroll plain" role="region" aria-label=${t("Texts in all languages")} tabindex="0"><table>
      <thead><tr><th scope="col">${t("Field")}</th>${languages.map((l) => html`<th scope="col">${l.name}</th>`)}</tr></thead>
      <tbody>${names.map((name) => html`<tr><th scope="row">${humanize(name)}</th>${languages.map((l) => cell(name, l))}</tr>`)}</tbody></table></div>
      <div class="actions"><button class="primary">${t("Save all languages")}</button></div></form>` : nothing}
    ${own.problem ? html`<p class="problem" role="alert">${own.problem}</p>` : nothing}</details>`;
}

const textOf = (v) => String(v ?? "").replace(/\r\n?/g, "\n");

// formOf reads the object in each language. The fields of the form have the names CODE/FIELD.
async function formOf(segments, languages, names) {
  const f = { data: {}, etags: {}, body: { properties: {}, order: [] } };
  await Promise.all(languages.map(async ({ code }) => {
    const { data, etag } = await ask("GET", path(segments), { query: languageOf(code) });
    f.etags[code] = etag;
    for (const name of names) {
      f.data[`${code}/${name}`] = textOf(data[name]);
      f.body.properties[`${code}/${name}`] = { type: "string" };
    }
  }));
  return f;
}

// save sends the changed texts of each language, and returns what is wrong with them.
async function save(segments, languages, f, element) {
  const changed = Object.entries(changes(f, element));
  for (const { code, name: language } of languages) {
    const own = changed.filter(([name]) => name.startsWith(`${code}/`));
    if (!own.length) continue;
    try {
      await put(segments, code, f, Object.fromEntries(own.map(([name, v]) => [name.slice(code.length + 1), v])));
      Object.assign(f.data, Object.fromEntries(own));
    } catch (e) {
      return `${language}: ${e.message}`;
    }
  }
  return "";
}

// put sends texts of a language. Texts that somebody else changed meanwhile are replaced once the user
// saves again.
async function put(segments, code, f, body) {
  const send = () => ask("PUT", path(segments), { query: languageOf(code), body, headers: f.etags[code] ? { "If-Match": f.etags[code] } : {} });
  try {
    await send();
  } catch (e) {
    if (e.status !== 412) throw e;
    const { data, etag } = await ask("GET", path(segments), { query: languageOf(code) });
    f.etags[code] = etag;
    const both = Object.keys(body).filter((name) => ![f.data[`${code}/${name}`], body[name]].includes(textOf(data[name])));
    if (both.length) throw new Error(both.map((name) => `${humanize(name)}: ${changedTo(data[name])}`).join(" "));
    await send();
  }
}
