// A control that chooses objects by their names: <object-picker>. Its value is an id, or
// ids separated by commas where it has the attribute multiple.

import { html, render } from "./vendor/lit-html.js";
import { Combobox } from "./combobox.js";
import { choices, chosen } from "./relations.js";
import { entity } from "./model.js";
import { t } from "./words.js";

class ObjectPicker extends Combobox {
  static formAssociated = true;
  #internals = this.attachInternals();
  #picked = []; // {id, name, detail}

  get name() { return this.getAttribute("name"); }
  get form() { return this.#internals.form; }
  get value() { return this.#picked.map((c) => c.id).join(","); }
  get entity() { return entity(this.getAttribute("entity")); }
  get isMultiple() { return this.hasAttribute("multiple"); }

  // picked are the chosen objects, with their names and items.
  get picked() { return this.#picked; }

  // The id 0 names no object.
  set value(v) {
    const ids = String(v ?? "").split(/[,\s]+/).filter((id) => id && id !== "0");
    if (ids.join() === this.value) return;
    this.#picked = ids.map((id) => ({ id, name: id, detail: "" }));
    this.#change(false);
    chosen(this.entity, ids).then((found) => {
      if (found.map((c) => c.id).join() !== this.value) return;
      this.#picked = found;
      this.draw();
    }, () => {});
  }

  async find(text) {
    return (await choices(this.entity, text)).filter((c) => !this.#picked.some((p) => p.id === c.id));
  }

  choose(choice) {
    this.#picked = this.isMultiple ? [...this.#picked, choice] : [choice];
    this.close();
    this.#change();
    this.focus();
  }

  keys(event) {
    if (event.key === "Backspace" && !event.target.value && this.#picked.length) return this.#drop(this.#picked.at(-1));
    return super.keys(event);
  }

  draw() {
    if (!this.isConnected) return;
    const label = this.getAttribute("label") || t("Search");
    const placeholder = this.#picked.length && !this.isMultiple ? t("Another…") : this.getAttribute("placeholder") || t("Search by name…");
    const pick = (c) => html`<span class="pick">${c.name}<button type="button" class="drop" aria-label="${t("Remove")} ${c.name}" @click=${() => this.#drop(c)}>×</button></span>`;
    render(html`<span class="picks">${this.#picked.map(pick)}
      ${this.field(label, { placeholder, describedBy: this.getAttribute("aria-describedby"), onFocus: () => this.choices ?? this.search("") })}</span>${this.found(label)}`, this);
  }

  #change(isByUser = true) {
    this.#internals.setFormValue(this.value);
    this.draw();
    if (isByUser) this.dispatchEvent(new Event("change", { bubbles: true }));
  }

  #drop(choice) {
    this.#picked = this.#picked.filter((c) => c !== choice);
    this.#change();
    this.focus();
  }
}

customElements.define("object-picker", ObjectPicker);
