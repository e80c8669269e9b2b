// The names of statuses. Order statuses are an entity of the shop.

import { may } from "./privileges.js";
import { ask } from "./session.js";
import { entity } from "./model.js";

const general = { A: "Active", D: "Disabled", H: "Hidden" };

// loadStatuses are the names of the statuses that objects of an entity have, by code.
export async function loadStatuses(e) {
  if (e?.name !== "orders") return general;
  const statuses = entity("statuses");
  if (!statuses || !await may("view", [statuses.name])) return {};
  const { data } = await ask("GET", "/statuses", { query: new URLSearchParams({ items_per_page: "1000" }) });
  return Object.fromEntries(Object.values(data?.statuses || {}).map((s) => [s.status, s.description]));
}
