// A new product that begins as a copy of another one.

import { t } from "../words.js";

// What is a product's own: its code and address, its stock, its images, its times.
const own = ["product", "product_code", "seo_name", "amount", "main_pair", "image_pairs", "product_features", "timestamp", "updated_timestamp", "parent_product_id", "product_type", "lang_code"];

// copyOf returns the values of the fields of a form that a copy of a product begins with.
export function copyOf(product, names) {
  const copy = Object.fromEntries(names.filter((name) => name in product && !own.includes(name)).map((name) => [name, product[name]]));
  if (copy.tracking === "O") delete copy.tracking; // options are not copied
  return { ...copy, amount: "0", product: t("{product} (copy)", { product: product.product }) };
}

// featuresOf returns the features of a product as a new one is given them.
export function featuresOf({ product_features: features }) {
  const valueOf = ({ feature_type: type, variant_id: variant, variants, value, value_int: time }) => {
    if (/[SNE]/.test(type)) return Number(variant) ? { variant_id: variant } : null;
    if (type === "M") return Object.keys(variants || {});
    return type === "D" ? Number(time) && { value: String(time) } : value && { value };
  };
  return Object.fromEntries(Object.entries(features || {}).map(([id, f]) => [id, valueOf(f)]).filter(([, v]) => v && !(Array.isArray(v) && !v.length)));
}
