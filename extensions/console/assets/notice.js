// What has been done, in a line that is read out and disappears. It may have a button,
// such as Undo, and then stays for 30 seconds. Each is an element of its own, so that the
// same words are read out again.
export function notice(words, action) {
  const line = document.createElement("p");
  line.textContent = words;
  if (action) {
    line.classList.add("with-action");
    const button = document.createElement("button");
    button.textContent = action.label;
    button.addEventListener("click", () => {
      line.remove();
      action.run();
    });
    line.append(" ", button);
  }
  line.addEventListener("animationend", () => line.remove());
  document.getElementById("status").replaceChildren(line);
}
