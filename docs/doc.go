// Package docs is the pages for embedders. It has tests alone, which compile their
// code.
package docs
