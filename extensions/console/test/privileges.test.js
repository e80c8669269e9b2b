import { beforeEach, test } from "node:test";
import assert from "node:assert/strict";
import { answer, requests } from "./browser.js";
import { loadShop } from "./shop.js";
import { forget, may, mayChange, ownFilter } from "../assets/privileges.js";

const all = ["view", "create", "update", "delete", "act"];
const asked = async (...segments) => Object.fromEntries(await Promise.all(all.map(async (what) => [what, await may(what, segments)])));

beforeEach(async () => {
  forget();
  await loadShop();
});

test("one answer tells all rights", async () => {
  answer("GET /api/2.0/access", { data: { entities: { orders: { list: true, update: true }, "orders:recalculate": true, "products/features": { get: true } } } });
  assert.deepEqual(await asked("orders"), { view: true, create: false, update: true, delete: false, act: true });
  assert.equal(await may("view", ["products", "5", "features"]), true);
  assert.equal(await may("view", ["features"]), false);
  assert.equal(requests.filter((r) => r.address.endsWith("/access")).length, 1);
});

test("without that answer, requests that change nothing find the rights", async () => {
  answer("GET /api/2.0/access", { status: 404 });
  answer("GET /api/2.0/orders/0", { status: 404 });
  answer("POST /api/2.0/orders", { status: 400 });
  answer("PUT /api/2.0/orders/0", { status: 403 });
  answer("DELETE /api/2.0/orders/0", { status: 412 });
  answer("POST /api/2.0/orders/0/recalculate", { status: 415 });
  assert.deepEqual(await asked("orders"), { view: true, create: true, update: false, delete: true, act: true });
  const sent = requests.find((r) => r.method === "DELETE");
  assert.deepEqual([sent.headers["If-Match"], sent.body], ['"0"', undefined]);
});

test("what cannot be said now is asked again", async () => {
  answer("GET /api/2.0/access", { status: 503 });
  await assert.rejects(may("view", ["orders"]), { status: 503 });
  answer("GET /api/2.0/access", { data: { entities: { orders: { list: true } } } });
  assert.equal(await may("view", ["orders"]), true);
});

test("a vendor lists reviews of products, and asks before changing what is the shop's", async () => {
  answer("GET /api/2.0/access", { data: { edition: "multi-vendor", entities: { discussions: { list: "own" }, products: { update: "own" } } } });
  assert.deepEqual(await ownFilter("discussions"), { object_type: "P" });
  assert.deepEqual(await ownFilter("products"), {});
  answer("PUT /api/2.0/products/5", { status: 403 });
  answer("PUT /api/2.0/products/6", { status: 412 });
  assert.deepEqual([await mayChange(["products", "5"]), await mayChange(["products", "6"])], [false, true]);
});
