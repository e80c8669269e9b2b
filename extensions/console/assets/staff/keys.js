// The API keys of a user: made and shown once, and revoked.

import { html, nothing } from "../vendor/lit-html.js";
import { ask } from "../session.js";
import { collection } from "../model.js";
import { rights } from "../privileges.js";
import { time } from "../format.js";
import { date } from "../money.js";
import { confirmed } from "../dialog.js";
import { notice } from "../notice.js";
import { t } from "../words.js";

const at = (id) => `/users/${encodeURIComponent(id)}/keys`;

export async function loadKeys({ isNew, segments, data }) {
  if (isNew || data.user_type === "C" || !collection(["users", "0", "keys"]).get) return null;
  try {
    const { data: answer } = await ask("GET", at(segments[1]));
    return { list: Object.values(answer.keys || {}), made: null, problem: "", isRoot: (await rights())?.is_root === "Y" };
  } catch {
    return null; // keys of others are root's alone
  }
}

export function keyEditor(state, refresh) {
  const { keys, segments } = state;
  if (!keys) return nothing;
  const reload = async () => {
    keys.list = Object.values((await ask("GET", at(segments[1]))).data.keys || {});
    refresh();
  };
  const make = async (event) => {
    event.preventDefault();
    const form = event.target;
    try {
      const { data } = await ask("POST", at(segments[1]), { body: { note: form.elements.note.value.trim() } });
      keys.made = data.key;
      keys.problem = "";
      form.reset();
      await reload();
    } catch (e) {
      keys.problem = e.message;
      refresh();
    }
  };
  const revoke = async (key) => {
    const answer = await confirmed({ title: t("Revoke this key?"), words: t("Programs that use it are refused at once. Keys of the same user that were made with it end too."), keep: t("Keep it"), lose: t("Revoke"),
      more: keys.isRoot ? t("Also revoke the keys of other users that were made with it.") : "" });
    if (!answer) return;
    try {
      await ask("DELETE", `${at(segments[1])}/${key.key_id}`, { query: new URLSearchParams(answer === "more" ? { made: "Y" } : {}) });
      notice(t("Revoked."));
      await reload();
    } catch (e) {
      keys.problem = e.message;
      refresh();
    }
  };
  const copy = () => navigator.clipboard?.writeText(keys.made).then(() => notice(t("Copied.")), () => {});
  return html`<section class="object" aria-labelledby="keys"><h2 id="keys">${t("API keys")}</h2>
    ${keys.made ? html`<div class="answer"><p>${t("The new key is shown this once:")}</p><p><code class="key">${keys.made}</code> <button @click=${copy}>${t("Copy")}</button></p></div>` : nothing}
    ${keys.list.length ? html`<ul class="ship-lines keys-list">${keys.list.map((key) => html`<li><span class="check">${key.note || t("no note")}</span>
      <span class="summary">${t("made")} ${time(key.created)}${Number(key.last_used) ? html`, ${t("last used")} ${date(key.last_used)}` : nothing}</span>
      <button class="danger" @click=${() => revoke(key)}>${t("Revoke")}</button></li>`)}</ul>` : html`<p class="summary">${t("No keys yet.")}</p>`}
    ${keys.problem ? html`<p class="problem" role="alert">${keys.problem}</p>` : nothing}
    <form class="inline" @submit=${make}><label class="unseen" for="key-note">${t("What the key is for")}</label>
      <input id="key-note" name="note" maxlength="255" placeholder=${t("What the key is for")} autocomplete="off"><button>${t("Make a key")}</button></form></section>`;
}
