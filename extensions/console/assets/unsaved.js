// Unsaved input is not lost without a question: by a link, the browser's back button,
// signing out, or closing the tab.

import { isChanged } from "./typed.js";
import { confirmed } from "./dialog.js";
import { go } from "./address.js";
import { t } from "./words.js";

const isTyped = () => [...document.forms].some(isChanged);

let question = null; // that is asked now

// mayLeave reports whether the page can go: nothing was typed, or the user gives it up.
export async function mayLeave() {
  if (!isTyped()) return true;
  question ??= confirmed({
    title: t("Leave without saving?"), words: t("What you typed on this page is not saved yet."), keep: t("Stay here"), lose: t("Leave"),
  }).finally(() => { question = null; });
  return question;
}

// watchPages calls show whenever the address changes to another page and the user may
// leave the present one.
export function watchPages(show) {
  let shown = location.hash;
  let isLeaving = false; // after the question

  addEventListener("beforeunload", (event) => {
    if (isTyped()) event.preventDefault();
  });

  addEventListener("click", async (event) => {
    const link = event.target.closest('a[href^="#/"]');
    const isElsewhere = event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
    if (!link || isElsewhere || !isTyped()) return;
    event.preventDefault();
    if (!await mayLeave()) return;
    isLeaving = true;
    go(link.hash);
  }, { capture: true });

  addEventListener("hashchange", async () => {
    if (isLeaving || location.hash === shown || !isTyped()) {
      isLeaving = false;
      shown = location.hash;
      return show();
    }
    // The address has changed already: it is that of the page until the user answers.
    history.pushState(null, "", shown);
    if (question || !await mayLeave()) return;
    isLeaving = true;
    history.back();
  });
}
