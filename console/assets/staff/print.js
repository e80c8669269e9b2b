// Papers made for print: an invoice, a packing slip. The words are in the language of the
// order, see printWords.

import { html, nothing, render } from "../vendor/lit-html.js";
import { ask } from "../session.js";
import { entity } from "../model.js";
import { may } from "../privileges.js";
import { money } from "../money.js";
import { addressLines } from "./addresses.js";
import { chosenOptions } from "./lines.js";

const english = {
  invoice: "Invoice", packing: "Packing slip", order: "Order", date: "Date", number: "Number", billing: "Billing address", shipping: "Shipping address",
  product: "Product", code: "Code", pieces: "Pieces", price: "Price", sum: "Sum", products: "Products", discount: "Discount", delivery: "Shipping",
  fee: "Payment fee", including: "including", total: "Total", payment: "Payment",
};

// printWords returns the words of the papers: language variables named print_invoice,
// print_total and so on, as the shop wrote them in the language of the order, else English.
async function printWords(code) {
  if (!entity("langvars") || !await may("view", ["langvars"])) return english;
  try {
    const { data } = await ask("GET", "/langvars", { query: new URLSearchParams({ items_per_page: "100", lang_code: code, name: "print_" }) });
    const own = Object.values(data.langvars || {}).filter((v) => v.lang_code === code && v.name.startsWith("print_"));
    return { ...english, ...Object.fromEntries(own.map((v) => [v.name.slice("print_".length), v.value])) };
  } catch {
    return english;
  }
}

async function seller() {
  if (!entity("settings") || !await may("view", ["settings"])) return [];
  try {
    const { data } = await ask("GET", "/settings", { query: new URLSearchParams({ items_per_page: "1000" }) });
    const value = Object.fromEntries(Object.values(data.settings || data).map((s) => [s.name, s.value]));
    return [value.company_name, value.company_address, [value.company_zipcode, value.company_city].filter(Boolean).join(" "), value.company_country, value.company_phone].filter(Boolean);
  } catch {
    return [];
  }
}

// printPaper opens the browser's print dialog with a paper, "invoice" or "packing".
export async function printPaper({ data: order, issued }, kind) {
  const [words, from] = await Promise.all([printWords(order.lang_code), seller()]);
  const root = document.createElement("div");
  root.id = "paper";
  root.lang = order.lang_code || "en";
  render(paper(order, kind, words, from, issued.find((d) => d.kind === "invoice")), root);
  document.body.append(root);
  addEventListener("afterprint", () => root.remove(), { once: true });
  print();
}

function paper(order, kind, words, from, invoice) {
  const isInvoice = kind === "invoice";
  const day = new Intl.DateTimeFormat(order.lang_code || undefined, { dateStyle: "long" });
  const at = (seconds) => day.format(new Date(Number(seconds) * 1000));
  const row = (line) => html`<tr><td>${line.product_code}</td><td>${line.product}${chosenOptions(line) ? html`<br><small>${chosenOptions(line)}</small>` : nothing}</td>
    <td class="figure">${line.amount}</td>${isInvoice ? html`<td class="figure">${money(line.price)}</td><td class="figure">${money(line.subtotal)}</td>` : html`<td class="tick"></td>`}</tr>`;
  const sum = (title, amount, isShown = Number(amount) !== 0) => (isShown ? html`<div><dt>${title}</dt><dd>${money(amount)}</dd></div>` : nothing);
  return html`<header><address>${from.map((line) => html`${line}<br>`)}</address><h1>${words[kind]}</h1></header>
    <dl class="paper-facts"><div><dt>${words.order}</dt><dd>${order.order_id}</dd></div>
      ${isInvoice && order.invoice_id ? html`<div><dt>${words.number}</dt><dd>${order.invoice_id}</dd></div>` : nothing}
      <div><dt>${words.date}</dt><dd>${at(isInvoice && invoice ? invoice.date : order.timestamp)}</dd></div></dl>
    <div class="paper-addresses">${isInvoice ? address(words.billing, order, "b_") : nothing}${address(words.shipping, order, "s_")}</div>
    <table><thead><tr><th>${words.code}</th><th>${words.product}</th><th class="figure">${words.pieces}</th>${isInvoice ? html`<th class="figure">${words.price}</th><th class="figure">${words.sum}</th>` : html`<th></th>`}</tr></thead>
      <tbody>${Object.values(order.products || {}).map(row)}</tbody></table>
    ${isInvoice ? html`<dl class="totals">${sum(words.products, order.subtotal, true)}${sum(words.discount, -order.subtotal_discount)}${sum(words.delivery, order.shipping_cost)}
      ${sum(words.fee, order.payment_surcharge)}${Object.values(order.taxes || {}).map((tax) => sum(tax.price_includes_tax === "Y" ? `${words.including} ${tax.description}` : tax.description, tax.tax_subtotal))}
      <div class="total"><dt>${words.total}</dt><dd>${money(order.total)}</dd></div></dl><p>${words.payment}: ${order.payment_method?.payment}</p>` : nothing}`;
}

const address = (title, order, prefix) =>
  html`<div><h2>${title}</h2><address>${addressLines(order, prefix).map((line) => html`${line}<br>`)}</address></div>`;
