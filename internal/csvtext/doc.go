// Package csvtext reads and writes CSV (RFC 4180) so that the bytes of a cell survive:
// encoding/csv reads CR LF inside a cell as LF. The reader also reports the line in which a
// row begins, goes on after a bad row, and bounds the size of a row.
package csvtext
