// The statuses of objects. Order statuses are an entity of the shop.

import { may } from "./privileges.js";
import { ask } from "./session.js";
import { entity } from "./model.js";
import { t } from "./words.js";

const general = { A: "Active", D: "Disabled", H: "Hidden" };

let pending = null; // the request that is under way: parts of a page share it

// orderStatuses returns the statuses of orders by code, none if the user may not view them.
export function orderStatuses() {
  pending ??= readStatuses().finally(() => { pending = null; });
  return pending;
}

async function readStatuses() {
  if (!entity("statuses") || !await may("view", ["statuses"])) return {};
  const { data } = await ask("GET", "/statuses", { query: new URLSearchParams({ items_per_page: "1000" }) });
  return Object.fromEntries(Object.values(data?.statuses || {}).map((s) => [s.status, s]));
}

// loadStatuses are the names of the statuses that objects of an entity have, by code.
export async function loadStatuses(e) {
  if (e?.name !== "orders") return Object.fromEntries(Object.entries(general).map(([code, words]) => [code, t(words)]));
  return Object.fromEntries(Object.entries(await orderStatuses()).map(([code, s]) => [code, s.description]));
}
