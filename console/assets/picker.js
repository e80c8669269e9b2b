// A control that chooses objects by their names: <object-picker>. Its value is an id, or
// ids separated by commas where it has the attribute multiple.

import { html, nothing, render } from "./vendor/lit-html.js";
import { choices, chosen } from "./relations.js";
import { entity } from "./model.js";
import { t } from "./words.js";

let count = 0; // of pickers, for their ids

class ObjectPicker extends HTMLElement {
  static formAssociated = true;
  #internals = this.attachInternals();
  #picked = []; // {id, name, detail}
  #found = null; // what the list shows, null while it is closed
  #active = 0;
  #text = "";
  #turn = 0; // of the last search
  #id = `picker-${++count}`;

  get name() { return this.getAttribute("name"); }
  get form() { return this.#internals.form; }
  get value() { return this.#picked.map((c) => c.id).join(","); }
  get entity() { return entity(this.getAttribute("entity")); }
  get isMultiple() { return this.hasAttribute("multiple"); }

  // picked are the chosen objects, with what the list said about them.
  get picked() { return this.#picked; }

  set value(v) {
    const ids = String(v ?? "").split(/[,\s]+/).filter((id) => id && !(id === "0" && !this.hasAttribute("zero")));
    if (ids.join() === this.#picked.map((c) => c.id).join()) return;
    this.#picked = ids.map((id) => ({ id, name: id, detail: "" }));
    this.#change(false);
    chosen(this.entity, ids).then((found) => {
      if (found.map((c) => c.id).join() !== this.#picked.map((c) => c.id).join()) return;
      this.#picked = found;
      this.#draw();
    }, () => {});
  }

  connectedCallback() {
    this.#draw();
    this.addEventListener("focusout", (event) => {
      if (!this.contains(event.relatedTarget)) this.#close();
    });
  }

  focus() { this.querySelector("input")?.focus(); }

  #change(isByUser = true) {
    this.#internals.setFormValue(this.value);
    this.#draw();
    if (isByUser) this.dispatchEvent(new Event("change", { bubbles: true }));
  }

  async #search(text) {
    this.#text = text;
    const turn = ++this.#turn;
    await new Promise((resolve) => { setTimeout(resolve, text ? 120 : 0); });
    if (turn !== this.#turn) return;
    const found = await choices(this.entity, text).catch(() => []);
    if (turn !== this.#turn) return;
    this.#found = found.filter((c) => !this.#picked.some((p) => p.id === c.id));
    this.#active = 0;
    this.#draw();
  }

  #close() {
    this.#turn++;
    this.#found = null;
    this.#text = "";
    this.#draw();
  }

  #pick(choice) {
    this.#picked = this.isMultiple ? [...this.#picked, choice] : [choice];
    this.#close();
    this.#change();
    this.focus();
  }

  #drop(choice) {
    this.#picked = this.#picked.filter((c) => c !== choice);
    this.#change();
    this.focus();
  }

  #keys(event) {
    const found = this.#found || [];
    const moves = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (moves) {
      event.preventDefault();
      if (!this.#found) return this.#search(this.#text);
      this.#active = (this.#active + moves + found.length) % Math.max(1, found.length);
      this.#draw();
      this.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter") {
      event.preventDefault(); // it does not send the form
      if (found[this.#active]) this.#pick(found[this.#active]);
    } else if (event.key === "Escape" && this.#found) {
      event.stopPropagation();
      this.#close();
    } else if (event.key === "Backspace" && !event.target.value && this.#picked.length) {
      this.#drop(this.#picked.at(-1));
    }
  }

  #draw() {
    if (!this.isConnected) return;
    const label = this.getAttribute("label") || t("Search");
    const isOpen = this.#found !== null;
    const option = (c, i) => html`<li role="option" id="${this.#id}-${i}" aria-selected=${i === this.#active} @mousedown=${(event) => { event.preventDefault(); this.#pick(c); }}>
      <span>${c.name}</span>${c.detail ? html` <small>${c.detail}</small>` : nothing}</li>`;
    render(html`
      <span class="picks">${this.#picked.map((c) => html`<span class="pick">${c.name}<button type="button" class="drop" aria-label="${t("Remove")} ${c.name}" @click=${() => this.#drop(c)}>×</button></span>`)}
      <input type="text" role="combobox" autocomplete="off" spellcheck="false" aria-label=${label} aria-expanded=${isOpen} aria-controls=${`${this.#id}-list`} aria-autocomplete="list"
        aria-activedescendant=${isOpen && this.#found.length ? `${this.#id}-${this.#active}` : nothing} aria-describedby=${this.getAttribute("aria-describedby") || nothing}
        placeholder=${this.#picked.length && !this.isMultiple ? t("Another…") : this.getAttribute("placeholder") || t("Search by name…")} .value=${this.#text}
        @input=${(event) => this.#search(event.target.value)} @focus=${() => !this.#found && this.#search("")} @change=${(event) => event.stopPropagation()} @keypress=${(event) => event.key === "Enter" && event.preventDefault()} @keydown=${(event) => this.#keys(event)}></span>
      ${isOpen ? html`<ul role="listbox" id="${this.#id}-list" aria-label=${label}>${this.#found.length ? this.#found.map(option) : html`<li class="nothing">${t("Nothing found")}</li>`}</ul>` : nothing}`, this);
  }
}

customElements.define("object-picker", ObjectPicker);
