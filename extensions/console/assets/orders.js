// The orders of the last thirty days, by day and by status.

import { html, nothing, svg } from "./vendor/lit-html.js";
import { may } from "./privileges.js";
import { ask } from "./session.js";
import { entity } from "./model.js";
import { loadStatuses } from "./statuses.js";
import { href } from "./address.js";
import { money } from "./money.js";
import { report } from "./reports.js";
import { language, t } from "./words.js";

const days = 30;
const most = 5000; // orders that are read at most

// loadOrders returns the orders of the last days by day and by status, from the API's sums
// where there are some.
export async function loadOrders(daily) {
  const orders = entity("orders");
  if (!orders || !await may("view", [orders.name])) return null;
  const today = new Date();
  today.setHours(0, 0, 0, 0);
  const start = new Date(today);
  start.setDate(start.getDate() - days + 1);
  const state = emptyState(start, await loadStatuses(orders));
  const byDay = await daily;
  if (byDay) return fromReports(state, byDay, await report({ by: "status", time_from: String(start / 1000) }));
  const list = [];
  for (let page = 1; list.length < most; page++) {
    const query = new URLSearchParams({ items_per_page: "1000", page: String(page), time_from: String(start / 1000), period: "C" });
    const { data } = await ask("GET", "/orders", { query });
    const items = Object.values(data.orders || {});
    list.push(...items);
    if (items.length < 1000) break;
  }
  state.count = list.length;
  const key = (date) => date.toDateString();
  const index = new Map(state.byDay.map((d) => [key(d.day), d]));
  for (const order of list) {
    const d = index.get(key(new Date(Number(order.timestamp) * 1000)));
    if (!d) continue;
    d.count++;
    d.total += Number(order.total);
    state.total += Number(order.total);
    state.byStatus.set(order.status, (state.byStatus.get(order.status) || 0) + 1);
  }
  return state;
}

function emptyState(start, names) {
  const byDay = [];
  for (let i = 0; i < days; i++) {
    const day = new Date(start);
    day.setDate(day.getDate() + i);
    byDay.push({ day, count: 0, total: 0 });
  }
  return { count: 0, total: 0, byDay, byStatus: new Map(), names };
}

// fromReports fills in the sums of the API, in which orders that were cancelled are not
// counted by day.
function fromReports(state, byDay, byStatus) {
  const two = (n) => String(n).padStart(2, "0");
  for (const d of state.byDay) {
    const row = byDay.find((r) => r.day === `${d.day.getFullYear()}-${two(d.day.getMonth() + 1)}-${two(d.day.getDate())}`);
    if (row) Object.assign(d, { count: Number(row.orders), total: Number(row.total) });
    state.count += d.count;
    state.total += d.total;
  }
  for (const row of byStatus || []) state.byStatus.set(row.status, Number(row.orders));
  return state;
}

const short = (day) => new Intl.DateTimeFormat(language(), { day: "numeric", month: "short" }).format(day);

export function ordersPlots(state) {
  if (!state) return nothing;
  return html`<section class="plots" aria-label=${t("Orders of the last {n} days", { n: days })}>
    <figure class="plot"><figcaption><strong>${t("Orders per day")}</strong><span>${t("{n} orders · {sum} in {days} days", { n: state.count, sum: money(state.total), days })}</span></figcaption>${perDay(state)}</figure>
    <figure class="plot"><figcaption><strong>${t("By status")}</strong></figcaption>${perStatus(state)}</figure>
    <table class="unseen"><caption>${t("Orders per day")}</caption><thead><tr><th>${t("Day")}</th><th>${t("Orders")}</th><th>${t("Total")}</th></tr></thead>
      <tbody>${state.byDay.map((d) => html`<tr><td>${short(d.day)}</td><td>${d.count}</td><td>${d.total.toFixed(2)}</td></tr>`)}</tbody></table>
  </section>`;
}

// perDay is a bar for each day, on a scale of whole numbers. A narrow window has it in
// fewer units, so that its words can be read.
function perDay({ byDay }) {
  const width = matchMedia("(min-width: 40rem)").matches ? 640 : 340, height = 200, left = 28, bottom = 22, top = 8;
  const largest = Math.max(1, ...byDay.map((d) => d.count));
  const step = Math.max(1, Math.ceil(largest / 4));
  const scale = step * Math.ceil(largest / step);
  const y = (n) => top + (height - top - bottom) * (1 - n / scale);
  const slot = (width - left) / byDay.length;
  const lines = [];
  for (let n = 0; n <= scale; n += step) lines.push(n);
  const bar = ({ day, count }, i) => {
    const x = left + i * slot;
    const isLabelled = i % 7 === 0;
    const anchor = i > byDay.length - 3 ? "end" : "middle";
    return svg`<rect class="day" x=${x + slot * 0.15} width=${slot * 0.7} y=${y(count)} height=${Math.max(0, y(0) - y(count))} rx="2"><title>${short(day)}: ${count}</title></rect>
      ${isLabelled ? svg`<text class="tick" x=${anchor === "end" ? width : x + slot / 2} y=${height - 6} text-anchor=${anchor}>${short(day)}</text>` : nothing}`;
  };
  return html`<svg class="bars" viewBox="0 0 ${width} ${height}" role="img" aria-label=${t("A bar for each day; the table below has the numbers.")}>
    ${lines.map((n) => svg`<line class="rule" x1=${left} x2=${width} y1=${y(n)} y2=${y(n)}></line><text class="tick" x=${left - 6} y=${y(n) + 4} text-anchor="end">${n}</text>`)}
    ${byDay.map(bar)}</svg>`;
}

function perStatus({ byStatus, names }) {
  const rows = [...byStatus].sort((a, b) => b[1] - a[1]);
  const largest = Math.max(1, ...rows.map(([, n]) => n));
  if (!rows.length) return html`<p class="empty">${t("No orders in these days.")}</p>`;
  return html`<ul class="statuses">${rows.map(([status, n]) => html`<li>
    <a href=${href(["orders"], new URLSearchParams({ status }))}>${names[status] || status}</a>
    <meter min="0" max=${largest} value=${n} aria-label="${names[status] || status}: ${n}"></meter><span class="figure">${n}</span></li>`)}</ul>`;
}
