// Papers made for print: an invoice, a credit memo, a packing slip. The words are in the
// language of the order, see printWords.

import { html, nothing, render } from "../vendor/lit-html.js";
import { ask } from "../session.js";
import { entity } from "../model.js";
import { may } from "../privileges.js";
import { money } from "../money.js";
import { countryName } from "../countries.js";
import { addressLines } from "./addresses.js";
import { chosenOptions } from "./lines.js";

const english = {
  invoice: "Invoice", credit_memo: "Credit memo", packing: "Packing slip", order: "Order", date: "Date", number: "Number", billing: "Billing address", shipping: "Shipping address",
  product: "Product", code: "Code", pieces: "Pieces", price: "Price", sum: "Sum", products: "Products", discount: "Discount", delivery: "Shipping",
  fee: "Payment fee", including: "including", rounding: "Rounding", total: "Total", payment: "Payment",
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

// seller returns the lines of the shop's own address.
async function seller(language) {
  if (!entity("settings") || !await may("view", ["settings"])) return [];
  try {
    const { data } = await ask("GET", "/settings", { query: new URLSearchParams({ items_per_page: "1000" }) });
    const value = Object.fromEntries(Object.values(data.settings || data).map((s) => [s.name, s.value]));
    return [value.company_name, value.company_address, [value.company_zipcode, value.company_city].filter(Boolean).join(" "), countryName(value.company_country || "", language), value.company_phone];
  } catch {
    return [];
  }
}

const isIncluded = (tax) => tax.price_includes_tax === "Y";

// sumsOf are the amounts of an order or a document in the order of its sum: [title, amount].
const sumsOf = (of, words) => [
  [words.discount, -of.subtotal_discount], [words.delivery, of.shipping_cost], [words.fee, of.payment_surcharge],
  ...Object.values(of.taxes || {}).map((tax) => [isIncluded(tax) ? `${words.including} ${tax.description}` : tax.description, tax.tax_subtotal]),
  [words.rounding, of.total_adjustment],
].filter(([, amount]) => Number(amount) !== 0);

// printPaper prints an order as an "invoice" without a number, or as a "packing" slip.
export async function printPaper({ data: order }, kind) {
  const [words, from] = await Promise.all([printWords(order.lang_code), seller(order.lang_code || "en")]);
  const shipping = [words.shipping, addressLines(order, "s_", order.lang_code || "en")];
  printed(order, words, {
    kind, from, of: order, currency: undefined, date: order.timestamp,
    facts: [[words.order, order.order_id], ...(kind === "invoice" && order.invoice_id ? [[words.number, order.invoice_id]] : [])],
    to: kind === "invoice" ? [[words.billing, addressLines(order, "b_", order.lang_code || "en")], shipping] : [shipping],
    end: kind === "invoice" ? `${words.payment}: ${order.payment_method?.payment || ""}` : "",
  });
}

// printDocument prints an invoice or a credit memo as it was issued.
export async function printDocument({ data: order, issued }, d) {
  const words = await printWords(order.lang_code);
  const { seller: s, buyer: b } = d;
  const invoice = issued.find((other) => other.kind === "invoice");
  printed(order, words, {
    kind: d.kind, of: d, currency: d.currency, date: d.date, end: "",
    from: [s.company, s.address, [s.zipcode, s.city].filter(Boolean).join(" "), s.state, countryName(s.country || "", order.lang_code || "en"), s.phone, s.email],
    facts: [[words.number, d.number], ...(d.kind === "credit_memo" && invoice ? [[words.invoice, invoice.number]] : []), [words.order, order.order_id]],
    to: [[words.billing, [b.company, [b.firstname, b.lastname].filter(Boolean).join(" "), b.address, b.address_2, [b.zipcode, b.city].filter(Boolean).join(" "), b.state, countryName(b.country || "", order.lang_code || "en")]]],
  });
}

// printed opens the browser's print dialog with a paper.
function printed(order, words, content) {
  const root = document.createElement("main");
  root.id = "paper";
  root.lang = order.lang_code || "en";
  render(paper(content, words, root.lang), root);
  document.body.append(root);
  addEventListener("afterprint", () => root.remove(), { once: true });
  print();
}

function paper({ kind, from, facts, date, to, of, currency, end }, words, language) {
  const hasAmounts = kind !== "packing";
  const day = new Intl.DateTimeFormat(language, { dateStyle: "long" }).format(new Date(Number(date) * 1000));
  const pieces = (line) => (Number(line.amount) ? line.amount : ""); // a credit memo may credit an amount without pieces
  const row = (line) => html`<tr><td>${line.product_code}</td><td>${line.product}${chosenOptions(line) ? html`<br><small>${chosenOptions(line)}</small>` : nothing}</td>
    <td class="figure">${pieces(line)}</td>${hasAmounts ? html`<td class="figure">${pieces(line) && money(line.price, currency)}</td><td class="figure">${money(line.subtotal, currency)}</td>` : html`<td class="tick"></td>`}</tr>`;
  const sum = ([title, amount]) => html`<div><dt>${title}</dt><dd>${money(amount, currency)}</dd></div>`;
  return html`<header><address>${lines(from)}</address><h1>${words[kind]}</h1></header>
    <dl class="paper-facts">${[...facts, [words.date, day]].map(([title, v]) => html`<div><dt>${title}</dt><dd>${v}</dd></div>`)}</dl>
    <div class="paper-addresses">${to.map(([title, address]) => html`<div><h2>${title}</h2><address>${lines(address)}</address></div>`)}</div>
    <table><thead><tr><th>${words.code}</th><th>${words.product}</th><th class="figure">${words.pieces}</th>${hasAmounts ? html`<th class="figure">${words.price}</th><th class="figure">${words.sum}</th>` : html`<td></td>`}</tr></thead>
      <tbody>${Object.values(of.products || {}).map(row)}</tbody></table>
    ${hasAmounts ? html`<dl class="totals">${[[words.products, of.subtotal], ...sumsOf(of, words)].map(sum)}
      <div class="total"><dt>${words.total}</dt><dd>${money(of.total, currency)}</dd></div></dl>` : nothing}
    ${end ? html`<p>${end}</p>` : nothing}`;
}

const lines = (address) => address.filter(Boolean).map((line) => html`${line}<br>`);
