// What the page of one object shows: the object, what lies below it, and what the user may
// do to it.

import { may, mayChange } from "./privileges.js";
import { ask, Refused } from "./session.js";
import { bodyOf, children, collection, deref, isTranslated, object, objectOf, resolve } from "./model.js";
import { loadActions } from "./actions.js";
import { languageQuery, loadLanguages } from "./languages.js";
import { loadStatuses } from "./statuses.js";
import { chosenLanguage, path } from "./address.js";
import { newForm } from "./form.js";
import { changes, isSame } from "./typed.js";
import { settled } from "./settled.js";
import { t } from "./words.js";

export async function loadObject(segments) {
  const own = segments.slice(0, -1);
  const e = resolve(own);
  const isNew = segments.at(-1) === "new";
  const [answer, allowed, statuses, languages, below] = await settled([
    isNew ? { data: {} } : read(segments, own), loadAllowed(segments, own, isNew),
    loadStatuses(e), loadLanguages(own), isNew ? [] : loadChildren(e, segments),
  ]);
  if (isNew && !allowed.canCreate) throw new Refused(403, { message: t("Your privileges do not reach this.") });
  const state = {
    e, segments, own, isNew, statuses, languages, ...answer, schema: objectOf(own), form: null, problem: "",
    actions: allowed.canAct ? loadActions(e, segments) : [], canDelete: allowed.canDelete, children: below,
  };
  const operation = isNew ? collection(own).post : allowed.canUpdate && object(own).put;
  if (operation) state.form = formOf(state, bodyOf(operation));
  return state;
}

// read is the object with its ETag, nothing where objects are not read one by one.
export async function read(segments, own) {
  if (!object(own).get) return { data: {} };
  const { data, etag } = await ask("GET", path(segments), { query: languageQuery(own) });
  return { data: { ...membersOf(data, bodyOf(object(own).put).properties), ...data }, etag };
}

// renew reads the object again for what is beside its form. Where somebody else changed a field that
// the user is changing, the form stays as it is: saving it shows both values.
export async function renew(state) {
  const fresh = await read(state.segments, state.own);
  const { form: f } = state;
  const element = f && document.getElementById("change");
  const isInBoth = element && Object.keys(changes(f, element)).some((name) => !isSame(f.data, fresh.data, name));
  if (isInBoth) return void (state.data = fresh.data);
  Object.assign(state, fresh);
  if (f) f.data = state.data;
}

// membersOf are the fields of a body that the object has in another member, null without a value:
// custom fields of customers in fields.
function membersOf(data, properties) {
  const inside = Object.entries(properties).map(([name, p]) => [name, deref(p)["x-in"]]).filter(([, member]) => member);
  return Object.fromEntries(inside.map(([name, member]) => [name, data[member]?.[name] ?? null]));
}

// loadAllowed is what the user may do to the object, or whether it may be made.
async function loadAllowed(segments, own, isNew) {
  if (isNew) return { canCreate: await may("create", own) };
  const [canUpdate, canDelete, canAct] = await settled(["update", "delete", "act"].map((what) => may(what, own)));
  if (!(canUpdate || canDelete || canAct) || !await mayChange(segments)) return {};
  return { canUpdate, canDelete, canAct };
}

// loadChildren are the entities below an object that the user may view there.
async function loadChildren(e, segments) {
  const listed = children(e).filter((c) => collection([...segments, c.name]).get);
  const views = await settled(listed.map((c) => may("view", [...segments, c.name])));
  return listed.filter((_, i) => views[i]);
}

// formOf is the form of an object. The language of its texts is chosen above it.
function formOf({ own, data, schema, isNew, statuses, languages }, body) {
  if (isTranslated(own)) body.order = body.order.filter((name) => name !== "lang_code");
  const code = chosenLanguage() || data.lang_code;
  const language = languages.length > 1 ? languages.find((l) => l.code === code)?.name : "";
  return newForm(body, data, { isNew, statuses, language, answered: schema });
}
