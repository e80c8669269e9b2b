import { test } from "node:test";
import assert from "node:assert/strict";
import "./browser.js";
import { ago, date, money, setCurrency } from "../assets/money.js";

test("an amount has two decimals and the currency of the shop", () => {
  assert.equal(money("1234.5"), "1,234.50");
  setCurrency("EUR");
  assert.equal(money("1234.5"), "€1,234.50");
  assert.equal(money("5", "USD"), "$5.00");
  assert.equal(money("", "JPY"), "¥0");
  setCurrency("no code");
  assert.equal(money(undefined), "0.00");
});

test("a time is told by its largest unit", () => {
  const now = Date.now() / 1000;
  for (const [past, words] of [[5, "this minute"], [125, "2 minutes ago"], [7300, "2 hours ago"], [47 * 3600, "1 day ago"], [40 * 86400, "1 month ago"], [729 * 86400, "1 year ago"], [800 * 86400, "2 years ago"]]) {
    assert.equal(ago(now - past), words);
  }
  assert.equal(date("9223372036854775807"), "9223372036854775807"); // no calendar goes so far
});
