// Package files moves objects between a shop and files: CSV and JSON lines (extensions E7).
// Over HTTP the same is GET of a list with Accept: text/csv or application/x-ndjson, which
// [github.com/shopapi/shopapi/shop.Options] switches on.
package files
