// What reviews are about, by the letter in their object_type.

import { object } from "./model.js";

export const kinds = { P: "products", C: "categories", A: "pages", O: "orders" };

// placeOf is the address of an item of a list. A review that the user may not read by itself,
// as vendors may not, has its page below its product.
export function placeOf(segments, item, id) {
  const about = segments.length === 1 && segments[0] === "discussions" && !object(segments).get && kinds[item.object_type];
  return about ? [about, item.object_id, "discussions", id] : [...segments, id];
}
