import { test } from "node:test";
import assert from "node:assert/strict";
import { answer, disconnect, requests } from "./browser.js";
import * as session from "../assets/session.js";

session.setServer("/api/2.0");

test("a refusal has its fields, its words and whether to try again", () => {
  for (const [status, body, wait, message, isPassing] of [
    [400, { message: "Bad price.", errors: { price: "must be a number" } }, 0, "Bad price.", false],
    [429, null, 1, "The API answered 429. It asks to wait for a second.", true],
    [503, { message: "Later." }, 30, "Later. It asks to wait for 30 seconds.", true],
    [0, { message: "Gone." }, 0, "Gone.", true],
  ]) {
    const e = new session.Refused(status, body, wait);
    assert.deepEqual([e.message, e.isPassing, e.errors], [message, isPassing, body?.errors || {}]);
  }
});

test("credentials are kept if the API takes them", async () => {
  answer("GET /api/2.0/access", { status: 401, data: { message: "Wrong." } });
  await assert.rejects(session.signIn("a@example.com", "wrong", () => session.ask("GET", "/access")), { status: 401, message: "Wrong." });
  assert.deepEqual([session.user(), sessionStorage.getItem("console.session")], [undefined, null]);
  answer("GET /api/2.0/access", { data: {} });
  await session.signIn("jörg@example.com", "key", () => session.ask("GET", "/access"));
  assert.equal(session.user(), "jörg@example.com");
  const sent = Buffer.from(requests.at(-1).headers.Authorization.slice("Basic ".length), "base64").toString();
  assert.equal(sent, "jörg@example.com:key");
});

test("a key that the API no longer takes ends the session", async () => {
  let words = "";
  session.whenExpired((w) => { words = w; });
  for (const [to, request] of [
    ["GET /api/2.0/orders", () => session.ask("GET", "/orders")],
    ["POST /api/2.0/images?entity=products", () => session.upload("/images?entity=products", { type: "image/png" })],
    ["GET /api/2.0/orders?spreadsheet=Y", () => session.download("/orders", "spreadsheet=Y", "text/csv", "orders.csv")],
  ]) {
    words = "";
    answer(to, { status: 401 });
    await assert.rejects(request(), { status: 401 });
    assert.match(words, /Sign in again/, to);
  }
});

test("answers have their ETag and number of objects", async () => {
  answer("GET /api/2.0/products?page=2", { data: { products: [] }, with: { ETag: '"1"', "X-Total-Count": "12" } });
  assert.deepEqual(await session.ask("GET", "/products", { query: new URLSearchParams({ page: "2" }) }), { data: { products: [] }, etag: '"1"', total: "12" });
  answer("DELETE /api/2.0/products/1", { status: 204 });
  assert.equal((await session.ask("DELETE", "/products/1")).data, null);
});

test("an answer of something in between is a refusal too", async () => {
  answer("GET /api/2.0/products", { status: 502, text: "<html>Bad gateway" });
  await assert.rejects(session.ask("GET", "/products"), { status: 502, message: "The API answered 502.", isPassing: true });
  disconnect("GET /api/2.0/products");
  await assert.rejects(session.ask("GET", "/products"), { status: 0, isPassing: true });
});

test("a tab knows what it wrote", async () => {
  const wrote = (name, id) => session.wroteLately((segment) => segment === name, id, 1000);
  answer("PUT /api/2.0/products/5", { data: {} });
  answer("PUT /api/2.0/products/6", { status: 409 });
  disconnect("PUT /api/2.0/products/7");
  await session.ask("PUT", "/products/5", { body: { price: "1" } });
  await assert.rejects(session.ask("PUT", "/products/6", { body: {} }));
  await assert.rejects(session.ask("PUT", "/products/7", { body: {} }));
  assert.deepEqual(["5", "6", "7", "8"].map((id) => wrote("products", id)), [true, false, true, false]);
  assert.equal(wrote("orders", "5"), false);
  answer("POST /api/2.0/batch", { data: {} });
  await session.ask("POST", "/batch", { body: {} });
  assert.equal(wrote("orders", "5"), true); // a batch may write anything
});

test("a stream is read by lines, whatever the pieces that arrive", async () => {
  answer("GET /api/2.0/changes?entity=orders", { pieces: ["id: 5\nda", "ta: {\"a\": 1}\n", "\nid: 6\nunfinished"] });
  const lines = [];
  const status = await session.listen("/changes", { query: new URLSearchParams({ entity: "orders" }), last: "4" }, (line) => lines.push(line));
  assert.deepEqual([status, lines], [0, ["id: 5", 'data: {"a": 1}', "", "id: 6"]]);
  assert.equal(requests.at(-1).headers["Last-Event-ID"], "4");
  answer("GET /api/2.0/changes?entity=orders", { status: 410 });
  assert.equal(await session.listen("/changes", { query: new URLSearchParams({ entity: "orders" }), last: "" }, () => {}), 410);
});
