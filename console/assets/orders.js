// The orders of the last thirty days, by day and by status.

import { html, nothing, svg } from "./vendor/lit-html.js";
import { ask, may } from "./session.js";
import { entity } from "./model.js";
import { href } from "./list.js";

const days = 30;
const most = 5000; // orders that are read at most

export async function loadOrders() {
  const orders = entity("orders");
  if (!orders || !await may("view", orders)) return null;
  const today = new Date();
  today.setHours(0, 0, 0, 0);
  const start = new Date(today);
  start.setDate(start.getDate() - days + 1);
  const list = [];
  for (let page = 1; list.length < most; page++) {
    const query = new URLSearchParams({ items_per_page: "1000", page: String(page), time_from: String(start / 1000), period: "C" });
    const { data } = await ask("GET", "/orders", { query });
    const items = Object.values(data.orders || {});
    list.push(...items);
    if (items.length < 1000) break;
  }
  const state = { count: list.length, total: 0, byDay: [], byStatus: new Map(), names: await statusNames() };
  for (let i = 0; i < days; i++) {
    const day = new Date(start);
    day.setDate(day.getDate() + i);
    state.byDay.push({ day, count: 0, total: 0 });
  }
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

async function statusNames() {
  const statuses = entity("statuses");
  if (!statuses || !await may("view", statuses)) return {};
  const { data } = await ask("GET", "/statuses", { query: new URLSearchParams({ items_per_page: "100" }) });
  return Object.fromEntries(Object.values(data.statuses || {}).map((s) => [s.status, s.description]));
}

const short = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const money = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });

export function ordersPlots(state) {
  if (!state) return nothing;
  return html`<section class="plots" aria-label="Orders of the last ${days} days">
    <figure class="plot"><figcaption><strong>Orders per day</strong><span>${state.count} orders, ${money.format(state.total)} in all, ${days} days</span></figcaption>${perDay(state)}</figure>
    <figure class="plot"><figcaption><strong>By status</strong></figcaption>${perStatus(state)}</figure>
    <table class="unseen"><caption>Orders per day</caption><thead><tr><th>Day</th><th>Orders</th><th>Total</th></tr></thead>
      <tbody>${state.byDay.map((d) => html`<tr><td>${short.format(d.day)}</td><td>${d.count}</td><td>${d.total.toFixed(2)}</td></tr>`)}</tbody></table>
  </section>`;
}

// perDay is a bar for each day, on a scale of whole numbers.
function perDay({ byDay }) {
  const width = 640, height = 200, left = 28, bottom = 22, top = 8;
  const top_ = Math.max(1, ...byDay.map((d) => d.count));
  const step = Math.max(1, Math.ceil(top_ / 4));
  const scale = step * Math.ceil(top_ / step);
  const y = (n) => top + (height - top - bottom) * (1 - n / scale);
  const slot = (width - left) / byDay.length;
  const lines = [];
  for (let n = 0; n <= scale; n += step) lines.push(n);
  return html`<svg class="bars" viewBox="0 0 ${width} ${height}" role="img" aria-label="A bar for each day; the table below has the numbers.">
    ${lines.map((n) => svg`<line class="rule" x1=${left} x2=${width} y1=${y(n)} y2=${y(n)}></line><text class="tick" x=${left - 6} y=${y(n) + 4} text-anchor="end">${n}</text>`)}
    ${byDay.map((d, i) => svg`<rect class="day" x=${left + i * slot + slot * 0.15} width=${slot * 0.7} y=${y(d.count)} height=${Math.max(0, y(0) - y(d.count))} rx="2"><title>${short.format(d.day)}: ${d.count}</title></rect>
      ${i % 7 === 0 ? svg`<text class="tick" x=${left + i * slot + slot / 2} y=${height - 6} text-anchor="middle">${short.format(d.day)}</text>` : nothing}`)}</svg>`;
}

function perStatus({ byStatus, names }) {
  const rows = [...byStatus].sort((a, b) => b[1] - a[1]);
  const largest = Math.max(1, ...rows.map(([, n]) => n));
  if (!rows.length) return html`<p class="empty">No orders in these days.</p>`;
  return html`<ul class="statuses">${rows.map(([status, n]) => html`<li>
    <a href=${href(["orders"], new URLSearchParams({ status }))}>${names[status] || status}</a>
    <meter min="0" max=${largest} value=${n} aria-label="${names[status] || status}: ${n}"></meter><span class="figure">${n}</span></li>`)}</ul>`;
}
