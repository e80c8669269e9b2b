// The list that an object was opened from: its address with filter and page, and its ids.

import { href } from "./address.js";

const lists = new Map(); // by the address of the entity

// remember keeps what a list showed.
export function remember(segments, query, ids) {
  lists.set(segments.join("/"), { query: new URLSearchParams(query), ids: ids.map(String) });
}

// back is the address of the list as the user left it.
export const back = (segments) => href(segments, lists.get(segments.join("/"))?.query);

// listed are the ids of the list in the order that it showed.
export const listed = (segments) => lists.get(segments.join("/"))?.ids || [];
