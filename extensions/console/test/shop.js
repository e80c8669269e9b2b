// The description of a small shop, as the server answers GET openapi.

import { answer } from "./browser.js";
import { forgetModel, loadModel } from "../assets/model.js";

const text = { type: "string" };
const response = (schema) => ({ 200: { content: { "application/json": { schema } } } });
const filter = (name) => ({ name, in: "query", schema: text });
const list = (name, item, ...filters) => ({
  parameters: [filter("page"), filter("items_per_page"), ...filters.map(filter)],
  responses: response({ type: "object", properties: { [name]: { type: "array", items: item }, params: { type: "object" } } }),
});
const entity = (name, id, more = {}) => ({
  name, description: `All ${name}.`, "x-entity": {
    name, idField: id, replyIdField: id, parents: [], loggedAs: name, operations: ["list", "get", "create", "update", "delete"], actions: [], ...more,
  },
});

const product = { type: "object", properties: { product_id: text, product: text, price: text }, "x-order": ["product_id", "product", "price"] };

const description = {
  info: { "x-shop": { edition: "single-store" } },
  tags: [
    entity("products", "product_id"), entity("features", "feature_id", { parents: ["products"] }),
    entity("orders", "order_id", { actions: ["recalculate"] }), entity("cups", "cup_id"),
    entity("notes", "note_id", { under: "products", loggedAs: "products" }), { name: "changes" },
  ],
  paths: {
    "/products": {
      get: { ...list("products", { $ref: "#/components/schemas/product" }, "q", "sl") },
      post: { requestBody: { content: { "application/json": { schema: { allOf: [
        { $ref: "#/components/schemas/product" }, { required: ["product"], properties: { stock: { type: "integer" } }, "x-order": ["stock"] },
      ] } } } } },
    },
    "/products/{product_id}": { get: { parameters: [{ $ref: "#/components/parameters/sl" }], responses: response({ $ref: "#/components/schemas/product" }) }, put: {} },
    "/products/{product_id}/features": { get: {} },
    "/products/{product_id}/notes": { get: {} },
    "/features": { get: {} },
    "/orders": { get: list("orders", { type: "object", properties: { order_id: text } }, "cname", "status"), post: {} },
    "/orders/{order_id}": { get: {}, put: {}, delete: {} },
    "/orders/{order_id}/recalculate": { post: { summary: "Recalculate" } },
    "/changes": { get: {} },
  },
  components: {
    schemas: { product },
    parameters: { sl: filter("sl") },
  },
};

// loadShop loads the description anew.
export async function loadShop(change = {}) {
  forgetModel();
  answer("GET /api/2.0/openapi", { data: { ...description, ...change } });
  await loadModel();
}
