// Package e2e tests the library's pages in a browser, and its OpenAPI document with a
// client generated from it. It is a module of its own, so that embedders do not depend
// on its requirements.
package e2e
