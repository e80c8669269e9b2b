// Package pages is the entity pages: the tree of a shop's texts, such as terms of
// delivery, and links (decisions §14, §23). The blocks of text around them are in
// package blocks.
//
// [Register] adds the entity to an API; the [Pages] that it returns give Go code the
// same rules.
package pages
