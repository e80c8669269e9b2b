// Uses the client that TestTypeScriptClient generates: a list, a create, an ETag, an error and a batch.
import createClient from "openapi-fetch";
import type { paths } from "./shop.ts";

const { SHOP_URL, SHOP_EMAIL, SHOP_KEY } = process.env;

const shop = createClient<paths>({
  baseUrl: SHOP_URL,
  headers: { Authorization: "Basic " + Buffer.from(`${SHOP_EMAIL}:${SHOP_KEY}`).toString("base64") },
});

const list = await shop.GET("/products", { params: { query: { items_per_page: 5 } } });
console.log(list.data?.products.map((p) => `${p.product} costs ${p.price}`).join());

const made = await shop.POST("/categories", { body: { category: "Plates" } });
const id = made.data!.category_id!;
console.log("created", id);

const path = { category_id: String(id) };
const read = await shop.GET("/categories/{category_id}", { params: { path } });
const header = { "If-Match": read.response.headers.get("ETag")! };
const changed = await shop.PUT("/categories/{category_id}", { params: { path, header }, body: { category: "Bowls" } });
const late = await shop.PUT("/categories/{category_id}", { params: { path, header }, body: { category: "Jugs" } });
console.log(changed.response.status, late.response.status);

const missing = await shop.GET("/products/{product_id}", { params: { path: { product_id: "777777" } } });
console.log(missing.response.status, missing.error?.message);

const stock = await shop.PUT("/products", {
  params: { query: { match: "product_code" } },
  body: [{ product_code: "MUG-41", amount: "12" }, { product_code: "none", amount: "1" }],
});
console.log(stock.data?.updated, stock.data?.errors.map((e) => e.message).join());

const batch = await shop.POST("/batch", {
  body: {
    atomic: true,
    requests: [
      { id: "c", method: "POST", url: "categories", body: { category: "Cups" }, refs: true },
      { method: "PUT", url: "categories/{{c.category_id}}", body: { category: "Mugs" }, refs: true },
    ],
  },
});
console.log(batch.data?.responses.map((r) => r.status).join());
