// The pages of lists and objects, which are loaded when the first one is opened.

export { list, loadList } from "./list.js";
export { loadObject } from "./load.js";
export { objectPage } from "./object.js";
export { staffPage } from "./staff/pages.js";
export { watch } from "./meanwhile.js";
