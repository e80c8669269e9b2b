// Names of objects in words: in pickers, titles, links and searches.

import { labelOf } from "./model.js";
import { t, translatedName } from "./words.js";

const person = (item) => {
  const name = [item.firstname, item.lastname].filter(Boolean).join(" ");
  return name && item.email ? `${name} (${item.email})` : name || item.email;
};

// nameOf returns the name of an object of an entity, or its id where it has none.
export function nameOf(e, item, schema) {
  if (e.name === "users") return person(item) || item.user_id;
  if (e.name === "orders") return t("Order {id}", { id: item.order_id });
  if (e.name === "settings") return translatedName(`settings.${item.name}`) ?? (item.description || item.name);
  const name = item[labelOf(e, schema || { properties: item, "x-order": Object.keys(item) })];
  return name || item[e.idField] || "";
}

// detailOf returns what tells objects of the same name apart.
export function detailOf(e, item) {
  if (e.name === "products") return [item.product_code, item.price && `${item.price}`, item.amount !== undefined && t("{n} in stock", { n: item.amount })].filter(Boolean).join(" · ");
  if (e.name === "users") return item.company || "";
  return item.product_code || item.code || "";
}

const fold = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

// finds reports whether a name has each word of a text, without regard to case and accents.
export const finds = (text, name) => fold(text).split(/\s+/).every((word) => fold(name).includes(word));
