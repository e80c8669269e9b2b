import { beforeEach, test } from "node:test";
import assert from "node:assert/strict";
import { answer, requests, words } from "./browser.js";
import { loadShop } from "./shop.js";
import { forget } from "../assets/privileges.js";
import { found } from "../assets/recent.js";
import { months } from "../assets/reports.js";
import { find, orderFilter } from "../assets/search.js";
import { orderStatuses } from "../assets/statuses.js";
import { buyer, emptyAddress } from "../assets/staff/buyer.js";
import { creditOf, leftOf } from "../assets/staff/credit.js";
import { chosenOptions, totals } from "../assets/staff/lines.js";
import { orderBody } from "../assets/staff/neworder.js";
import { selection } from "../assets/staff/orderlines.js";
import { sums } from "../assets/staff/quote.js";

beforeEach(async () => {
  forget();
  await loadShop();
});

const mug = (more) => ({ product: { id: "7", item: { price: "2.50" } }, amount: "2", chosen: {}, ...more });

test("a search of orders reads all orders only where the last days have few", async (t) => {
  t.mock.method(Date, "now", () => 1_800_000_000_000);
  const orders = { parameters: [], responses: {} };
  const named = (name) => ({ name, in: "query", schema: {} });
  await loadShop({ paths: { "/orders": { get: { ...orders, parameters: [named("q"), named("period"), named("time_from")] } } } });
  answer("GET /api/2.0/access", { data: { entities: { orders: { list: "all" } } } });
  const listed = (...ids) => ({ orders: ids.map((id) => ({ order_id: id, firstname: "Kim", total: "5" })), params: { total_items: "9" } });
  const sent = () => requests.map((r) => r.address).filter((address) => address.includes("/orders?"));
  const recently = "/api/2.0/orders?items_per_page=5&q=kim&period=C&time_from=1797379200";
  for (const [recent, all, want] of [[["9", "8", "7", "6", "5"], [], ["9", "8", "7", "6", "5"]], [["9"], ["9", "3"], ["9", "3"]]]) {
    requests.length = 0;
    answer(`GET ${recently}`, { data: listed(...recent) });
    answer("GET /api/2.0/orders?items_per_page=5&q=kim", { data: listed(...all) });
    assert.deepEqual((await find("orders", "kim")).map((hit) => hit.id), want);
    assert.deepEqual(sent(), [recently, ...(recent.length < 5 ? ["/api/2.0/orders?items_per_page=5&q=kim"] : [])]);
  }
});

test("a list of found orders counts those of the last days where these fill the page", async () => {
  const page = (n) => ({ data: { orders: Array(n).fill({ order_id: "1" }), params: { total_items: String(n) } } });
  const e = { name: "orders" };
  for (const [query, inDays, isRecent, requestsSent] of [
    ["q=kim&items_per_page=2&page=1", 2, true, 1], ["q=kim&items_per_page=2&page=1", 1, undefined, 2], ["q=kim&items_per_page=2&page=1&sort_by=total", 2, undefined, 1],
    ["q=kim&items_per_page=2&page=1&time_from=5", 2, undefined, 1], ["status=O&items_per_page=2&page=1", 2, undefined, 1],
  ]) {
    requests.length = 0;
    answer(`GET /api/2.0/orders?${query}`, page(9));
    const today = Math.floor(Date.now() / 86_400_000);
    answer(`GET /api/2.0/orders?${query}&period=C&time_from=${(today - 30) * 86400}`, page(inDays));
    assert.equal((await found(e, "/orders", new URLSearchParams(query))).isRecent, isRecent, query);
    assert.equal(requests.length, requestsSent, query);
  }
});

test("a text in the search of orders means a number, an address or a name", async () => {
  const cases = [["#12", { order_id: "12" }], ["12", { order_id: "12" }], ["ana@example.com", { email: "ana@example.com" }], ["+43 1 234567", { phone: "+43 1 234567" }], ["Ana", { cname: "Ana" }]];
  for (const [text, filter] of cases) assert.deepEqual(orderFilter(text), filter);
  await loadShop({ paths: { "/orders": { get: { parameters: [{ name: "q", in: "query" }] } } } });
  assert.deepEqual(orderFilter("12"), { q: "12" });
});

test("a new order has its lines, and a customer or a guest", () => {
  assert.deepEqual(selection([mug(), mug({ chosen: { 3: "9" } })]), { 1: { product_id: "7", amount: "2" }, 2: { product_id: "7", amount: "2", product_options: { 3: "9" } } });
  const state = { customer: { id: "5" }, guest: emptyAddress(), lines: [mug()], paymentID: "1", shippingID: "2", discount: "", notes: "" };
  assert.deepEqual(orderBody(state), { payment_id: "1", shipping_id: "2", products: { 1: { product_id: "7", amount: "2" } }, user_id: "5" });
  assert.deepEqual(orderBody({ ...state, discount: "1.00", notes: "Ring twice" }), { ...orderBody(state), subtotal_discount: "1.00", notes: "Ring twice" });
  const guest = buyer({ guest: { ...emptyAddress(), email: " ana@example.com ", firstname: "Ana", country: "AT" } });
  assert.deepEqual([guest.user_id, guest.user_data.email, guest.user_data.firstname, guest.user_data.b_firstname, guest.user_data.s_country], ["0", "ana@example.com", "Ana", "Ana", "AT"]);
});

test("amounts before a quote are the products alone", () => {
  assert.match(words(sums({ lines: [mug(), mug({ amount: "1" })], refused: "city is missing" })), /7\.50 .*city is missing/);
  assert.match(words(sums({ lines: [mug()], quote: { order: { subtotal: "5.00", total: "6.00" } } })), /Total 6\.00/);
});

test("a total comes about line by line", () => {
  const text = words(totals({
    subtotal: "10.00", subtotal_discount: "1.00", shipping_cost: "0.00", shipping: [{ shipping: "Post" }], payment_surcharge: "0.50",
    payment_method: { surcharge_title: "Card fee" }, taxes: { 1: { description: "VAT", tax_subtotal: "1.67", price_includes_tax: "Y" } }, total: "9.50",
  }));
  assert.equal(text, "Products 10.00 Discount -1.00 Shipping (Post) 0.00 Card fee 0.50 including VAT 1.67 Total 9.50");
});

test("options of a line are words", () => {
  assert.equal(chosenOptions({ extra: { product_options_value: [{ option_name: "Size", variant_name: "Large" }, { option_name: "Text", value: "Hi" }, {}] } }), "Size: Large, Text: Hi");
  assert.equal(chosenOptions({}), "");
});

test("a credit memo takes what is left of an invoice", () => {
  const line = (amount) => ({ product: "Mug", amount });
  const invoice = { kind: "invoice", total: "20.00", shipping_cost: "5.00", payment_surcharge: "0.00", currency: "EUR", products: { 1: line("3"), 2: line("1") } };
  const memo = { kind: "credit_memo", total: "12.00", shipping_cost: "5.00", payment_surcharge: "0.00", products: { 1: line("1"), 2: line("1") } };
  assert.equal(leftOf([memo]), null);
  const left = leftOf([memo, invoice]);
  assert.deepEqual(left, { currency: "EUR", total: "8.00", shipping_cost: "0.00", payment_surcharge: "0.00", lines: [{ id: "1", product: "Mug", pieces: 2 }] });
  const typed = (values) => (name) => values[name];
  assert.deepEqual(creditOf(left, typed({ "credit-1": "2", shipping_cost: " 1.50 " })), { products: { 1: { amount: "2" } }, shipping_cost: "1.50" });
  assert.equal(creditOf(left, typed({ "credit-1": "", payment_surcharge: "0" })), null);
});

test("days are summed by calendar months", () => {
  const at = (back, day) => {
    const d = new Date(new Date().getFullYear(), new Date().getMonth() - back, day);
    return `${d.getFullYear()}-${String(d.getMonth() + 1).padStart(2, "0")}-${String(d.getDate()).padStart(2, "0")}`;
  };
  const found = months([{ day: at(0, 1), orders: "2", total: "5.50" }, { day: at(1, 1), orders: "1", total: "3.00" }, { day: at(1, 28), orders: "1", total: "4.00" }]);
  assert.deepEqual(found.map(({ orders, total }) => [orders, total]), [[2, 5.5], [2, 7], [0, 0]]);
});

test("parts of a page share one request for the statuses", async () => {
  await loadShop({ tags: [{ name: "statuses", "x-entity": { name: "statuses", idField: "status_id", parents: [], actions: [] } }] });
  answer("GET /api/2.0/access", { data: { entities: { statuses: { list: true } } } });
  answer("GET /api/2.0/statuses?items_per_page=1000", { data: { statuses: [{ status: "P", description: "Paid" }] } });
  const [a, b] = await Promise.all([orderStatuses(), orderStatuses()]);
  assert.deepEqual([a.P.description, b], ["Paid", a]);
  assert.equal(requests.filter((r) => r.address.includes("statuses")).length, 1);
});
