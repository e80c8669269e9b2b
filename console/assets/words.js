// The console's own words in the language of the user. Names of entities and fields come
// from the API.

const place = "console.language";
const translated = ["de"]; // languages beside English, each a file in words/

let words = {};
let code = "en";

// loadWords reads the words of the user's language: the chosen one, or the browser's.
export async function loadWords() {
  const wanted = localStorage.getItem(place) || navigator.language.slice(0, 2);
  code = translated.includes(wanted) ? wanted : "en";
  words = code === "en" ? {} : (await import(`./words/${code}.js`)).default;
  document.documentElement.lang = code;
}

export const language = () => code;
export const languagesOfConsole = ["en", ...translated];

// chooseLanguage keeps the user's choice and loads the page again.
export function chooseLanguage(chosen) {
  localStorage.setItem(place, chosen);
  location.reload();
}

// t returns a text in the user's language. {name} in it is replaced by a value.
export function t(text, values = {}) {
  return (words[text] ?? text).replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}
