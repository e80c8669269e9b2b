// A credit memo of an invoice: pieces of its lines, shipping, payment fee, or all that is
// left.

import { html, nothing } from "../vendor/lit-html.js";
import { ask } from "../session.js";
import { confirmed } from "../dialog.js";
import { keyOf } from "../send.js";
import { notice } from "../notice.js";
import { money } from "../money.js";
import { t } from "../words.js";

const amounts = { shipping_cost: "Shipping", payment_surcharge: "Payment fee" };

// leftOf returns what is not credited yet: pieces by item id, and amounts.
export function leftOf(issued) {
  const [invoice, ...memos] = [...issued].sort((a, b) => (b.kind === "invoice") - (a.kind === "invoice"));
  if (invoice?.kind !== "invoice") return null;
  const less = (name) => (Number(invoice[name]) - memos.reduce((n, memo) => n + Number(memo[name]), 0)).toFixed(2);
  const pieces = (id) => memos.reduce((n, memo) => n - Number(memo.products[id]?.amount || 0), Number(invoice.products[id].amount));
  return {
    currency: invoice.currency, total: less("total"), shipping_cost: less("shipping_cost"), payment_surcharge: less("payment_surcharge"),
    lines: Object.entries(invoice.products).map(([id, line]) => ({ id, product: line.product, pieces: pieces(id) })).filter((line) => line.pieces > 0),
  };
}

// creditOf is the body of a credit memo, from what was typed; null where nothing was.
export function creditOf(left, typed) {
  const body = {};
  const products = left.lines.map(({ id }) => [id, Number(typed(`credit-${id}`) || 0)]).filter(([, amount]) => amount > 0);
  if (products.length) body.products = Object.fromEntries(products.map(([id, amount]) => [id, { amount: String(amount) }]));
  for (const name of Object.keys(amounts)) if (Number(typed(name) || 0)) body[name] = typed(name).trim();
  return Object.keys(body).length ? body : null;
}

export function creditForm(state, refresh, reload) {
  const left = leftOf(state.issued);
  if (!left || Number(left.total) <= 0 || !state.actions.some((action) => action.name === "issue_credit_memo")) return nothing;
  const form = state.credit ||= { problem: "", isOpen: false };
  const issue = async (body, element) => {
    if (form.isSending || !await confirmed({ title: t("Issue a credit memo?"), words: t("It gets a number, and is kept as it is."), keep: t("Not now"), lose: t("Issue it") })) return;
    form.isSending = true;
    try {
      await ask("POST", `/orders/${state.data.order_id}/issue_credit_memo`, { body, headers: { "Idempotency-Key": keyOf(form, body) } });
    } catch (e) {
      form.problem = e.message;
      return refresh();
    } finally {
      form.isSending = false;
    }
    state.credit = null;
    element.reset();
    element.closest("details").open = false;
    notice(t("The credit memo is issued."));
    await reload();
  };
  const submit = (event) => {
    event.preventDefault();
    const data = new FormData(event.target);
    const body = creditOf(left, (name) => data.get(name));
    if (body) return issue(body, event.target);
    form.problem = t("Say what is credited, or credit all that is left.");
    return refresh();
  };
  const row = (line) => html`<li><label for="credit-${line.id}">${line.product}</label>
    <input type="number" id="credit-${line.id}" name="credit-${line.id}" min="0" max=${line.pieces} value="0" class="pieces"> <span class="summary">${t("of {n}", { n: line.pieces })}</span></li>`;
  const amount = ([name, words]) => (Number(left[name]) > 0 ? html`<div class="field"><label for="credit-${name}">${t(words)}</label>
    <input id="credit-${name}" name=${name} inputmode="decimal" autocomplete="off"><p class="hint">${t("up to {amount}", { amount: money(left[name], left.currency) })}</p></div>` : nothing);
  return html`<details class="more credit" ?open=${form.isOpen} @toggle=${(event) => { form.isOpen = event.target.open; }}>
    <summary>${t("Issue a credit memo")}</summary>
    <form @submit=${submit}><ul class="ship-lines">${left.lines.map(row)}</ul><div class="fields narrow">${Object.entries(amounts).map(amount)}</div>
      ${form.problem ? html`<p class="problem" role="alert">${form.problem}</p>` : nothing}
      <div class="actions"><button class="primary" aria-disabled=${Boolean(form.isSending)}>${t("Credit these")}</button>
        <button type="button" @click=${(event) => issue({}, event.target.form)}>${t("Credit all that is left: {amount}", { amount: money(left.total, left.currency) })}</button></div></form></details>`;
}
