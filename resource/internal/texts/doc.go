// Package texts reads and writes the texts that rows have in several languages (decisions
// §15): rows contain the texts of the base language, the table [store.Schema.Texts] the
// others. Entities use it through [github.com/shopapi/shopapi/resource.Texts].
package texts
