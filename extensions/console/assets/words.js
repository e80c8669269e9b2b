// The console's own words in the language of the user, and its names of the API's fields.

const place = "console.language";

// The languages beside English, each a file in words/.
const translated = JSON.parse(document.querySelector("meta[name=settings]").content).languages;
export const languagesOfConsole = [...new Set(["en", ...translated])];

let words = {};
let names = {}; // of fields and entities
let code = "en";
let known = []; // messages of the API: [pattern, translation], the most special first
let messages = null; // a promise that they are read

// loadWords reads the words of the user's language: the chosen one, or the browser's.
export async function loadWords() {
  const wanted = localStorage.getItem(place) || navigator.language;
  code = [wanted, wanted.split("-")[0]].find((c) => languagesOfConsole.includes(c)) || "en";
  const read = async (file) => (translated.includes(code) ? (await fetch(`words/${file}.json`)).json() : {});
  [words, names] = await Promise.all([read(code), read(`${code}.names`)]);
  document.documentElement.lang = code;
}

export const language = () => code;

// chooseLanguage keeps the user's choice and loads the page again.
export function chooseLanguage(chosen) {
  localStorage.setItem(place, chosen);
  location.reload();
}

// t returns a text in the user's language. {name} in it is replaced by a value.
export function t(text, values = {}) {
  return (words[text] ?? text).replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

// loadMessages reads the messages of the API in the user's language, once.
export const loadMessages = () => (messages ??= readMessages());

async function readMessages() {
  known = translated.includes(code) ? await fetch(`words/${code}.errors.json`).then((r) => r.json(), () => ({})) : {};
  known = Object.entries(known).map(([english, own]) => [pattern(english), own]).sort((a, b) => b[0].source.length - a[0].source.length);
}

// pattern matches a message whose values are {names}.
const pattern = (english) => new RegExp(`^${english.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{(\w+)\}/g, "(?<$1>.+?)")}\\.?$`, "s");

// inWords is a message of the API in the user's language, undefined where it is not known.
export function inWords(message) {
  if (code === "en") return message;
  for (const [form, own] of known) {
    const found = form.exec(message);
    if (found) return own.replace(/\{(\w+)\}/g, (whole, name) => found.groups?.[name] ?? whole);
  }
  return undefined;
}

// noteOn is what the document says of a field or an entity, in the user's language: the translation
// of the name with ".note", "" where there is none.
export const noteOn = (name, english = "") => (code === "en" ? english : translatedName(`${name}.note`) ?? "");

// translatedName is the name of a field of the API in the user's language, undefined where there
// is none.
export const translatedName = (field) => (Object.hasOwn(names, field) ? names[field] : undefined);
