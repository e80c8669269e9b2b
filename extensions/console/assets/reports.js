// The sums of orders that the API computes, and periods that staff compares.

import { html, nothing } from "./vendor/lit-html.js";
import { ask } from "./session.js";
import { isThere } from "./model.js";
import { counted, money } from "./money.js";
import { language, t } from "./words.js";

// report returns the rows of GET reports/orders, null where the API has none for the user.
export async function report(query) {
  if (!isThere("/reports/orders")) return null;
  try {
    const { data } = await ask("GET", "/reports/orders", { query: new URLSearchParams({ ...query, items_per_page: "500" }) }); // at most 400 days
    return data.rows;
  } catch (e) {
    if (e.status === 404 || e.status === 403) return null;
    throw e;
  }
}

const month = (back) => {
  const now = new Date();
  return new Date(now.getFullYear(), now.getMonth() - back, 1);
};

const seconds = (at) => Math.floor(at / 1000);

// dailySums returns the sums of each day since the beginning of the month before the last
// one, null where there are none for the user.
export const dailySums = () => report({ by: "day", time_from: String(seconds(month(2))) });

// months returns the sums of this calendar month and the two before it.
export function months(rows) {
  return [0, 1, 2].map((back) => {
    const from = month(back);
    const prefix = `${from.getFullYear()}-${String(from.getMonth() + 1).padStart(2, "0")}`;
    const days = rows.filter((row) => row.day.startsWith(prefix));
    return { from, orders: days.reduce((n, row) => n + Number(row.orders), 0), total: days.reduce((n, row) => n + Number(row.total), 0) };
  });
}

export function monthCards(sums) {
  if (!sums) return nothing;
  const name = new Intl.DateTimeFormat(language(), { month: "long", year: "numeric" });
  const percent = new Intl.NumberFormat(language(), { style: "percent", signDisplay: "exceptZero" });
  const card = ({ from, orders, total }, i) => {
    const before = sums[i + 1];
    return html`<li><strong>${name.format(from)}</strong><span class="number">${money(total)}</span>
      <span class="summary">${counted(orders)}${i > 0 && before?.total ? html` · ${percent.format(total / before.total - 1)} ${t("to the month before")}` : nothing}</span></li>`;
  };
  return html`<ul class="cards months" aria-label=${t("Sums of months")}>${sums.slice(0, 2).map(card)}</ul>`;
}
