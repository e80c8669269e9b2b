// Package languages has the entities languages, in which the texts of a shop are written,
// and langvars, the texts of its storefront (decisions §15, §23). [Register] and
// [Languages.RegisterVariables] add them to an API; what these return gives Go code the
// same rules. Any language can be written and read by its code; the entity says which
// ones the shop has, and deleting one removes its texts.
package languages
