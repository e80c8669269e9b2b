// A cell of a table whose value is changed where it stands: <quick-edit>.

import { html, render } from "./vendor/lit-html.js";
import { ask } from "./session.js";
import { path } from "./address.js";
import { notice } from "./notice.js";
import { money } from "./money.js";
import { t } from "./words.js";

class QuickEdit extends HTMLElement {
  #value = "";
  #isOpen = false;
  #problem = "";

  // segments is the address of the object, field the name of its field, label what the
  // cell is called.
  segments = [];
  field = "";
  label = "";

  get value() { return this.#value; }
  set value(v) {
    this.#value = String(v ?? "");
    this.#draw();
  }

  connectedCallback() { this.#draw(); }

  #open() {
    this.#isOpen = true;
    this.#draw();
    const input = this.querySelector("input");
    input.focus(); // select alone focuses in some browsers only
    input.select();
  }

  #close(isKeptFocus) {
    this.#isOpen = false;
    this.#problem = "";
    this.#draw();
    if (isKeptFocus) this.querySelector("button").focus();
  }

  async #save(typed, isKeptFocus) {
    if (!this.#isOpen) return;
    if (typed === this.#value) return this.#close(isKeptFocus);
    try {
      await ask("PUT", path(this.segments), { body: { [this.field]: typed } });
      const before = this.#value;
      this.#value = typed;
      this.#close(isKeptFocus);
      notice(t("Saved."), { label: t("Undo"), run: () => this.#undo(typed, before) });
    } catch (e) {
      this.#problem = e.errors?.[this.field] || e.message;
      this.#draw();
      this.querySelector("input")?.focus();
    }
  }

  async #undo(now, before) {
    try {
      await ask("PUT", path(this.segments), { body: { [this.field]: before } });
      this.value = before;
      notice(t("Undone."));
    } catch (e) {
      this.value = now;
      notice(e.message);
    }
  }

  #draw() {
    if (!this.isConnected) return;
    const leave = (event) => event.key === "Escape" && this.#close(true);
    // Not at keydown: the API may answer before the browser has handled the whole key, which would
    // then press the button that has the focus.
    const enter = (event) => event.key === "Enter" && this.#save(event.target.value.trim(), true);
    const shown = /price/.test(this.field) ? money(this.#value) : this.#value;
    render(this.#isOpen
      ? html`<input aria-label=${this.label} inputmode="decimal" .value=${this.#value} aria-invalid=${this.#problem ? "true" : "false"} title=${this.#problem} @keydown=${leave} @keypress=${enter} @blur=${(event) => this.#save(event.target.value.trim(), false)}>
        ${this.#problem ? html`<span class="error" role="alert">${this.#problem}</span>` : ""}`
      : html`<button type="button" title=${t("Change")} aria-label="${this.label}: ${shown}" @click=${() => this.#open()}>${shown || "—"}</button>`, this);
  }
}

customElements.define("quick-edit", QuickEdit);
