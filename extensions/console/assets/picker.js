// A control that chooses objects by their names: <object-picker>. Its value is an id, or
// ids separated by commas where it has the attribute multiple. Objects that are in a tree can
// be picked from it too.

import { html, nothing, render } from "./vendor/lit-html.js";
import { Combobox } from "./combobox.js";
import { choices, chosen } from "./relations.js";
import { entity, itemOf } from "./model.js";
import { isTree } from "./tree.js";
import "./treepicker.js";
import { t } from "./words.js";

class ObjectPicker extends Combobox {
  static formAssociated = true;
  static observedAttributes = ["aria-describedby", "invalid", "required"];
  #internals = this.attachInternals();
  #picked = []; // {id, name, detail, item}
  #named = null; // a promise that the chosen objects have their names
  #isTreeOpen = false;

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
    this.#named = chosen(this.entity, ids).then((found) => {
      if (found.map((c) => c.id).join() !== this.value) return;
      this.#picked = found;
      this.draw();
    }, () => {});
  }

  attributeChangedCallback() { this.draw(); }

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

  // #toggle takes an object of the tree, or gives it back.
  #toggle = (choice) => {
    const others = this.#picked.filter((c) => c.id !== choice.id);
    const isNew = others.length === this.#picked.length;
    this.#picked = [...(this.isMultiple || !isNew ? others : []), ...(isNew ? [choice] : [])];
    this.#change();
    if (isNew && !this.isMultiple) this.#showTree(false);
  };

  async #showTree(isOpen) {
    await this.#named; // the tree opens at them
    this.#isTreeOpen = isOpen;
    this.querySelector(".tree-button").focus(); // before what has the focus is gone
    this.close();
  }

  // #tree is the button that opens the tree, and the tree.
  #tree(label) {
    if (!this.entity || !isTree(itemOf([this.entity.name]))) return [nothing, nothing];
    return [html`<button type="button" class="quiet tree-button" aria-expanded=${this.#isTreeOpen} aria-label="${t("Choose from the tree")}: ${label}" @click=${() => this.#showTree(!this.#isTreeOpen)}>${t("Tree")}</button>`,
      this.#isTreeOpen ? html`<tree-picker .entity=${this.entity} .isMultiple=${this.isMultiple} .toggle=${this.#toggle} .leave=${() => this.#showTree(false)} .picked=${this.#picked}></tree-picker>` : nothing];
  }

  draw() {
    if (!this.isConnected) return;
    const label = this.getAttribute("label") || t("Search");
    const placeholder = this.#picked.length && !this.isMultiple ? t("Another…") : this.getAttribute("placeholder") || t("Search by name…");
    const pick = (c) => html`<span class="pick">${c.name}<button type="button" class="drop" aria-label="${t("Remove")} ${c.name}" @click=${() => this.#drop(c)}>×</button></span>`;
    const [button, tree] = this.#tree(label);
    render(html`<span class="picks">${this.#picked.map(pick)}
      ${this.field(label, { placeholder, describedBy: this.getAttribute("aria-describedby"), required: this.hasAttribute("required"), invalid: this.hasAttribute("invalid"), onFocus: () => this.choices ?? this.search("") })}${button}</span>${this.found(label)}${tree}`, this);
  }

  #change(isByUser = true) {
    this.#internals.setFormValue(this.value);
    this.draw();
    if (isByUser) this.dispatchEvent(new Event("change", { bubbles: true }));
  }

  #drop(choice) {
    this.focus(); // before the button that has the focus is gone
    this.#picked = this.#picked.filter((c) => c !== choice);
    this.#change();
  }
}

customElements.define("object-picker", ObjectPicker);
