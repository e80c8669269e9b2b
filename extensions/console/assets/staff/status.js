// The status of an order, changed with one choice that says what it does.

import { html, nothing } from "../vendor/lit-html.js";
import { ask } from "../session.js";
import { notice } from "../notice.js";
import { t } from "../words.js";

const decreases = (rule) => rule?.params?.inventory === "D";

// effects are the consequences of a change of status, in sentences.
function effects(rules, from, to, isNotifying) {
  const found = [];
  if (decreases(rules[to]) && !decreases(rules[from])) found.push(t("The products are taken from stock."));
  if (!decreases(rules[to]) && decreases(rules[from])) found.push(t("The products go back to stock."));
  if (isNotifying) found.push(t("The shop tells the customer."));
  return found.join(" ");
}

export function statusControl(state, refresh, reload) {
  const { data: order, statuses, rules } = state;
  if (!state.form || !Object.keys(statuses).length) return nothing;
  const now = state.newStatus ?? order.status;
  const isNotifying = state.isNotifying ?? true;
  const change = async () => {
    try {
      await ask("PUT", `/orders/${order.order_id}`, { body: { status: now, ...(isNotifying ? { notify_user: "Y" } : {}) }, headers: state.etag ? { "If-Match": state.etag } : {} });
    } catch (e) {
      state.problem = e.status === 412 ? t("Somebody changed this order meanwhile. Look at it again, then change the status.") : e.message;
      if (e.status !== 412) return refresh();
    }
    state.newStatus = undefined;
    await reload();
    if (!state.problem) notice(t("The order is now {status}.", { status: statuses[state.data.status] || now }));
  };
  return html`<div class="status-bar">
    <label for="new-status">${t("Status")}</label>
    <select id="new-status" @change=${(event) => { state.newStatus = event.target.value; state.problem = ""; refresh(); }}>
      ${Object.entries(statuses).map(([code, name]) => html`<option value=${code} ?selected=${code === now}>${name}</option>`)}</select>
    ${now === order.status ? nothing : html`
      <label class="check"><input type="checkbox" .checked=${isNotifying} @change=${(event) => { state.isNotifying = event.target.checked; refresh(); }}>${t("Tell the customer")}</label>
      <button class="primary" @click=${change}>${t("Change status")}</button>
      <span class="summary" role="status">${effects(rules, order.status, now, isNotifying)}</span>`}</div>`;
}
