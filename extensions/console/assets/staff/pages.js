// Pages made for the work of a shop's staff, for entities that have one. Every other
// entity has the pages that follow from its description.

import { objectOf } from "../model.js";
import { loadOrder, orderPage } from "./order.js";
import { groupPage, loadGroup } from "./group.js";
import { loadNewOrder, newOrderPage } from "./neworder.js";
import { loadProduct, productPage } from "./product.js";
import { loadReview, reviewPage } from "./review.js";
import { loadUser, userPage } from "./user.js";

const pages = {
  orders: { load: loadOrder, view: orderPage },
  "orders/new": { load: loadNewOrder, view: newOrderPage },
  products: { load: loadProduct, view: productPage },
  "products/new": { load: loadProduct, view: productPage },
  product_variations_groups: { load: loadGroup, view: groupPage },
  "product_variations_groups/new": { load: loadGroup, view: groupPage },
  discussions: { load: loadReview, view: reviewPage },
  users: { load: loadUser, view: userPage },
  "users/new": { load: loadUser, view: userPage },
};

// needed are the fields that the pages show of every object.
const needed = {
  orders: ["status", "total", "timestamp", "products", "user_id"],
  products: ["status", "price", "amount"],
  discussions: ["status", "object_type", "object_id", "message"],
};

// staffPage returns the page of an object or of a new one, undefined where there is none: an entity
// of the host's may have the name, and other fields.
export function staffPage(segments) {
  if (segments.length !== 2) return undefined;
  const { properties } = objectOf(segments.slice(0, 1));
  if (properties && needed[segments[0]]?.some((name) => !properties[name])) return undefined;
  return pages[segments[1] === "new" ? `${segments[0]}/new` : segments[0]];
}
