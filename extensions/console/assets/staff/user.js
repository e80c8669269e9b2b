// The page of a customer or a member of the staff: groups, API keys, and orders.

import { html, nothing } from "../vendor/lit-html.js";
import { ask } from "../session.js";
import { may } from "../privileges.js";
import { entity } from "../model.js";
import { loadObject } from "../load.js";
import { loadStatuses } from "../statuses.js";
import { objectPage } from "../object.js";
import { href } from "../address.js";
import { counted, money } from "../money.js";
import { report } from "../reports.js";
import { t } from "../words.js";
import { groupEditor, loadGroups } from "./groups.js";
import { keyEditor, loadKeys } from "./keys.js";
import { orderRows, rowFields } from "./orderrow.js";
import { settled } from "../settled.js";

const sections = [
  ["Who", ["user_type", "status", "firstname", "lastname", "email", "phone", "company", "password", "lang_code"]],
  ["Billing address", ["b_firstname", "b_lastname", "b_address", "b_address_2", "b_city", "b_zipcode", "b_country", "b_state", "b_county", "b_phone"]],
  ["Shipping address", ["s_firstname", "s_lastname", "s_address", "s_address_2", "s_city", "s_zipcode", "s_country", "s_state", "s_county", "s_phone"]],
];

// sectionsOf are the sections with the host's own fields of addresses.
function sectionsOf(order) {
  const addresses = { "Billing address": "b_", "Shipping address": "s_" };
  return sections.map(([title, names]) => [title, [...names, ...order.filter((name) => name.startsWith(addresses[title]) && !names.includes(name))]]);
}

export async function loadUser(segments) {
  const state = await loadObject(segments);
  if (state.form) Object.assign(state.form, { sections: sectionsOf(state.form.body.order), openSections: 0 });
  const [groups, keys, orders, orderStatuses] = await settled([loadGroups(state), loadKeys(state), ordersOf(state), loadStatuses(entity("orders"))]);
  return Object.assign(state, { groups, keys, orders, orderStatuses });
}

async function ordersOf({ isNew, segments, data }) {
  if (isNew || data.user_type !== "C" || !entity("orders") || !await may("view", ["orders"])) return null;
  const query = new URLSearchParams({ user_id: segments[1], items_per_page: "8", fields: rowFields });
  const { data: answer } = await ask("GET", "/orders", { query });
  const list = Object.values(answer.orders), total = Number(answer.params.total_items);
  return { list, total, sum: await sumOf(segments[1], list, total) };
}

const days = 399; // of a report at most, with today

// sumOf is the sum of a customer's orders: of those that are listed, or of all of the last days.
async function sumOf(id, list, total) {
  if (total <= list.length) return money(list.reduce((sum, o) => sum + Number(o.total), 0));
  const rows = await report({ by: "day", user_id: id, time_from: String(Math.floor(Date.now() / 1000) - days * 24 * 3600) });
  return rows && t("{sum} in {days} days", { sum: money(rows.reduce((sum, row) => sum + Number(row.total), 0)), days: days + 1 });
}

export function userPage(state, refresh) {
  const after = async (id) => state.groups && state.groups.save(id);
  return html`${objectPage(state, refresh, { after, beside: html`${groupEditor(state, refresh)}${customerOrders(state)}${keyEditor(state, refresh)}` })}`;
}

function customerOrders({ orders, orderStatuses, segments }) {
  if (!orders) return nothing;
  return html`<section class="object" aria-labelledby="orders"><h2 id="orders">${t("Orders")}</h2>
    ${orders.total ? html`<p class="summary"><a href=${href(["orders"], new URLSearchParams({ user_id: segments[1] }))}>${counted(orders.total)}</a>${orders.sum ? html` · ${orders.sum}` : nothing}</p>${orderRows(orders.list, orderStatuses)}`
      : html`<p class="summary">${t("No orders yet.")}</p>`}</section>`;
}
