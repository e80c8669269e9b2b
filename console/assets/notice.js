// A message about a completed action. Screen readers announce it, and it disappears after
// some seconds. Each is a new element, so that a repeated message is announced again.
export function notice(words) {
  const line = document.createElement("p");
  line.textContent = words;
  line.addEventListener("animationend", () => line.remove());
  document.getElementById("status").replaceChildren(line);
}
