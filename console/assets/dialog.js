// Questions before something is lost.

import { html, render } from "./vendor/lit-html.js";

// confirmed asks, and reports whether the user wants what the question warns of. Escape
// keeps things as they are.
export function confirmed({ title, words, keep, lose }) {
  const dialog = document.createElement("dialog");
  dialog.setAttribute("aria-labelledby", "question");
  dialog.setAttribute("aria-describedby", "consequence");
  render(html`<h2 id="question">${title}</h2><p id="consequence">${words}</p>
    <form method="dialog" class="actions"><button value="">${keep}</button><button class="danger" value="lose">${lose}</button></form>`, dialog);
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "lose");
    });
  });
}
