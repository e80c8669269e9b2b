import { test } from "node:test";
import assert from "node:assert/strict";
import "./browser.js";
import { loadShop } from "./shop.js";
import { copyOf, featuresOf } from "../assets/staff/duplicate.js";
import { changes, shown } from "../assets/typed.js";

test("a copy has the fields of the form, without what is the product's own", () => {
  const mug = { product_id: "1", product: "Mug", product_code: "M", amount: "5", price: "2.50", category_ids: [2], seo_name: "mug", tracking: "B", main_pair: {} };
  assert.deepEqual(copyOf(mug, Object.keys(mug).slice(1)), { product: "Mug (copy)", price: "2.50", amount: "0", category_ids: [2], tracking: "B" });
  assert.equal(copyOf({ ...mug, tracking: "O" }, ["tracking"]).tracking, undefined);
});

test("a copy has the features of each type that are set", () => {
  assert.deepEqual(featuresOf({ product_features: {
    1: { feature_type: "S", variant_id: "4" }, 2: { feature_type: "S", variant_id: "" }, 3: { feature_type: "M", variants: { 7: {}, 8: {} } }, 4: { feature_type: "M", variants: {} },
    5: { feature_type: "C", value: "Y" }, 6: { feature_type: "T", value: "" }, 7: { feature_type: "D", value: "", value_int: "86400" }, 8: { feature_type: "O", value: "2.5", value_int: "2.5" },
  } }), { 1: { variant_id: "4" }, 3: ["7", "8"], 5: { value: "Y" }, 7: { value: "86400" }, 8: { value: "2.5" } });
  assert.deepEqual(featuresOf({}), {});
});

test("the form of a copy shows its values, and sends them all", async () => {
  await loadShop();
  const f = { data: {}, copied: { product: "Mug (copy)", price: "2.50" }, body: { properties: { product: { type: "string" }, price: { type: "string" } } } };
  assert.deepEqual([shown(f, "product"), shown(f, "price"), shown(f, "code")], ["Mug (copy)", "2.50", ""]);
  assert.deepEqual(changes(f, [["product", "Jug"], ["price", "2.50"], ["code", ""]]), { product: "Jug", price: "2.50" });
});
