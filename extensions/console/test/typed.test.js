import { test } from "node:test";
import assert from "node:assert/strict";
import "./browser.js";
import { changes, fill, holds, isChanged, isSame, shown } from "../assets/typed.js";

const properties = {
  product: { type: "string" }, amount: { type: "integer" }, category_ids: { type: "array" }, main_category: { type: "integer", "x-relation": "categories" },
  variants: { type: ["object", "array"] }, anything: {}, timestamp: { type: "integer", "x-widget": "time" }, text: { type: "string" },
};

const form = (data) => ({ data, body: { properties, order: Object.keys(properties) } });

const sent = (data, typed) => changes(form(data), Object.entries(typed));

test("only fields with another value are sent", () => {
  assert.deepEqual(sent({ product: "Mug", amount: 3 }, { product: "Mug", amount: "3" }), {});
  assert.deepEqual(sent({ product: "Mug", amount: 3 }, { product: "Mug", amount: "4" }), { amount: "4" });
  assert.deepEqual(sent({ product: "Mug" }, { product: "" }), { product: "" });
});

test("line ends of a text are not a change", () => {
  assert.deepEqual(sent({ text: "a\r\nb" }, { text: "a\nb" }), {});
});

test("lists of ids are compared by their ids", () => {
  assert.deepEqual(sent({ category_ids: ["1", "2"] }, { category_ids: "1,2" }), {});
  assert.deepEqual(sent({ category_ids: ["1", "2"] }, { category_ids: "[1, \"2\"]" }), {});
  assert.deepEqual(sent({ main_category: 0 }, { main_category: "" }), {});
  assert.deepEqual(sent({ main_category: 7 }, { main_category: "" }), { main_category: "0" });
  assert.deepEqual(sent({ category_ids: ["1"] }, { category_ids: "1, 3" }), { category_ids: "1, 3" });
  assert.deepEqual(sent({ category_ids: ["1"] }, { category_ids: "" }), { category_ids: [] });
});

test("JSON is sent as JSON where a field can be JSON", () => {
  assert.deepEqual(sent({}, { variants: " {\"1\": {\"variant\": \"Red\"}}" }), { variants: { 1: { variant: "Red" } } });
  assert.deepEqual(sent({}, { anything: "[1]" }), { anything: [1] });
  assert.deepEqual(sent({}, { product: "[1]" }), { product: "[1]" });
  assert.deepEqual(sent({}, { variants: "{broken" }), { variants: "{broken" });
});

test("times are typed in the time zone of the browser and sent in seconds", () => {
  const f = form({ timestamp: 1700000000 });
  assert.deepEqual(changes(f, [["timestamp", shown(f, "timestamp")]]), {});
  const later = new Date((1700000000 + 3600) * 1000);
  const typed = new Date(later - later.getTimezoneOffset() * 60000).toISOString().slice(0, 19);
  assert.deepEqual(changes(f, [["timestamp", typed]]), { timestamp: "1700003600" });
  assert.deepEqual(changes(f, [["timestamp", ""]]), { timestamp: "0" });
  assert.deepEqual(changes(form({ timestamp: 0 }), [["timestamp", ""]]), {});
});

test("a time that the user leaves alone is not a change", () => {
  const zone = process.env.TZ;
  process.env.TZ = "Europe/Berlin";
  for (const [name, seconds, typed] of [
    ["the first 02:30 of a night", Date.UTC(2026, 9, 25, 0, 30) / 1000, "2026-10-25T02:30"],
    ["the second 02:30 of it", Date.UTC(2026, 9, 25, 1, 30) / 1000, "2026-10-25T02:30"],
    ["after the year 9999", 253402300800, ""], ["beyond any calendar", "9223372036854775807", ""],
  ]) {
    const f = form({ timestamp: seconds });
    assert.equal(shown(f, "timestamp").slice(0, 16), typed, name);
    assert.deepEqual(changes(f, [["timestamp", typed]]), {}, name);
    assert.deepEqual(changes(f, [["timestamp", "2026-11-01T12:00"]]), { timestamp: String(Date.UTC(2026, 10, 1, 11) / 1000) }, name);
  }
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

test("a form is changed while it holds unsent input", () => {
  const element = (typed, f) => Object.assign(Object.entries(typed), { formState: f });
  const f = form({ product: "Mug" });
  assert.equal(isChanged(element({ product: "Cup" }, f)), true);
  assert.equal(isChanged(element({ product: "Mug" }, f)), false);
  assert.equal(isChanged(element({ product: "Cup" }, { ...f, isDone: true })), false);
  assert.equal(isChanged(element({ product: "Cup" }, undefined)), false);
});

test("numbers that mean the same are the same", () => {
  assert.equal(holds({ price: "12.50" }, { price: "12.5" }), true);
  assert.equal(holds({ price: "12.50" }, { price: "12.51" }), false);
  assert.equal(holds({ price: "0.00" }, { price: "" }), false);
  assert.equal(holds({ ids: ["1", "2"] }, { ids: ["1", "2"] }), true);
  assert.equal(isSame({ a: [1] }, { a: ["1"] }, "a"), true);
});

test("controls get the current values", () => {
  const controls = { product: {}, amount: {} };
  fill(form({ product: "Mug", amount: 3 }), { elements: { namedItem: (name) => controls[name] } });
  assert.deepEqual(controls, { product: { value: "Mug" }, amount: { value: "3" } });
});
