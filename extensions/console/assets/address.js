// Addresses: of the console's pages, such as #/products/12?sl=de, and of the API.

let language = ""; // of the texts on the page, "" for the default one

// here is what the address of the page names. The language that it has stays while the
// user walks on, see href.
export function here() {
  const [path, search] = location.hash.replace(/^#\/?/, "").split("?");
  const query = new URLSearchParams(search || "");
  language = query.get("sl") || "";
  query.delete("sl");
  return { segments: path.split("/").filter(Boolean).map(decoded), query };
}

// decoded is a segment of an address. One that is not encoded correctly is taken as it is:
// no object has it.
function decoded(segment) {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

export const chosenLanguage = () => language;

// href is the address of a page, in the language of this one or in another.
export function href(segments, query, code = language) {
  const q = new URLSearchParams(query || "");
  if (code) q.set("sl", code);
  return "#" + path(segments) + ([...q].length ? "?" + q : "");
}

// path is an address of the API.
export const path = (segments) => "/" + segments.map(encodeURIComponent).join("/");

// go opens a page, or reloads it if it is shown already.
export function go(address) {
  if (location.hash === address) dispatchEvent(new HashChangeEvent("hashchange"));
  else location.hash = address;
}
