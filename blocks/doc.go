// Package blocks is the entity blocks: the pieces of which the pages of a storefront
// consist (decisions §14, §23). Texts with an address of their own are in package pages.
//
// [Register] adds the entity to an API; the [Blocks] that it returns give Go code the
// same rules. The content of a block is stored as sent: the program that shows it
// decides which parts of it may run.
package blocks
