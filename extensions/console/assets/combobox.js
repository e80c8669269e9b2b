// A text field with a list of what was found, moved through by the keyboard: the base of
// pickers and of the search. Subclasses have find(text), which returns what is found,
// choose(choice), and draw(), which shows field() and found().

import { html, nothing } from "./vendor/lit-html.js";
import { t } from "./words.js";

const pause = 120; // milliseconds after the last key until the search begins

let count = 0; // of comboboxes, for the ids of their parts

export class Combobox extends HTMLElement {
  choices = null; // what the list shows, null while it is closed
  text = "";
  #active = 0;
  #turn = 0; // of the last search
  #id = `combobox-${++count}`;

  connectedCallback() {
    this.draw();
    this.addEventListener("focusout", (event) => {
      if (!this.contains(event.relatedTarget)) this.close();
    });
  }

  focus() { this.querySelector("input")?.focus(); }

  async search(text) {
    this.text = text;
    const turn = ++this.#turn;
    await new Promise((resolve) => { setTimeout(resolve, text ? pause : 0); });
    if (turn !== this.#turn) return;
    const found = await this.find(text.trim()).catch(() => []);
    if (turn !== this.#turn) return;
    this.choices = found;
    this.#active = 0;
    this.draw();
  }

  close() {
    this.#turn++;
    this.choices = null;
    this.text = "";
    this.draw();
  }

  keys(event) {
    const found = this.choices || [];
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move) {
      event.preventDefault();
      if (!this.choices) return this.search(this.text);
      this.#active = (this.#active + move + found.length) % Math.max(1, found.length);
      this.draw();
      this.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter") {
      event.preventDefault(); // it does not send the form
      if (found[this.#active]) this.choose(found[this.#active]);
    } else if (event.key === "Escape" && (this.choices || this.text)) {
      event.stopPropagation();
      this.close();
    }
  }

  // field is the control, found the list below it while it is open.
  field(label, { type = "text", placeholder = "", describedBy = "", required = false, invalid = false, onFocus = () => {} } = {}) {
    const isOpen = this.choices !== null;
    return html`<input type=${type} role="combobox" autocomplete="off" spellcheck="false" aria-label=${label} placeholder=${placeholder}
      aria-expanded=${isOpen} aria-controls="${this.#id}-list" aria-autocomplete="list" aria-describedby=${describedBy || nothing}
      aria-required=${required ? "true" : nothing} aria-invalid=${invalid ? "true" : nothing}
      aria-activedescendant=${isOpen && this.choices.length ? `${this.#id}-${this.#active}` : nothing} .value=${this.text}
      @input=${(event) => this.search(event.target.value)} @focus=${onFocus} @keydown=${(event) => this.keys(event)}
      @change=${(event) => event.stopPropagation()} @keypress=${(event) => event.key === "Enter" && event.preventDefault()}>`;
  }

  found(label) {
    if (this.choices === null) return nothing;
    const option = (c, i) => html`<li role="option" id="${this.#id}-${i}" aria-selected=${i === this.#active} @mousedown=${(event) => { event.preventDefault(); this.choose(c); }}>
      <span>${c.name}</span>${c.detail ? html` <small>${c.detail}</small>` : nothing}</li>`;
    return html`<ul role="listbox" id="${this.#id}-list" aria-label=${label}>${this.choices.length ? this.choices.map(option) : html`<li class="nothing">${t("Nothing found")}</li>`}</ul>`;
  }
}
