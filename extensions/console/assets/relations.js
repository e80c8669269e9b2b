// Fields that contain ids of other objects, and the objects that they may name.

import { ask } from "./session.js";
import { entities, entity, itemOf, labelOf, objectOf, parametersOf, singular } from "./model.js";
import { may } from "./privileges.js";
import { detailOf, finds, nameOf } from "./names.js";

// targetOf returns the entity whose ids a field contains: the one that the document names,
// or the one whose id has the name of the field. A field that ends in _ids is a list.
export function targetOf(name, schema) {
  const isList = name.endsWith("_ids");
  const named = schema?.["x-relation"];
  const id = name === "parent_id" ? null : isList ? name.slice(0, -1) : name;
  const own = entities().filter((e) => e.replyIdField === id && !e.under && /_id$/.test(e.idField));
  const target = named ? entity(named) : own.find((e) => `${singular(e.name)}_id` === id) || own[0]; // variations are products too
  return target && target.operations.includes("list") ? { entity: target, isList } : null;
}

const most = 50; // objects that a picker shows at once

const complete = new Map(); // lists that fit into one answer, by entity

// forgetChoices drops the lists that were read, since objects may have been added.
export const forgetChoices = () => complete.clear();

// choices returns the objects of an entity that a text finds: {id, name, detail, item}.
export async function choices(e, text = "") {
  if (!await may("view", [e.name])) return [];
  const all = await wholeList(e);
  if (all) return all.filter((c) => finds(text, `${c.name} ${c.detail} ${c.id}`)).slice(0, most);
  return objects(e, new URLSearchParams({ items_per_page: String(most), ...searchBy(e, text.trim()) }));
}

// wholeList reads an entity of few objects once; null where there are too many.
async function wholeList(e) {
  if (e.name === "categories") return categories();
  if (!complete.has(e.name)) {
    const { data } = await ask("GET", `/${e.name}`, { query: new URLSearchParams({ items_per_page: String(most) }) });
    const total = Number(data?.params?.total_items ?? Infinity);
    complete.set(e.name, total <= most ? listed(e, data) : null);
  }
  return complete.get(e.name);
}

async function objects(e, query) {
  const { data } = await ask("GET", `/${e.name}`, { query });
  return listed(e, data);
}

function listed(e, data) {
  const { params, ...rest } = Array.isArray(data) ? { list: data } : data || {};
  const schema = itemOf([e.name]);
  const items = Object.values(params || Array.isArray(data) ? Object.values(rest)[0] || {} : rest);
  return items.map((item) => ({ id: String(item[e.idField]), name: String(nameOf(e, item, schema)), detail: detailOf(e, item), item }));
}

const mostOfPage = 1000; // objects in one answer

// below returns the objects whose parent has an id, "0" for those at the top.
export async function below(e, id) {
  const query = new URLSearchParams({ parent_id: id, items_per_page: String(mostOfPage), fields: [e.idField, "id_path", labelOf(e, itemOf([e.name]))].join() });
  return allPages(e, query);
}

// allPages reads a list page after page.
async function allPages(e, query) {
  const items = [];
  for (let page = 1; ; page++) {
    query.set("page", String(page));
    const part = await objects(e, query);
    items.push(...part);
    if (part.length < mostOfPage) return items;
  }
}

// categories returns the whole tree, each category with the names of those above it.
async function categories() {
  if (!complete.has("categories")) {
    const e = entity("categories");
    const items = await allPages(e, new URLSearchParams({ items_per_page: String(mostOfPage) }));
    const names = new Map(items.map((c) => [c.id, c.name]));
    for (const c of items) {
      const above = (c.item.id_path || "").split("/").slice(0, -1).map((id) => names.get(id) || id);
      c.detail = above.join(" / ");
      c.path = [...above, c.name].join(" / ");
    }
    items.sort((a, b) => a.path.localeCompare(b.path));
    complete.set("categories", items);
  }
  return complete.get("categories");
}

// searchBy returns the filter that finds objects by a text.
function searchBy(e, text) {
  if (!text) return {};
  const filters = parametersOf([e.name]).map((p) => p.name);
  if (e.name === "users") return text.includes("@") ? { email: text } : { name: text };
  if (e.name === "products") return { q: text, pname: "Y", pcode_from_q: "Y" };
  const name = ["q", labelOf(e, itemOf([e.name])), "name"].find((n) => filters.includes(n));
  return name ? { [name]: text } : {};
}

// chosen returns the objects with the ids, those that the user may not see by their ids.
export async function chosen(e, ids) {
  const all = complete.get(e.name) || (ids.length > 1 ? await wholeList(e) : null);
  return Promise.all(ids.map(async (id) => all?.find((c) => c.id === id) || await one(e, id)));
}

async function one(e, id) {
  try {
    const { data } = await ask("GET", `/${e.name}/${encodeURIComponent(id)}`);
    return { id, name: String(nameOf(e, data, objectOf([e.name]))), detail: detailOf(e, data), item: data };
  } catch {
    return { id, name: id, detail: "", item: {} };
  }
}
