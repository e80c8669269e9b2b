// Package wire reads and writes the JSON shapes that several entities of the interface
// share: empty values, single values, members of objects in their order, maps of ids,
// and JSON that is stored as text. It knows no entity.
package wire
