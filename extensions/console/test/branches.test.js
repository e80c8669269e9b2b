import { test } from "node:test";
import assert from "node:assert/strict";
import { isLeaf, nodeOf, open, openPath, pathOf, shownNodes, step } from "../assets/branches.js";

// A tree of a shop: 1 with 2 and 3, of which 3 has 4; 5 has nothing.
const rows = { 1: ["2", "3"], 3: ["4"] };
const choice = (id) => ({ id, name: { 1: "Tableware", 2: "Cups", 3: "Plates", 4: "Dinner plates", 5: "Garden" }[id] });

function shop() {
  const asked = [];
  const read = async (id) => { asked.push(id); return (rows[id] || []).map(choice); };
  return { asked, read, nodes: ["1", "5"].map((id) => nodeOf(choice(id))) };
}
const ids = (nodes) => shownNodes(nodes).map(({ id }) => id).join(" ");

test("a level is read when it is opened, and once", async () => {
  const { asked, read, nodes } = shop();
  assert.equal(ids(nodes), "1 5");
  await open(nodes[0], read);
  assert.equal(ids(nodes), "1 2 3 5");
  nodes[0].isOpen = false;
  assert.equal(ids(nodes), "1 5");
  await open(nodes[0], read);
  assert.deepEqual(asked, ["1"]);
});

test("a node without others below it is known as a leaf once that was read", async () => {
  const { read, nodes } = shop();
  assert.equal(isLeaf(nodes[1]), false);
  await open(nodes[1], read);
  assert.deepEqual([isLeaf(nodes[1]), nodes[1].isOpen], [true, false]);
});

test("a path is opened down to a node", async () => {
  const { asked, read, nodes } = shop();
  await openPath(nodes, ["1", "3"], read);
  assert.equal(ids(nodes), "1 2 3 4 5");
  const four = shownNodes(nodes)[3];
  assert.deepEqual([four.level, pathOf(four)], [3, ["Tableware", "Plates"]]);
  await openPath(nodes, ["9", "1"], read);
  assert.deepEqual(asked, ["1", "3"]);
});

test("keys move, open and close", async () => {
  const { read, nodes } = shop();
  await openPath(nodes, ["1"], read);
  const [one, two, three, five] = shownNodes(nodes);
  await open(five, read);
  for (const [from, key, want] of [
    [one, "ArrowDown", { to: two }], [five, "ArrowDown", { to: five }], [two, "ArrowUp", { to: one }], [one, "ArrowUp", { to: one }],
    [three, "Home", { to: one }], [one, "End", { to: five }],
    [one, "ArrowRight", { to: two }], [three, "ArrowRight", { to: three, open: three }], [five, "ArrowRight", { to: five, open: null }],
    [one, "ArrowLeft", { to: one, close: one }], [three, "ArrowLeft", { to: one }], [five, "ArrowLeft", { to: five }],
    [one, "p", { to: three }], [five, "c", { to: two }], [one, "x", { to: one }],
  ]) {
    const got = step(nodes, from, key);
    assert.equal(got.to?.id, want.to.id, `${key} at ${from.id}`);
    assert.deepEqual([got.open?.id, got.close?.id], [want.open?.id, want.close?.id], `${key} at ${from.id}`);
  }
  assert.equal(step(nodes, one, "Tab"), null);
});
