// Texts in HTML, edited as they look: <rich-text> around the textarea that is sent. The
// textarea changes only when the user types, so that HTML which nobody edits stays as it is.
// HTML with parts that are not safe to show is edited as HTML.

import { html, nothing, render } from "./vendor/lit-html.js";
import { asked } from "./dialog.js";
import { notice } from "./notice.js";
import { t } from "./words.js";

// Each button has a name, a sign, the tag that it makes, and what it does to the editor.
const buttons = () => [
  [t("Bold"), "B", "B", (e, isOn) => (isOn ? e.removeBold() : e.bold())],
  [t("Italic"), "I", "I", (e, isOn) => (isOn ? e.removeItalic() : e.italic())],
  [t("Heading"), "H", "H3", (e, isOn) => headings(e, !isOn)],
  [t("Bulleted list"), "•", "UL", (e, isOn) => (isOn ? e.removeList() : e.makeUnorderedList())],
  [t("Numbered list"), "№", "OL", (e, isOn) => (isOn ? e.removeList() : e.makeOrderedList())],
  [t("Link"), "↗", "A", (e, isOn) => (isOn ? e.removeLink() : link(e))],
  [t("Remove formatting"), "⌫", "", (e) => e.removeAllFormatting()],
];

// headings turns the chosen blocks into headings, or back into paragraphs.
function headings(editor, isOn) {
  const blocks = [];
  editor.forEachBlock((block) => { if (/^(P|DIV|H\d)$/.test(block.tagName)) blocks.push(block); });
  editor.saveUndoState();
  const range = editor.getSelection();
  const { startContainer, startOffset, endContainer, endOffset } = range;
  const now = new Map(); // what blocks became
  for (const block of blocks) {
    const changed = document.createElement(isOn ? "h3" : "p");
    changed.append(...block.childNodes);
    block.replaceWith(changed);
    now.set(block, changed);
  }
  range.setStart(now.get(startContainer) ?? startContainer, startOffset);
  range.setEnd(now.get(endContainer) ?? endContainer, endOffset);
  editor.setSelection(range);
}

async function link(editor) {
  const address = await asked({ title: t("Link"), label: t("Address of the link"), value: "https://" });
  if (!address) return;
  if (/^(https?:\/\/.|mailto:.|\/)/i.test(address)) editor.makeLink(address);
  else notice(t("A link begins with https://, mailto: or /."));
}

// The policy of the page lets no style of a text count: it is kept under another name.
const withoutStyles = (text) => text.replace(/(<[^>]*?\s)style(\s*=)/gi, "$1data-style$2");
const withStyles = (text) => text.replaceAll(' data-style="', ' style="');

// The editor leaves empty lines at the end.
const withoutEnd = (text) => text.replace(/(<(div|p)>(<br>)?<\/\2>)+$/, "");

// Ids and names could be taken for those of the page.
const rules = { RETURN_DOM_FRAGMENT: true, FORBID_TAGS: ["form", "style"], FORBID_ATTR: ["id", "name"] };

// What may run a script is not even parsed: the browser would report each handler.
const mayRun = /<script|\bon\w+\s*=|javascript:/i;

let loading = null; // the editor and the sanitizer, loaded when a text is first shown

function load() {
  loading ??= Promise.all([import("./vendor/squire.js"), import("./vendor/purify.js")]).then(([{ default: Squire }]) => ({ Squire, purify: globalThis.DOMPurify }));
  return loading;
}

const said = ["aria-describedby", "aria-invalid", "aria-required"];

class RichText extends HTMLElement {
  #editor = null;
  #purify = null;
  #bar = document.createElement("div");
  #root = document.createElement("div");
  #shown = null; // the HTML that the editor has
  #isSource = false;

  get #textarea() { return this.querySelector("textarea"); }

  // stored is the text that the object has. The editor shows another one as soon as it is read.
  set stored(text) {
    if (!this.#editor || text === this.#textarea.value) return;
    this.#textarea.value = text;
    this.#fill();
  }

  async connectedCallback() {
    const loaded = await load().catch(() => null);
    if (!loaded || !this.isConnected || this.#editor) return; // without the editor the HTML is edited
    this.#start(loaded);
  }

  disconnectedCallback() {
    this.#editor?.destroy();
    this.#editor = null;
  }

  #start({ Squire, purify }) {
    const textarea = this.#textarea;
    this.#purify = purify;
    this.#bar.className = "rich-bar";
    this.#root.className = "rich-text";
    for (const [name, value] of [["role", "textbox"], ["aria-multiline", "true"], ["aria-label", this.getAttribute("label")]]) if (value) this.#root.setAttribute(name, value);
    this.#describe();
    new MutationObserver(() => this.#describe()).observe(textarea, { attributeFilter: said });
    this.prepend(this.#bar, this.#root);
    this.#editor = new Squire(this.#root, { blockTag: "P", sanitizeToDOMFragment: (text) => document.importNode(purify.sanitize(text, rules), true) });
    this.#editor.addEventListener("input", () => {
      this.#shown = textarea.value = this.#root.textContent.trim() || this.#root.querySelector("img, table, hr") ? withoutEnd(withStyles(this.#editor.getHTML())) : "";
      textarea.dispatchEvent(new Event("input", { bubbles: true }));
    });
    this.#editor.addEventListener("pathChange", () => this.#draw());
    textarea.addEventListener("filled", () => this.#fill());
    textarea.focus = () => (this.#isSource ? HTMLElement.prototype.focus.call(textarea) : this.#editor.focus());
    textarea.labels[0]?.addEventListener("click", () => textarea.focus());
    this.#fill();
  }

  // #describe gives the editor what screen readers are told of the textarea.
  #describe() {
    for (const name of said) {
      const value = this.#textarea.getAttribute(name);
      if (value === null) this.#root.removeAttribute(name);
      else this.#root.setAttribute(name, value);
    }
  }

  // #fill shows the HTML of the textarea, unless the editor has it already.
  #fill() {
    const { value } = this.#textarea;
    if (value !== this.#shown && !this.#isSource) this.#show(value);
    this.#draw();
  }

  // #show shows HTML that loses nothing by it.
  #show(value) {
    this.#shown = value;
    const text = withoutStyles(value);
    this.#isSource = mayRun.test(text) || !this.#isClean(text);
    if (!this.#isSource) this.#editor.setHTML(text);
  }

  // #isClean reports whether the sanitizer takes nothing out of a text.
  #isClean(text) {
    this.#purify.sanitize(text, rules);
    return this.#purify.removed.length === 0;
  }

  #switch() {
    if (this.#isSource) {
      this.#show(this.#textarea.value);
      if (this.#isSource) notice(t("This text has parts that are not safe to show. It can be edited as HTML."));
    } else this.#isSource = true;
    this.#draw();
    if (this.#isSource) this.#textarea.focus();
    else this.#editor.focus();
  }

  #draw() {
    if (!this.#editor) return;
    this.#root.hidden = this.#isSource;
    this.#textarea.hidden = !this.#isSource;
    const button = ([name, sign, tag, act]) => {
      const isOn = tag !== "" && this.#editor.hasFormat(tag);
      const click = async () => {
        await act(this.#editor, isOn);
        this.#editor.focus();
        this.#draw();
      };
      return html`<button type="button" aria-label=${t(name)} title=${t(name)} aria-pressed=${tag ? isOn : nothing} @click=${click}>${sign}</button>`;
    };
    render(html`<span role="toolbar" aria-label=${t("Format of {field}", { field: this.getAttribute("label") })}>${this.#isSource ? nothing : buttons().map(button)}
      <button type="button" aria-pressed=${this.#isSource} @click=${() => this.#switch()}>HTML</button></span>`, this.#bar);
  }
}

customElements.define("rich-text", RichText);
