// Package blocks is the entity blocks: the pieces that the pages of a storefront are laid
// out of (decisions §14, §23). [Register] adds it to an API; the [Blocks] that it returns
// give Go code the same rules. What a block holds is stored as it was given: whoever
// shows it decides what of it may run.
package blocks
