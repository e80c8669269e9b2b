// What has been done, in a line that is read out, and goes after some seconds. Each is an
// element of its own: the same words are told again.
export function notice(words) {
  const line = document.createElement("p");
  line.textContent = words;
  line.addEventListener("animationend", () => line.remove());
  document.getElementById("status").replaceChildren(line);
}
