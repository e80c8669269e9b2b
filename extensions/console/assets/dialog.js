// Questions before something is lost, and what is shown once.

import { html, nothing, render } from "./vendor/lit-html.js";
import { notice } from "./notice.js";
import { t } from "./words.js";

// confirmed asks, and reports whether the user wants what the question warns of: "more" where the
// user also ticks the words more. Escape keeps things as they are.
export function confirmed({ title, words, keep, lose, more = "" }) {
  const dialog = document.createElement("dialog");
  dialog.setAttribute("aria-labelledby", "question");
  dialog.setAttribute("aria-describedby", "consequence");
  render(html`<h2 id="question">${title}</h2><p id="consequence">${words}</p>
    <form method="dialog">${more ? html`<label class="check"><input type="checkbox" name="more">${more}</label>` : nothing}
      <div class="actions"><button value="">${keep}</button><button class="danger" value="lose">${lose}</button></div></form>`, dialog);
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      const isMore = Boolean(dialog.querySelector("[name=more]")?.checked);
      dialog.remove();
      resolve(dialog.returnValue === "lose" && (isMore ? "more" : true));
    });
  });
}

// asked asks for a text, and returns it; "" if the user does not give one.
export function asked({ title, label, value }) {
  const dialog = document.createElement("dialog");
  dialog.setAttribute("aria-labelledby", "question");
  render(html`<h2 id="question">${title}</h2><form method="dialog"><label for="asked">${label}</label><input id="asked" name="asked" autocomplete="off" .value=${value}>
    <div class="actions"><button class="primary" value="given">${t("Continue")}</button><button value="">${t("Cancel")}</button></div></form>`, dialog);
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      const text = dialog.querySelector("input").value.trim();
      dialog.remove();
      resolve(dialog.returnValue === "given" ? text : "");
    });
  });
}

// shownOnce shows a secret that the API does not answer again, until the user closes it.
export function shownOnce(secret) {
  const dialog = document.createElement("dialog");
  dialog.setAttribute("aria-labelledby", "secret");
  const copy = () => navigator.clipboard?.writeText(secret).then(() => notice(t("Copied.")), () => {});
  render(html`<h2 id="secret">${t("The secret is shown this once:")}</h2><p><code class="key">${secret}</code></p>
    <form method="dialog" class="actions"><button type="button" @click=${copy}>${t("Copy")}</button><button class="primary">${t("Close")}</button></form>`, dialog);
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve();
    });
  });
}
