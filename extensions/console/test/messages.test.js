import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { answer } from "./browser.js";
import * as session from "../assets/session.js";
import { loadWords } from "../assets/words.js";

session.setServer("/api/2.0");

test("messages of the API are in the user's language", async () => {
  localStorage.setItem("console.language", "de");
  for (const file of ["de", "de.names", "de.errors"]) {
    answer(`GET words/${file}.json`, { text: readFileSync(new URL(`../assets/words/${file}.json`, import.meta.url), "utf8") });
  }
  await loadWords();
  for (const [status, body, message, errors = {}] of [
    [400, { message: "price must be a number.", errors: { price: "must be a number", x_own: "must be green" } }, "Preis: muss eine Zahl sein; x_own: must be green", { price: "muss eine Zahl sein", x_own: "must be green" }],
    [400, { message: "a", errors: { amount: "must be a whole number from 1 to 5, not 7" } }, "Menge: muss eine ganze Zahl von 1 bis 5 sein, nicht 7", { amount: "muss eine ganze Zahl von 1 bis 5 sein, nicht 7" }],
    [400, { message: "a", errors: { price: "must be a number with at most 2 decimals" } }, "Preis: muss eine Zahl mit höchstens 2 Nachkommastellen sein", { price: "muss eine Zahl mit höchstens 2 Nachkommastellen sein" }],
    [404, { message: 'There is no product with the id "7".' }, 'Es gibt kein Objekt (product) mit der Nummer "7".'],
    [403, { message: "Your user groups do not have the privilege view_users." }, "Ihren Benutzergruppen fehlt das Recht view_users."],
    [403, { message: "The host says no." }, "Ihre Rechte reichen dafür nicht aus. (The host says no.)"],
    [400, { message: "The host says no." }, "The host says no."],
    [500, null, "Die API hat mit 500 geantwortet."],
  ]) {
    const e = await session.refused(status, body);
    assert.deepEqual([e.message, e.errors], [message, errors]);
  }
});
