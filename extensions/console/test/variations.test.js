import { test } from "node:test";
import assert from "node:assert/strict";
import "./browser.js";
import { missingOf } from "../assets/staff/missing.js";

const row = (...values) => ({ values: new Map(values) });

test("the combinations that no product has are missing", () => {
  const lists = { 1: ["10", "11"], 2: ["20", "21"] };
  assert.deepEqual(missingOf(lists, [row(["1", "10"], ["2", "20"]), row(["1", "11"], ["2", "21"])]),
    [{ 1: "10", 2: "21" }, { 1: "11", 2: "20" }]);
  assert.deepEqual(missingOf({ 1: ["10"] }, [row(["1", "10"], ["2", "20"])]), []);
});

test("without features, or without a value of one, none is missing", () => {
  assert.deepEqual(missingOf({}, []), []);
  assert.deepEqual(missingOf({ 1: ["10"], 2: [] }, []), []);
});

test("more combinations than a group may have are not counted", () => {
  const many = (n) => Array.from({ length: n }, (_, i) => String(i));
  assert.equal(missingOf({ 1: many(40), 2: many(26) }, []), null);
  assert.equal(missingOf({ 1: many(40), 2: many(25) }, []).length, 1000);
});
