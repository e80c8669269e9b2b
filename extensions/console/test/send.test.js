import { test } from "node:test";
import assert from "node:assert/strict";
import "./browser.js";
import { Refused } from "../assets/session.js";
import { keyOf, send } from "../assets/send.js";

const element = { querySelector: () => null, elements: { namedItem: () => null } };
const form = (names = ["price", "product"]) => ({ data: {}, body: { order: [], properties: Object.fromEntries(names.map((n) => [n, {}])) } });
const refusal = (status, errors = {}) => () => Promise.reject(new Refused(status, { message: "Refused.", errors }));

test("the same body has the same key until it was taken", async () => {
  const f = form();
  const first = keyOf(f, { price: "1" });
  assert.equal(keyOf(f, { price: "1" }), first);
  assert.notEqual(keyOf(f, { price: "2" }), first);
  const again = keyOf(f, { price: "2" });
  await send(f, element, () => {}, () => Promise.resolve());
  assert.notEqual(keyOf(f, { price: "2" }), again);
});

test("a form says what the API refuses", async () => {
  for (const [request, problem] of [
    [refusal(400, { price: "bad" }), "One field is not right yet."], [refusal(400, { price: "bad", product: "bad" }), "2 fields are not right yet."],
    [refusal(400, { price: "bad", elsewhere: "bad" }), "Refused."], [refusal(403), "Refused."],
    [refusal(412), "Somebody changed this meanwhile. Load the page again, and then make your change."],
    [refusal(503), "Refused. What you typed is still here: try again."],
  ]) {
    const f = form();
    await send(f, element, () => {}, request);
    assert.deepEqual([f.problem, f.isSending], [problem, false]);
  }
});

test("a second click while a form is sent does nothing", async () => {
  const f = form();
  let sent = 0;
  const request = () => { sent++; return new Promise((resolve) => { setTimeout(resolve, 1); }); };
  await Promise.all([send(f, element, () => {}, request), send(f, element, () => {}, request)]);
  assert.equal(sent, 1);
});
