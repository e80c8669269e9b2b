// A list as a file for a spreadsheet in the language of the page, where the API sends lists so.

import { html, nothing } from "./vendor/lit-html.js";
import { download } from "./session.js";
import { collection } from "./model.js";
import { languageQuery } from "./languages.js";
import { path } from "./address.js";
import { notice } from "./notice.js";
import { t } from "./words.js";

const most = 50000; // rows

const canExport = (segments) => Boolean(collection(segments).get?.responses?.[200]?.content?.["text/csv"]);

export function exportButton({ e, segments, query, total }) {
  if (!canExport(segments)) return nothing;
  const save = async () => {
    if (total > most) return notice(t("A file has at most {n} rows: filter the list first.", { n: most }));
    const filters = [...query].filter(([name]) => !["page", "items_per_page", "sort_by", "sort_order"].includes(name));
    try {
      await download(path(segments), new URLSearchParams([...filters, ["spreadsheet", "Y"], ...languageQuery(segments)]), "text/csv", `${e.name}.csv`);
    } catch (problem) {
      notice(problem.message);
    }
  };
  return html`<button class="quiet" @click=${save}>${t("Export as CSV")}</button>`;
}
