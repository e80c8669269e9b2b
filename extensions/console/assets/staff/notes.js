// What customer and staff wrote about an order.

import { html, nothing } from "../vendor/lit-html.js";
import { put } from "../change.js";
import { notice } from "../notice.js";
import { textState } from "../typed.js";
import { t } from "../words.js";

export function notes(state, refresh, reload) {
  const { data: order, form } = state;
  const own = state.noteForm ||= { text: order.details, problem: "" };
  const save = async (event) => {
    event.preventDefault();
    const details = event.target.elements.details.value;
    try {
      await put(state, { details });
      state.noteForm = null;
      await reload();
    } catch (e) {
      own.problem = e.errors?.details || e.message;
      return refresh();
    }
    notice(t("Saved."));
  };
  return html`<section class="object" aria-labelledby="notes"><h2 id="notes">${t("Notes")}</h2>
    ${order.notes ? html`<h3>${t("From the customer")}</h3><p class="text">${order.notes}</p>` : nothing}
    ${form ? html`<form .formState=${textState("details", own.text)} @submit=${save}><label for="details">${t("For staff only")}</label>
      <textarea id="details" name="details" rows="3" .value=${own.text}></textarea>
      ${own.problem ? html`<p class="problem" role="alert">${own.problem}</p>` : nothing}
      <div class="actions"><button>${t("Save note")}</button></div></form>` : order.details ? html`<h3>${t("For staff only")}</h3><p class="text">${order.details}</p>` : nothing}</section>`;
}
