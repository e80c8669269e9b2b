// Package languages is the entity languages: those that the texts of a shop stand in
// (decisions §15, §23). [Register] adds it to an API; the [Languages] that it returns
// give Go code the same rules. Any language can be written and read by its code; the
// entity says which ones the shop has, and deleting one removes its texts.
package languages
