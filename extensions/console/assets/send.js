// Sending a form, and what the API says to it.

import { Refused } from "./session.js";
import { fill } from "./typed.js";
import { t } from "./words.js";

// keyOf is the Idempotency-Key of what a form sends: the same for the same body, so that
// sending it once more after an answer was lost is carried out once.
export function keyOf(f, body) {
  const sent = JSON.stringify(body);
  if (f.sent !== sent) Object.assign(f, { sent, key: [...crypto.getRandomValues(new Uint32Array(4))].join("-") });
  return f.key;
}

// send runs what sends the form, and shows in it what the API refuses.
export async function send(f, element, refresh, request) {
  if (f.isSending) return;
  Object.assign(f, { isSending: true, errors: {}, problem: "" });
  refresh();
  try {
    await request();
    f.sent = null;
  } catch (e) {
    if (!(e instanceof Refused)) throw e;
    Object.assign(f, { errors: e.errors, problem: problemOf(f, e) });
  } finally {
    f.isSending = false;
    refresh();
  }
  if (!f.problem && !f.isDone) fill(f, element);
  (element.querySelector("[aria-invalid=true]") || element.querySelector(".problem"))?.scrollIntoView({ block: "nearest" });
  element.querySelector("[aria-invalid=true]")?.focus();
}

function problemOf(f, { status, message, errors, isPassing }) {
  const names = Object.keys(errors);
  if (isPassing) return `${message} ${t("What you typed is still here: try again.")}`;
  if (status === 412 && !names.length) return t("Somebody changed this meanwhile. Load the page again, and then make your change.");
  if (!names.length || names.some((name) => !(name in f.body.properties))) return message;
  return names.length === 1 ? t("One field is not right yet.") : t("{n} fields are not right yet.", { n: names.length });
}
