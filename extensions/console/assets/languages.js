// The languages of the shop, and links that show a page in each of them.

import { html, nothing } from "./vendor/lit-html.js";
import { may } from "./privileges.js";
import { ask } from "./session.js";
import { entity, isTranslated } from "./model.js";
import { chosenLanguage, href } from "./address.js";
import { t } from "./words.js";

// loadLanguages returns the languages of the texts at an address; none if it has no
// texts, or if the user may not view languages.
export async function loadLanguages(segments) {
  const languages = entity("languages");
  if (!isTranslated(segments) || !languages || !await may("view", [languages.name])) return [];
  const { data } = await ask("GET", "/languages", { query: new URLSearchParams({ items_per_page: "1000" }) });
  return Object.values(data?.languages || {}).map((l) => ({ code: l.lang_code, name: l.name || l.lang_code }));
}

// languageQuery is the query string that requests an address in the language of the page.
export function languageQuery(segments) {
  const code = chosenLanguage();
  return new URLSearchParams(code && isTranslated(segments) ? { sl: code } : {});
}

// languageLinks choose the language of the texts, where there are several. Shown is the
// language that the answer has, of which a new object knows nothing.
export function languageLinks(languages, segments, query, shown = "") {
  if (languages.length < 2) return nothing;
  const current = chosenLanguage() || shown;
  const known = languages.some((l) => l.code === current);
  const link = (code, name, isCurrent) => html`<li><a href=${href(segments, query, code)} lang=${code || nothing} aria-current=${isCurrent ? "true" : nothing}>${name}</a></li>`;
  return html`<nav class="languages" aria-label=${t("Language of the texts")}><ul>
    ${known ? nothing : link("", t("Default language"), current === "")}
    ${languages.map((l) => link(l.code, l.name, l.code === current))}</ul></nav>`;
}
