// The page of an order, as staff reads it.

import { html, nothing } from "../vendor/lit-html.js";
import { may } from "../privileges.js";
import { ask } from "../session.js";
import { entity, parametersOf } from "../model.js";
import { loadObject } from "../load.js";
import { orderStatuses } from "../statuses.js";
import { objectPage } from "../object.js";
import { chip } from "../format.js";
import { ago, date, money } from "../money.js";
import { t } from "../words.js";
import { customerCard } from "./customer.js";
import { lines, loadPictures, totals } from "./lines.js";
import { loadShipments, shipping } from "./ship.js";
import { addresses } from "./addresses.js";
import { notes } from "./notes.js";
import { rowFields } from "./orderrow.js";
import { loadHistory, timeline } from "./timeline.js";
import { documents, loadDocuments } from "./documents.js";
import { statusControl } from "./status.js";
import { settled } from "../settled.js";

export async function loadOrder(segments) {
  const [state, rules] = await settled([loadObject(segments), orderStatuses()]);
  const order = state.data;
  const [shipments, pictures, others, history, issued] = await settled([
    loadShipments(order), loadPictures(order), othersOf(order), loadHistory(segments), loadDocuments(segments),
  ]);
  return Object.assign(state, { rules, shipments, pictures, others, history, issued, canShip: Boolean(state.form) && await mayShip() });
}

const mayShip = async () => Boolean(entity("shipments")) && may("create", ["shipments"]);

// othersOf returns the other orders of the customer, newest first; those of a guest by the
// beginning of the e-mail address, which has an index, where the API searches by it.
async function othersOf(order) {
  const name = order.user_id !== "0" ? "user_id" : ["q", "email"].find((n) => parametersOf(["orders"]).some((p) => p.name === n));
  const filter = { [name]: name === "user_id" ? order.user_id : order.email };
  if (!name || !filter[name]) return { orders: [], total: 0 };
  const { data } = await ask("GET", "/orders", { query: new URLSearchParams({ ...filter, items_per_page: "6", fields: rowFields }) });
  return { filter, orders: Object.values(data.orders).filter((o) => o.order_id !== order.order_id).slice(0, 5), total: Number(data.params.total_items) - 1 };
}

export function orderPage(state, refresh) {
  const { data: order, segments } = state;
  const reload = async () => {
    Object.assign(state, await loadOrder(segments));
    refresh();
  };
  return html`
    <header class="page order-head">
      <div><p class="kind"><a href="#/orders">${t("Orders")}</a> · <time>${date(order.timestamp)}</time>, ${ago(order.timestamp)}</p>
        <h1 tabindex="-1">${t("Order {id}", { id: order.order_id })} ${chip(order.status, state.statuses)}</h1></div>
      <p class="sum"><span class="summary">${t("Total")}</span> <strong>${money(order.total)}</strong></p>
    </header>
    ${state.problem ? html`<p class="problem" role="alert">${state.problem}</p>` : nothing}
    ${statusControl(state, refresh, reload)}
    <div class="columns">
      <div class="wide-column">
        <section class="object" aria-labelledby="lines"><h2 id="lines">${t("Products")}</h2>${lines(state)}${totals(order)}</section>
        ${shipping(state, refresh, reload)}
        ${timeline(state)}
      </div>
      <aside class="side-column">
        ${customerCard(state)}
        ${addresses(order)}
        ${notes(state, refresh, reload)}
        ${documents(state, refresh, reload)}
      </aside>
    </div>
    <details class="more all-fields"><summary>${t("All fields")}</summary>${objectPage(state, refresh, { isPart: true })}</details>`;
}
