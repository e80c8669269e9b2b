import { test } from "node:test";
import assert from "node:assert/strict";
import { answer, disconnect, requests } from "./browser.js";
import { loadShop } from "./shop.js";
import { sendAll } from "../assets/many.js";

const changes = ["1", "2", "3"].map((id) => ({ method: "PUT", path: `/products/${id}`, body: { product: "{{a.b}}" } }));
const withBatch = (most) => loadShop({ info: { "x-shop": { limits: { batchRequests: most } } }, paths: { "/batch": { post: {} } } });
const sent = () => requests.filter(({ method }) => method !== "GET").map(({ method, address }) => `${method} ${address}`);
const singles = ["PUT /api/2.0/products/1", "PUT /api/2.0/products/2", "PUT /api/2.0/products/3"];

test("changes go in one batch, and each says what is wrong with it", async () => {
  await withBatch(10);
  answer("POST /api/2.0/batch", { data: { responses: [{ status: 200, body: {} }, { status: 409, body: { message: "It is taken." } }, { status: 204 }] } });
  assert.deepEqual(await sendAll(changes), ["", "It is taken.", ""]);
  assert.deepEqual(sent(), ["POST /api/2.0/batch"]);
  assert.deepEqual(JSON.parse(requests.at(-1).body), { atomic: false, requests: ["1", "2", "3"].map((id) => ({ method: "PUT", url: `products/${id}`, body: { product: "{{a.b}}" }, refs: false })) });
});

test("changes are in a language, in a batch and one by one", async () => {
  const german = changes.map((c) => ({ ...c, query: new URLSearchParams({ sl: "de" }) }));
  await withBatch(10);
  answer("POST /api/2.0/batch", { data: { responses: changes.map(() => ({ status: 200 })) } });
  assert.deepEqual(await sendAll(german), ["", "", ""]);
  assert.deepEqual(JSON.parse(requests.at(-1).body).requests.map(({ url }) => url), ["products/1?sl=de", "products/2?sl=de", "products/3?sl=de"]);
  await loadShop();
  for (const one of singles) answer(`${one}?sl=de`, { data: {} });
  assert.deepEqual(await sendAll(german), ["", "", ""]);
});

test("more changes than a batch takes go in several", async () => {
  await withBatch(2);
  answer("POST /api/2.0/batch", ({ body }) => ({ data: { responses: JSON.parse(body).requests.map(() => ({ status: 200 })) } }));
  assert.deepEqual(await sendAll(changes), ["", "", ""]);
  assert.equal(sent().length, 2);
});

test("without batches, or where one is refused before anything is done, changes go one by one", async () => {
  for (const [load, before] of [[loadShop, []], [() => withBatch(10), ["POST /api/2.0/batch"]]]) {
    await load();
    requests.length = 0;
    answer("POST /api/2.0/batch", { status: 413, data: { message: "Too many." } });
    for (const id of ["1", "3"]) answer(`PUT /api/2.0/products/${id}`, { data: {} });
    assert.deepEqual(await sendAll(changes), ["", "Not Found: PUT /api/2.0/products/2", ""]);
    assert.deepEqual(sent(), [...before, ...singles]);
  }
});

test("a batch of which nothing is known is not sent again", async () => {
  await withBatch(10);
  disconnect("POST /api/2.0/batch");
  assert.deepEqual(await sendAll(changes), Array(3).fill("The API cannot be reached."));
  assert.deepEqual(sent(), ["POST /api/2.0/batch"]);
});
