// The tree of an entity's objects, from which a picker takes some: <tree-picker>.

import { html, nothing, render } from "./vendor/lit-html.js";
import { isLeaf, nodeOf, open, openPath, pathOf, shownNodes, step } from "./branches.js";
import { below } from "./relations.js";
import { t } from "./words.js";

class TreePicker extends HTMLElement {
  #nodes = null; // those at the top, null until they are read
  #active = null; // the node with the tab stop
  #problem = "";

  // entity is the entity of the objects, picked are the chosen ones. toggle takes one or gives it
  // back, leave is called for the key Escape.
  entity = null;
  isMultiple = false;
  toggle = () => {};
  leave = () => {};
  #picked = [];

  get picked() { return this.#picked; }
  set picked(list) {
    this.#picked = list;
    this.#draw();
  }

  #read = (id) => below(this.entity, id);

  async connectedCallback() {
    await this.#try(async () => {
      const nodes = (await this.#read("0")).map((choice) => nodeOf(choice));
      for (const { item } of this.#picked) await openPath(nodes, String(item?.id_path || "").split("/").slice(0, -1), this.#read);
      this.#nodes = nodes;
      this.#active = shownNodes(nodes).find((node) => this.#isPicked(node)) || nodes[0];
    });
    if (this.#active) this.#focus(this.#active);
  }

  async #try(act) {
    this.#problem = "";
    try {
      await act();
    } catch (e) {
      this.#problem = e.message;
    }
    this.#draw();
  }

  #isPicked = ({ id }) => this.#picked.some((c) => c.id === id);

  #focus(node) {
    this.#active = node;
    this.#draw();
    const element = [...this.querySelectorAll("[role=treeitem]")].find((e) => e.node === node);
    element?.focus();
    element?.firstElementChild.scrollIntoView({ block: "nearest" });
  }

  async #twist(node, isOpen) {
    if (isOpen) await this.#try(() => open(node, this.#read));
    else node.isOpen = false;
    this.#draw();
  }

  #pick(node) {
    this.toggle({ id: node.id, name: node.name, detail: pathOf(node).join(" / "), item: node.item });
  }

  async #keys(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const isPick = event.key === "Enter" || event.key === " ";
    const does = !isPick && step(this.#nodes, this.#active, event.key);
    if (!isPick && !does && event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Escape") return this.leave();
    if (isPick) return this.#pick(this.#active);
    if (does.open || does.close) await this.#twist(does.open || does.close, Boolean(does.open));
    this.#focus(does.to);
  }

  #draw() {
    if (!this.isConnected) return;
    const item = (node) => {
      const click = (event) => {
        event.stopPropagation();
        this.#focus(node);
        if (event.target.closest(".twist")) this.#twist(node, !node.isOpen);
        else this.#pick(node);
      };
      return html`<li role="treeitem" aria-level=${node.level} aria-expanded=${isLeaf(node) ? nothing : node.isOpen} aria-selected=${this.#isPicked(node)}
        tabindex=${node === this.#active ? 0 : -1} .node=${node} @click=${click}><div class="branch">${isLeaf(node) ? nothing : html`<span class="twist" aria-hidden="true"></span>`}<span class="mark-box" aria-hidden="true"></span>${node.name}</div>
        ${node.isOpen ? html`<ul role="group">${node.children.map(item)}</ul>` : nothing}</li>`;
    };
    render(html`${this.#nodes?.length ? html`<ul class="tree" role="tree" aria-label=${this.entity.title} aria-multiselectable=${this.isMultiple} @keydown=${(event) => this.#keys(event)}>${this.#nodes.map(item)}</ul>` : nothing}
      ${this.#nodes?.length === 0 ? html`<p class="summary">${t("Nothing here yet.")}</p>` : nothing}
      ${this.#problem ? html`<p class="problem" role="alert">${this.#problem}</p>` : nothing}`, this);
  }
}

customElements.define("tree-picker", TreePicker);
