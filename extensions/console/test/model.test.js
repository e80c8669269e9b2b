import { beforeEach, test } from "node:test";
import assert from "node:assert/strict";
import { answer, requests } from "./browser.js";
import { loadShop } from "./shop.js";
import * as model from "../assets/model.js";

beforeEach(() => loadShop());

test("entities come from the description", () => {
  assert.deepEqual(model.entities().map((e) => e.name), ["products", "features", "orders", "cups"]);
  assert.equal(model.entity("cups").title, "Cups");
  assert.equal(model.entity("changes"), undefined);
  assert.equal(model.edition(), "single-store");
});

test("the description is read once until somebody else may sign in", async () => {
  const before = requests.length;
  await model.loadModel();
  assert.equal(requests.length, before);
  await loadShop({ tags: [] });
  assert.deepEqual(model.entities(), []);
});

test("without a description of one's own the public one is read", async () => {
  model.forgetModel();
  answer("GET /api/2.0/openapi", { status: 404 });
  answer("GET openapi.json", { data: { tags: [], paths: {}, info: {} } });
  await model.loadModel();
  assert.deepEqual(model.entities(), []);
});

test("addresses lead to entities, below their parents too", () => {
  for (const [segments, name] of [[["products"], "products"], [["products", "1", "features"], "features"], [["products", "1", "notes"], "notes"], [["notes"], undefined], [["changes"], undefined], [[], undefined]]) {
    assert.equal(model.resolve(segments)?.name, name, segments.join("/"));
  }
  assert.deepEqual(model.children(model.entity("products")).map((e) => e.name), ["features", "notes"]);
  assert.equal(model.actionOf(["orders", "7"], "recalculate").summary, "Recalculate");
});

test("the change log knows entities by names of its own", () => {
  assert.deepEqual(["products", "notes", "cups", "nothing"].map(model.logNameOf), ["products", "products", "cups", ""]);
});

test("entities that no area has come last", () => {
  assert.deepEqual(model.groups(model.entities()).map(([title, members]) => [title, members.map((e) => e.name)]),
    [["Sales", ["orders"]], ["Catalogue", ["products", "features"]], ["More", ["cups"]]]);
});

test("schemas are found through references and allOf", () => {
  assert.deepEqual(Object.keys(model.itemOf(["products"]).properties), ["product_id", "product", "price"]);
  assert.deepEqual(Object.keys(model.objectOf(["products"]).properties), ["product_id", "product", "price"]);
  const body = model.bodyOf(model.collection(["products"]).post);
  assert.deepEqual([body.order, body.required], [["product_id", "product", "price", "stock"], ["product"]]);
  assert.deepEqual(model.bodyOf(undefined), { properties: {}, order: [], required: [] });
  assert.deepEqual(model.deref({ $ref: "#/components/schemas/nowhere" }), {});
});

test("parameters of every list are not filters", () => {
  assert.deepEqual(model.parametersOf(["products"]).map((p) => p.name), ["q"]);
  assert.equal(model.isTranslated(["products"]), true);
  assert.equal(model.isTranslated(["orders"]), false);
});

test("an object is named by its first text", () => {
  const schema = (...names) => ({ "x-order": names, properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])) });
  for (const [entity, names, label, described] of [
    ["products", ["product_id", "product"], "product"], ["features", ["feature_id", "description"], "description", "description"],
    ["categories", ["category_id", "category"], "category"], ["cups", ["cup_id", "color"], "color"], ["cups", ["cup_id", "owner_id"], "cup_id"],
    ["kilns", ["kiln_id", "name", "nickname"], "nickname", "nickname"],
  ]) assert.equal(model.labelOf({ name: entity, idField: names[0], label: described }, schema(...names)), label, names.join());
});

test("names of the API become words", () => {
  for (const [name, words] of [["b_firstname", "Billing first name"], ["category_ids", "Category IDs"], ["s_zipcode", "Shipping postal code"], ["lang_code", "Language"], ["seo_name", "SEO name"], ["timestamp", "Date"], ["avail_from_timestamp", "Avail from date"]]) {
    assert.equal(model.humanize(name), words);
  }
  for (const [name, one] of [["categories", "category"], ["taxes", "tax"], ["statuses", "status"], ["orders", "order"], ["branches", "branch"], ["access", "access"]]) {
    assert.equal(model.singular(name), one);
  }
});

test("images are shown from allowed origins alone", () => {
  for (const [address, isAllowed] of [
    ["/images/a.png", true], ["https://shop.example.com/a.png", true], ["https://images.example.com/a.png", true],
    ["https://images.example.com.evil.example/a.png", false], ["http://shop.example.com/a.png", false], ["//evil.example/a.png", false], ["javascript:alert(1)", false], ["https://", false],
  ]) assert.equal(model.isImageAllowed(address), isAllowed, address);
});
