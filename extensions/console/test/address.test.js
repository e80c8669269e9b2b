import { test } from "node:test";
import assert from "node:assert/strict";
import "./browser.js";
import { chosenLanguage, here, href, path } from "../assets/address.js";

test("an address names segments, a query and a language", () => {
  for (const [hash, segments, query, language] of [
    ["", [], "", ""],
    ["#/", [], "", ""],
    ["#/products/12?page=2&sl=de", ["products", "12"], "page=2", "de"],
    ["#/settings/General%2Ftitle", ["settings", "General/title"], "", ""],
    ["#/products/%E0%A4%A", ["products", "%E0%A4%A"], "", ""],
    ["#/users//7", ["users", "7"], "", ""],
  ]) {
    location.hash = hash;
    const found = here();
    assert.deepEqual([found.segments, String(found.query), chosenLanguage()], [segments, query, language], hash);
  }
});

test("the language of a page stays on the way to others", () => {
  location.hash = "#/products?sl=de";
  here();
  assert.equal(href(["products", "12"], { page: "2" }), "#/products/12?page=2&sl=de");
  assert.equal(href(["products"], null, ""), "#/products");
  assert.equal(href(["products"], null, "fr"), "#/products?sl=fr");
  location.hash = "";
  here();
  assert.equal(href([]), "#/");
});

test("ids with reserved characters are encoded", () => {
  assert.equal(path(["settings", "General/title?"]), "/settings/General%2Ftitle%3F");
});
