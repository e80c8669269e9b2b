// One search over orders, products, customers and pages, in the bar of every page.

import { html, render } from "./vendor/lit-html.js";
import { Combobox } from "./combobox.js";
import { ask } from "./session.js";
import { entity, itemOf, labelOf, parametersOf } from "./model.js";
import { may } from "./privileges.js";
import { recent } from "./recent.js";
import { detailOf, nameOf } from "./names.js";
import { go, href } from "./address.js";
import { money } from "./money.js";
import { t } from "./words.js";

const most = 5; // of each entity

// orderFilter returns the filter of orders that a text means: a number, an e-mail address,
// a telephone number or a name.
export function orderFilter(text) {
  const names = parametersOf(["orders"]).map((p) => p.name);
  if (names.includes("q")) return { q: text };
  if (/^#?\d{1,9}$/.test(text)) return { order_id: text.replace("#", "") };
  if (text.includes("@")) return { email: text };
  return /^\+?[\d ()-]{6,}$/.test(text) ? { phone: text } : { cname: text };
}

// searchFilter returns a function from a text to the filter of a list, null where the list
// has none.
export function searchFilter(e, segments, parameters) {
  const names = parameters.map((p) => p.name);
  if (e.name === "orders" && names.includes("cname")) return orderFilter;
  if (searches[e.name]) return searches[e.name];
  const name = ["q", labelOf(e, itemOf(segments)), "name"].find((n) => names.includes(n));
  return name ? (text) => ({ [name]: text }) : null;
}

const searches = {
  orders: orderFilter,
  products: (text) => ({ q: text, pname: "Y", pcode_from_q: "Y" }),
  users: (text) => (text.includes("@") ? { email: text } : { name: text }),
  pages: (text) => ({ q: text }),
};

// find returns what a text finds of an entity: of orders the newest.
export async function find(name, text) {
  const e = entity(name);
  if (!e || !await may("view", [name])) return [];
  const filter = searches[name](text);
  const read = async (more = {}) => {
    const query = new URLSearchParams({ items_per_page: String(most), ...filter, ...more });
    const { data } = await ask("GET", `/${name}`, { query }).catch(() => ({ data: {} }));
    return Object.values(data?.[name] || {});
  };
  let items = filter.q && name === "orders" ? await read(recent()) : [];
  if (items.length < most) items = await read();
  const detail = (item) => (name === "orders" ? [[item.firstname, item.lastname].filter(Boolean).join(" "), money(item.total)].filter(Boolean).join(" · ") : detailOf(e, item));
  return items.map((item) =>
    ({ e, id: item[e.idField], name: nameOf(e, item, itemOf([name])), detail: [e.title, detail(item)].filter(Boolean).join(" · ") }));
}

class SiteSearch extends Combobox {
  async find(text) {
    return (await Promise.all(Object.keys(searches).map((name) => find(name, text)))).flat();
  }

  search(text) { return text.trim() ? super.search(text) : this.close(); }

  choose(hit) {
    this.close();
    go(href([hit.e.name, String(hit.id)]));
  }

  draw() {
    render(html`${this.field(t("Search orders, products, customers and pages"), { type: "search", placeholder: `${t("Search")} (/)` })}${this.found(t("Found"))}`, this);
  }
}

customElements.define("site-search", SiteSearch);
