// Printed papers of an order: the invoice and the packing slip, and the numbers of invoices
// and credit memos where the API gives them.

import { html, nothing } from "../vendor/lit-html.js";
import { ask } from "../session.js";
import { collection } from "../model.js";
import { keyOf } from "../send.js";
import { notice } from "../notice.js";
import { date, money } from "../money.js";
import { t } from "../words.js";
import { creditForm } from "./credit.js";
import { printDocument, printPaper } from "./print.js";

export async function loadDocuments(segments) {
  if (!collection([...segments, "documents"]).get) return [];
  try {
    const { data } = await ask("GET", `/orders/${encodeURIComponent(segments[1])}/documents`);
    return Object.values(data.documents || {});
  } catch {
    return []; // the order is shown without them
  }
}

export function documents(state, refresh, reload) {
  const { data: order, issued } = state;
  const canIssue = !order.invoice_id && state.actions.some((action) => action.name === "issue_invoice");
  const issue = async () => {
    const form = state.issuing ||= {};
    try {
      await ask("POST", `/orders/${order.order_id}/issue_invoice`, { body: {}, headers: { "Idempotency-Key": keyOf(form, { issue: order.order_id }) } });
    } catch (e) {
      state.problem = e.message;
      return refresh();
    }
    notice(t("The invoice has its number."));
    await reload();
  };
  const row = (d) => html`<li><span>${d.kind === "invoice" ? t("Invoice") : t("Credit memo")} <strong>${d.number}</strong> <span class="summary">${date(d.date)} · ${money(d.total, d.currency)}</span></span>
    <button class="reads" aria-label="${t("Print")} ${d.number}" @click=${() => printDocument(state, d)}>${t("Print")}</button></li>`;
  return html`<section class="object" aria-labelledby="papers"><h2 id="papers">${t("Papers")}</h2>
    ${issued.length ? html`<ul class="ship-lines">${issued.map(row)}</ul>` : order.invoice_id ? html`<p>${t("Invoice")} <strong>${order.invoice_id}</strong></p>` : nothing}
    <div class="actions">
      ${issued.length ? nothing : html`<button class="reads" @click=${() => printPaper(state, "invoice")}>${t("Print invoice")}</button>`}
      <button class="reads" @click=${() => printPaper(state, "packing")}>${t("Print packing slip")}</button>
      ${canIssue ? html`<button @click=${issue}>${t("Give it an invoice number")}</button>` : nothing}</div>
    ${creditForm(state, refresh, reload)}</section>`;
}
