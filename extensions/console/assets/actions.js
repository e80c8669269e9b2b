// What can be done to an object beside changing its fields, each with the form that its
// payload asks for.

import { html, nothing } from "./vendor/lit-html.js";
import { ask } from "./session.js";
import { actionOf, bodyOf, humanize } from "./model.js";
import { fields, newForm, problem } from "./form.js";
import { changes } from "./typed.js";
import { keyOf, send } from "./send.js";
import { value } from "./format.js";
import { path } from "./address.js";
import { notice } from "./notice.js";
import { t } from "./words.js";

// loadActions are the actions of an object, for a user who may carry them out.
export const loadActions = (e, segments) => e.actions.map((name) => {
  const operation = actionOf(segments, name);
  return { name, summary: operation?.summary, form: newForm(bodyOf(operation), {}, { prefix: name }), answer: null };
});

// actionForms shows them. After one was carried out, reload reads the object again.
export function actionForms({ actions, segments }, refresh, reload) {
  if (!actions.length) return nothing;
  return html`<section class="object" aria-labelledby="actions"><h2 id="actions">${t("Actions")}</h2>
    ${actions.map((action) => actionForm(action, segments, refresh, reload))}</section>`;
}

function actionForm(action, segments, refresh, reload) {
  const { form, name } = action;
  const submit = (event) => {
    event.preventDefault();
    const element = event.target;
    send(form, element, refresh, async () => {
      const body = changes(form, element);
      const { data } = await ask("POST", path([...segments, name]), { body, headers: { "Idempotency-Key": keyOf(form, body) } });
      action.answer = data;
      await reload();
      notice(t("{action}: done.", { action: humanize(name) }));
    });
  };
  const names = form.body.order;
  const button = html`<button aria-disabled=${form.isSending}>${names.length ? t("Carry out") : humanize(name)}</button>`;
  const inside = html`<form novalidate id="action-${name}" .formState=${form} @submit=${submit}>
    ${names.length ? fields(form, names) : nothing}${problem(form)}
    <div class="actions">${button}${names.length ? nothing : html`<span class="summary">${action.summary}.</span>`}</div></form>
    ${action.answer ? html`<div class="answer">${value("answer", null, action.answer)}</div>` : nothing}`;
  return names.length ? html`<details class="more"><summary>${humanize(name)}</summary><p class="summary">${action.summary}.</p>${inside}</details>` : inside;
}
