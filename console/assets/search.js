// One search over orders, products and customers, in the bar of every page.

import { html, nothing, render } from "./vendor/lit-html.js";
import { ask } from "./session.js";
import { entity, itemOf, labelOf, parametersOf } from "./model.js";
import { may } from "./privileges.js";
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
};

async function find(name, text) {
  const e = entity(name);
  if (!e || !await may("view", [name])) return [];
  const query = new URLSearchParams({ items_per_page: String(most), ...searches[name](text) });
  const { data } = await ask("GET", `/${name}`, { query }).catch(() => ({ data: { [name]: [] } }));
  return Object.values(data[name] || {}).map((item) => ({
    e, id: item[e.idField], name: nameOf(e, item, itemOf([name])),
    detail: name === "orders" ? [[item.firstname, item.lastname].filter(Boolean).join(" "), money(item.total)].filter(Boolean).join(" · ") : detailOf(e, item),
  }));
}

class SiteSearch extends HTMLElement {
  #found = null;
  #active = 0;
  #turn = 0;

  connectedCallback() {
    this.#draw();
    this.addEventListener("focusout", (event) => { if (!this.contains(event.relatedTarget)) this.#close(); });
  }

  focus() { this.querySelector("input").focus(); }

  async #search(text) {
    const turn = ++this.#turn;
    if (!text) return this.#close();
    await new Promise((resolve) => { setTimeout(resolve, 150); });
    if (turn !== this.#turn) return;
    const found = (await Promise.all(Object.keys(searches).map((name) => find(name, text)))).flat();
    if (turn !== this.#turn) return;
    this.#found = found;
    this.#active = 0;
    this.#draw();
  }

  #close() {
    this.#turn++;
    this.#found = null;
    this.#draw();
  }

  #open(hit) {
    this.querySelector("input").value = "";
    this.#close();
    go(href([hit.e.name, String(hit.id)]));
  }

  #keys(event) {
    const found = this.#found || [];
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move && found.length) {
      event.preventDefault();
      this.#active = (this.#active + move + found.length) % found.length;
      this.#draw();
    } else if (event.key === "Enter" && found[this.#active]) {
      event.preventDefault();
      this.#open(found[this.#active]);
    } else if (event.key === "Escape") {
      event.target.value = "";
      this.#close();
    }
  }

  #draw() {
    const isOpen = this.#found !== null;
    const option = (hit, i) => html`<li role="option" id="hit-${i}" aria-selected=${i === this.#active} @mousedown=${(event) => { event.preventDefault(); this.#open(hit); }}>
      <span>${hit.name}</span> <small>${[hit.e.title, hit.detail].filter(Boolean).join(" · ")}</small></li>`;
    render(html`<input type="search" role="combobox" aria-label=${t("Search orders, products and customers")} placeholder="${t("Search")} (/)" autocomplete="off" spellcheck="false"
        aria-expanded=${isOpen} aria-controls="hits" aria-autocomplete="list" aria-activedescendant=${isOpen && this.#found.length ? `hit-${this.#active}` : nothing}
        @input=${(event) => this.#search(event.target.value.trim())} @keydown=${(event) => this.#keys(event)}>
      ${isOpen ? html`<ul role="listbox" id="hits" aria-label=${t("Found")}>${this.#found.length ? this.#found.map(option) : html`<li class="nothing">${t("Nothing found")}</li>`}</ul>` : nothing}`, this);
  }
}

customElements.define("site-search", SiteSearch);
