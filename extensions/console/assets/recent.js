// Searches of orders, which are shown newest first. The shop counts all that it finds: for the
// beginning of a common name among a million orders that takes seconds. So the orders of the last
// days are found first, and the rest only if these are too few.

import { ask } from "./session.js";

const day = 24 * 3600; // seconds

export const recentDays = 30;

// recent is the filter of the orders of the last days. It is the same for a whole day, so that the
// shop can cache what it answers.
export const recent = () => ({ period: "C", time_from: String((Math.floor(Date.now() / 1000 / day) - recentDays) * day) });

// isSearch reports whether a query of a list finds orders by a text, newest first.
const isSearch = (e, query) => e.name === "orders" && query.get("q") && !["period", "time_from", "time_to"].some((name) => query.get(name)) &&
  (query.get("sort_by") || "date") === "date" && (query.get("sort_order") || "desc") === "desc";

// found asks for a page of a list. isRecent says that it is one of the orders of the last days,
// where their whole number is that of these days.
export async function found(e, path, query) {
  if (isSearch(e, query)) {
    const answer = await ask("GET", path, { query: new URLSearchParams([...query, ...Object.entries(recent())]) });
    if (Object.values(answer.data.orders).length >= Number(query.get("items_per_page"))) return { ...answer, isRecent: true };
  }
  return ask("GET", path, { query });
}
