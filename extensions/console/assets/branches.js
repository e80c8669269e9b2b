// A tree whose levels are read when they are opened: its nodes, and what keys do in it.

// nodeOf is the node of an object {id, name} below another one, null at the top. Its children
// are null until they are read.
export const nodeOf = (choice, parent = null) => ({ ...choice, parent, level: parent ? parent.level + 1 : 1, children: null, isOpen: false });

// isLeaf reports whether nothing is below a node. It is not known before its children are read.
export const isLeaf = (node) => node.children?.length === 0;

// pathOf are the names of the nodes above a node.
export const pathOf = ({ parent }) => (parent ? [...pathOf(parent), parent.name] : []);

// shownNodes are the nodes that are not below a closed one, in their order.
export const shownNodes = (nodes) => nodes.flatMap((node) => [node, ...(node.isOpen ? shownNodes(node.children) : [])]);

// open reads what is below a node, unless it was read, and shows it.
export async function open(node, read) {
  node.children ??= (await read(node.id)).map((choice) => nodeOf(choice, node));
  node.isOpen = node.children.length > 0;
}

// openPath opens the nodes whose ids are given, each below the one before it.
export async function openPath(nodes, ids, read) {
  const node = nodes.find(({ id }) => id === ids[0]);
  if (!node) return;
  await open(node, read);
  await openPath(node.children, ids.slice(1), read);
}

// step returns what a key does at a node: the node to go to, the one to open or to close;
// nothing for other keys.
export function step(nodes, node, key) {
  const shown = shownNodes(nodes);
  const at = shown.indexOf(node);
  switch (key) {
    case "ArrowDown": return { to: shown[Math.min(at + 1, shown.length - 1)] };
    case "ArrowUp": return { to: shown[Math.max(at - 1, 0)] };
    case "Home": return { to: shown[0] };
    case "End": return { to: shown.at(-1) };
    case "ArrowRight":
      if (!node.isOpen) return { to: node, open: isLeaf(node) ? null : node };
      return { to: node.children[0] };
    case "ArrowLeft":
      if (node.isOpen) return { to: node, close: node };
      return { to: node.parent || node };
  }
  if (key.length !== 1 || key === " ") return null;
  const begins = ({ name }) => name.toLowerCase().startsWith(key.toLowerCase());
  return { to: [...shown.slice(at + 1), ...shown.slice(0, at + 1)].find(begins) || node };
}
