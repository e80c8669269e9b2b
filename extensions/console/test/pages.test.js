import { beforeEach, test } from "node:test";
import assert from "node:assert/strict";
import { answer, words, written } from "./browser.js";
import { loadShop } from "./shop.js";
import { forget } from "../assets/privileges.js";
import { value } from "../assets/format.js";
import { entity, humanize } from "../assets/model.js";
import { columns } from "../assets/table.js";
import { here } from "../assets/address.js";
import { languageLinks, languageQuery } from "../assets/languages.js";
import { detailOf, nameOf } from "../assets/names.js";
import { back, listed, remember } from "../assets/origin.js";
import { choices, forgetChoices, targetOf } from "../assets/relations.js";
import { settled } from "../assets/settled.js";
import { columnsFor, viewLinks } from "../assets/views.js";
import { language, loadWords, t } from "../assets/words.js";

beforeEach(async () => {
  forget();
  forgetChoices();
  location.hash = "";
  here();
  await loadShop();
});

test("words are of the chosen language, and have values", async () => {
  assert.equal(t("{n} shipped", { n: 3 }), "3 shipped");
  assert.equal(t("{n} shipped"), "{n} shipped");
  answer("GET words/de.json", { data: { Save: "Speichern" } });
  for (const code of ["de", "de-AT"]) {
    localStorage.setItem("console.language", code);
    await loadWords();
    assert.deepEqual([language(), t("Save")], ["de", "Speichern"]);
  }
  localStorage.setItem("console.language", "xx");
  await loadWords();
  assert.deepEqual([language(), t("Save")], ["en", "Save"]);
});

test("fields and dates are in the chosen language", async () => {
  const noon = value("at", { format: "unix-time" }, 86400 * 200 + 43200);
  assert.match(words(noon), /Jul 20, 1970/);
  answer("GET words/de.json", { data: {} });
  answer("GET words/de.names.json", { data: { firstname: "Vorname" } });
  localStorage.setItem("console.language", "de");
  await loadWords();
  assert.deepEqual([humanize("firstname"), humanize("shelf_life"), humanize("constructor")], ["Vorname", "Shelf life", "Constructor"]);
  assert.match(words(value("at", { format: "unix-time" }, 86400 * 200 + 43200)), /20\.07\.1970/);
  localStorage.setItem("console.language", "en");
  await loadWords();
  assert.equal(humanize("firstname"), "First name");
});

test("a page leads back to the list as it was left", () => {
  assert.equal(back(["orders"]), "#/orders");
  remember(["orders"], "status=P&page=3", [5, 7]);
  assert.deepEqual([back(["orders"]), listed(["orders"]), listed(["products"])], ["#/orders?status=P&page=3", ["5", "7"], []]);
});

test("an entity of the host's with the name of the library's has the page of its own fields", async () => {
  const { staffPage } = await import("../assets/staff/pages.js");
  assert.equal(staffPage(["products", "1"]), undefined);
  const text = { type: "string" };
  await loadShop({ components: { schemas: { product: { type: "object", properties: { product_id: text, status: text, price: text, amount: text } } } } });
  assert.ok(staffPage(["products", "1"]) && staffPage(["products", "new"]));
  assert.equal(staffPage(["cups", "1"]), undefined);
});

test("a page listens to the entities that the shop has", async () => {
  const { partsOf } = await import("../assets/meanwhile.js");
  assert.deepEqual([partsOf("products"), partsOf("users"), partsOf("cups")], [["product_features"], [], []]);
});

test("objects are named as staff knows them", () => {
  const e = (name, idField) => ({ name, idField });
  for (const [of, item, name, detail] of [
    [e("users", "user_id"), { user_id: "3", firstname: "Ana", lastname: "Bo", email: "a@example.com", company: "Bo & Co" }, "Ana Bo (a@example.com)", "Bo & Co"],
    [e("users", "user_id"), { user_id: "3", email: "a@example.com" }, "a@example.com", ""], [e("users", "user_id"), { user_id: "3" }, "3", ""],
    [e("orders", "order_id"), { order_id: "12" }, "Order 12", ""],
    [e("products", "product_id"), { product_id: "1", product: "Mug", product_code: "M1", price: "2.50", amount: 0 }, "Mug", "M1 · 2.50 · 0 in stock"],
  ]) assert.deepEqual([nameOf(of, item), detailOf(of, item)], [name, detail]);
});

test("fields of ids lead to their entity", () => {
  assert.equal(targetOf("product_id").entity.name, "products");
  assert.deepEqual([targetOf("product_ids").isList, targetOf("product_ids").entity.name], [true, "products"]);
  assert.equal(targetOf("owner", { "x-relation": "cups" }).entity.name, "cups");
  assert.equal(targetOf("color"), null);
});

test("values are shown as the description says", () => {
  assert.match(written(value("owner_id", { "x-relation": "cups" }, "7")), /href=#\/cups\/7>7</);
  assert.equal(words(value("owner_ids", { "x-relation": "cups" }, [7, 8])), "7 , 8");
  assert.equal(words(value("owner_id", { "x-relation": "cups" }, "0")), "— none");
  assert.equal(words(value("owner_id", { "x-relation": "hidden" }, "7")), "7"); // an entity that the user may not see
  assert.match(words(value("fired", { type: "string", "x-widget": "time" }, "17323200")), /1970/);
});

test("a list has the columns of the description, until the user chooses others", () => {
  const schema = { properties: Object.fromEntries(["cup_id", "name", "color", "fired"].map((name) => [name, { type: "string" }])), "x-order": ["cup_id", "name", "color", "fired"] };
  const state = { e: { name: "cups", idField: "cup_id", label: "name", columns: ["fired", "name"] }, schema, parameters: [], items: [] };
  assert.deepEqual(columns(state), ["fired", "name"]);
  assert.deepEqual(columns({ ...state, e: { ...state.e, columns: ["color"] } }), ["name", "color"]);
  localStorage.setItem("console.columns.cups", '["cup_id"]');
  assert.deepEqual(columns(state), ["name", "cup_id"]);
});

test("a short list is read once and searched here, without accents", async () => {
  answer("GET /api/2.0/access", { data: { entities: { products: { list: true } } } });
  answer("GET /api/2.0/products?items_per_page=50", { data: { products: [{ product_id: "1", product: "Café cup" }, { product_id: "2", product: "Mug" }], params: { total_items: "2" } } });
  assert.deepEqual((await choices(entity("products"), "cafe")).map((c) => c.id), ["1"]);
  answer("GET /api/2.0/products?items_per_page=50", { status: 500 });
  assert.deepEqual((await choices(entity("products"), "")).map((c) => c.name), ["Café cup", "Mug"]);
});

test("a long list is searched by the server", async () => {
  answer("GET /api/2.0/access", { data: { entities: { products: { list: true } } } });
  answer("GET /api/2.0/products?items_per_page=50", { data: { products: [], params: { total_items: "51" } } });
  answer("GET /api/2.0/products?items_per_page=50&q=mug&pname=Y&pcode_from_q=Y", { data: { products: [{ product_id: "2", product: "Mug" }], params: { total_items: "1" } } });
  assert.deepEqual((await choices(entity("products"), "mug ")).map((c) => c.id), ["2"]);
});

test("nobody chooses among what they may not see", async () => {
  answer("GET /api/2.0/access", { data: { entities: {} } });
  assert.deepEqual(await choices(entity("products"), ""), []);
});

test("texts are asked for in the language of the page", () => {
  location.hash = "#/products?sl=de";
  here();
  assert.deepEqual([String(languageQuery(["products"])), String(languageQuery(["orders"]))], ["sl=de", ""]);
  const links = languageLinks([{ code: "en", name: "English" }, { code: "de", name: "Deutsch" }], ["products"], {});
  assert.equal(words(links), "English Deutsch");
  assert.match(written(links), /sl=de lang=de aria-current=true/);
  assert.equal(words(languageLinks([{ code: "en", name: "English" }], ["products"], {})), "");
});

test("saved views and columns of this browser are used", () => {
  assert.equal(columnsFor("orders"), null);
  localStorage.setItem("console.columns.orders", '["order_id"]');
  assert.deepEqual(columnsFor("orders"), ["order_id"]);
  const state = { e: entity("orders"), segments: ["orders"], query: new URLSearchParams("page=2") };
  assert.equal(words(viewLinks(state)), "");
  localStorage.setItem("console.views.orders", '{"Paid": "status=P"}');
  assert.match(written(viewLinks(state)), /href=#\/orders\?status=P>Paid</);
});

test("a page waits for all its requests, also after one failed", async () => {
  let ended = false;
  const slow = new Promise((resolve) => { setTimeout(() => { ended = true; resolve(); }, 2); });
  await assert.rejects(settled([Promise.reject(new Error("no")), slow]), { message: "no" });
  assert.equal(ended, true);
  assert.deepEqual(await settled([1, Promise.resolve(2)]), [1, 2]);
});
