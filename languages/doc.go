// Package languages has the entities languages, the languages of a shop, and langvars,
// the texts of its storefront (decisions §15, §23). The translations of objects are not
// here: package resource reads and writes them.
//
// [Register] and [Languages.RegisterVariables] add the entities to an API; the types
// that they return give Go code the same rules. Texts can be written and read in any
// language by its code; the entity lists the languages of the shop, and deleting a
// language removes its texts.
package languages
