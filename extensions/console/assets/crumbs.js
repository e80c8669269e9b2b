// Where a page lies: below which objects.

import { html, nothing } from "./vendor/lit-html.js";
import { resolve } from "./model.js";
import { href } from "./address.js";
import { t } from "./words.js";

export function crumbs(segments) {
  if (segments.length < 3) return nothing;
  const links = [];
  for (let i = 0; i + 1 < segments.length; i += 2) {
    const own = segments.slice(0, i + 1);
    links.push(html`<li><a href=${href(own)}>${resolve(own).title}</a></li><li><a href=${href(segments.slice(0, i + 2))}>${segments[i + 1]}</a></li>`);
  }
  return html`<nav aria-label=${t("Where you are")}><ol class="crumbs">${links}</ol></nav>`;
}
