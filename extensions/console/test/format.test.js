import { beforeEach, test } from "node:test";
import assert from "node:assert/strict";
import { words, written } from "./browser.js";
import { loadShop } from "./shop.js";
import { chip, hasParts, image, isEmpty, isNumeric, isPair, value } from "../assets/format.js";

beforeEach(() => loadShop());

test("values are shown by their kinds", () => {
  for (const [name, schema, v, shown] of [
    ["note", {}, "", "— none"], ["note", {}, null, "— none"], ["note", {}, [], "— none"], ["note", {}, 0, "0"],
    ["is_active", { enum: ["Y", "N"] }, "Y", "Yes"], ["is_active", { enum: ["Y", "N"] }, "N", "No"], ["done", {}, true, "Yes"],
    ["x_sold", { enum: ["Y", "N", null] }, "N", "No"], ["x_sold", { enum: ["Y", "N", "maybe"] }, "maybe", "maybe"], ["x_sold", { enum: ["Y", "N", "maybe"] }, "N", "N"],
    ["ids", {}, ["1", "2"], "1, 2"], ["status", {}, "H", "H"], ["at", { format: "unix-time" }, "0", "— none"],
    ["long", {}, "x".repeat(200), "x".repeat(157) + "…"],
  ]) assert.equal(words(value(name, schema, v)), shown, `${name} ${JSON.stringify(v)}`);
  assert.equal(words(chip("P", { P: "Paid" })), "Paid");
  assert.equal(words(value("at", { format: "unix-time" }, "9223372036854775807")), "9223372036854775807");
  assert.match(written(value("at", { format: "unix-time" }, "86400")), /datetime=1970-01-02T00:00:00.000Z/);
});

test("parts of a value are a table, deeper ones JSON", () => {
  const table = words(value("products", {}, { 1: { product: "Mug", amount: 2, hidden: "" }, 2: { product: "Cup", price: "3.00" } }));
  assert.equal(table, "2 entries Product Amount Price Mug 2 — none Cup — none 3.00");
  assert.equal(hasParts({ a: {} }), true);
  assert.equal(hasParts(["a"]), false);
  const deep = words(value("a", {}, { b: { c: { d: { e: { f: 1 } } } } }));
  assert.match(deep, /\{"f":1\}/);
});

test("an image of another origin is a link, and a script is neither", () => {
  const pair = (path) => ({ detailed: { image_path: path, alt: "A mug" } });
  assert.match(written(image(pair("/images/mug.png"))), /^<img/);
  assert.match(written(image(pair("https://other.example.com/mug.png"))), /^<a.*rel="noopener noreferrer">A mug</);
  for (const path of ["javascript:alert(1)", "data:text/html,x", "//other.example.com/a.png", "mug.png", "", 5, undefined]) assert.equal(isPair(pair(path)), false, String(path));
  assert.equal(isPair({ icon: { image_path: "/a.png" } }), true);
});

test("columns of numbers are told from times and texts", () => {
  assert.equal(Boolean(isNumeric({ type: "integer" })), true);
  assert.equal(Boolean(isNumeric({ type: ["number", "null"] })), true);
  assert.equal(Boolean(isNumeric({ type: "string", pattern: "^[0-9]+$" })), true);
  assert.equal(Boolean(isNumeric({ type: "integer", format: "unix-time" })), false);
  assert.equal(Boolean(isNumeric({ type: "string" })), false);
  assert.equal(isEmpty({}), true);
});
