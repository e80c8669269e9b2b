// What a new order will cost: the API's quote, or the sum of the products where it gives
// none.

import { html, nothing } from "../vendor/lit-html.js";
import { ask } from "../session.js";
import { collection, deref } from "../model.js";
import { money } from "../money.js";
import { t } from "../words.js";
import { totals } from "./lines.js";

const canQuote = () => (collection(["orders"]).post?.parameters || []).some((p) => deref(p).name === "quote");

// quoted asks for the amounts of an order after the user paused, and shows them.
export function quoted(state, bodyOf, refresh) {
  clearTimeout(state.timer);
  if (!canQuote() || !state.lines.length) return;
  state.timer = setTimeout(async () => {
    const turn = state.quoteTurn = (state.quoteTurn || 0) + 1;
    let quote = null, refused = "";
    try {
      quote = (await ask("POST", "/orders", { query: new URLSearchParams({ quote: "Y" }), body: bodyOf(state) })).data;
    } catch (e) {
      refused = e.message; // an address that is not whole yet, for example
    }
    if (turn !== state.quoteTurn) return;
    Object.assign(state, { quote, refused });
    refresh();
  }, 300);
}

export function sums(state) {
  if (state.quote) return totals(state.quote.order);
  if (!state.lines.length) return nothing;
  const sum = state.lines.reduce((n, line) => n + Number(line.product.item.price) * Number(line.amount), 0);
  return html`<dl class="totals"><div><dt>${t("Products, without options and shipping")}</dt><dd>${money(sum)}</dd></div></dl>
    ${state.refused ? html`<p class="hint">${t("The total follows once this is filled in:")} ${state.refused}</p>` : nothing}`;
}
