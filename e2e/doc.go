// Package e2e tries the pages of the library in a browser, and its OpenAPI document with
// a client that is generated from it. It is a module of its own, so that what it needs
// is nobody else's.
package e2e
