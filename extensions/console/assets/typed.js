// Values of controls: the values of an object as users edit them, and edited values as
// they are sent.

import { deref, typesOf } from "./model.js";

// text is a value as it is typed.
function text(v) {
  if (v === null || v === undefined) return "";
  if (typeof v !== "object") return String(v).replace(/\r\n?/g, "\n"); // as controls have lines
  if (!Object.keys(v).length) return "";
  return Array.isArray(v) && v.every((x) => typeof x !== "object") ? v.join(", ") : JSON.stringify(v, null, 2);
}

export const isTime = (s) => s?.["x-widget"] === "time";

const propertyOf = (f, name) => deref(f.body?.properties[name]);

// local is a time in seconds as an input of the browser's time zone has it, "" for one after the
// year 9999, which such an input cannot show.
export function local(seconds) {
  if (!Number(seconds)) return "";
  const at = new Date(seconds * 1000);
  const shifted = new Date(at - at.getTimezoneOffset() * 60000);
  return shifted.getUTCFullYear() <= 9999 ? shifted.toISOString().slice(0, 19) : "";
}

// secondsOf is the time that an input has, before where the user left it alone: in autumn an hour
// comes twice, and the input does not say which one it shows.
function secondsOf(typed, before) {
  const shown = local(before);
  if (typed === shown || typed && shown && new Date(typed).getTime() === new Date(shown).getTime()) return before;
  return typed ? String(new Date(typed) / 1000) : "0";
}

// shown is the value of a field's control before the user types: that of the object, or the copied
// one of a new object.
export function shown(f, name) {
  const { data, copied = data } = f;
  return isTime(propertyOf(f, name)) ? local(copied[name]) : text(copied[name]);
}

// changes are the fields of the form's element that the user gave another value.
export function changes(f, element) {
  const body = {};
  for (const [name, typed] of new FormData(element)) {
    const before = text(f.data[name]);
    const s = propertyOf(f, name);
    const now = isTime(s) ? secondsOf(typed, before) : typed;
    if (now !== before && !(isOfIDs(name, s) && idsOf(now) === idsOf(before))) body[name] = now === "" && s["x-relation"] && !name.endsWith("_ids") ? "0" : given(s, now);
  }
  return body;
}

const isOfIDs = (name, s) => Boolean(s["x-relation"]) || /_ids?$/.test(name);

// idsOf are ids as a text: 0 is none.
const idsOf = (text) => text.replace(/[\s[\]"]/g, "").replace(/^0$/, "");

// isChanged reports whether an element contains unsent input. A form has its state in the
// property formState, which may say itself whether something was typed.
export function isChanged(element) {
  const f = element.formState;
  return Boolean(f) && !f.isDone && (f.isTyped ? f.isTyped() : Object.keys(changes(f, element)).length > 0);
}

// textState is the formState of a form with one text.
export const textState = (name, text) => ({ data: { [name]: text }, body: { properties: { [name]: { type: "string" } } } });

// isSame reports whether a field has the same value in two objects.
export const isSame = (a, b, name) => text(a[name]) === text(b[name]);

// holds reports whether an object has the values of a body already.
export const holds = (data, body) => Object.entries(body).every(([name, v]) => {
  const [a, b] = [text(data[name]), text(v)];
  return a === b || a !== "" && b !== "" && Number(a) === Number(b);
});

// fill writes the current values into the controls.
export function fill(f, element) {
  for (const name of f.body.order) {
    const control = element.elements.namedItem(name);
    if (!control) continue;
    control.value = shown(f, name);
    control.dispatchEvent?.(new Event("filled"));
  }
}

// given returns the edited value as it is sent: JSON if the field can be JSON.
function given(s, typed) {
  const isList = typesOf(s).includes("array");
  if (s.type && !isList && !typesOf(s).includes("object")) return typed;
  const trimmed = typed.trim();
  if (/^[[{]/.test(trimmed)) {
    try {
      return JSON.parse(trimmed);
    } catch { /* the API says what is wrong with it */ }
  }
  return trimmed === "" && isList ? [] : typed;
}
