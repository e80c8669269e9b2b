// Package pages is the entity pages: the texts of a shop, such as terms of delivery, and
// links, in a tree as categories are (decisions §14, §23). [Register] adds it to an API;
// the [Pages] that it returns give Go code the same rules.
package pages
