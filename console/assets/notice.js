// What has been done, in a line that screen readers read out.
export function notice(words) {
  document.getElementById("status").textContent = words;
}
