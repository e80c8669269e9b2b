// Package bulk carries out many operations at once: batches of requests (E6), PUT with match,
// which changes the objects of an array, and the rows of files (E7), and it exports whole
// lists. A shop of package [github.com/shopapi/shopapi/shop] has the addresses of all this
// where its options say so; package [github.com/shopapi/shopapi/extensions/files] reads and writes the
// files. Go code calls [Do], [Put], [NewImport] and [Export].
//
// Rows and batches use the entities of the API by the capabilities that they declare
// ([shopapi.Creator], [shopapi.Updater], [Matcher] and others), with the rules, hooks and
// events of single requests.
package bulk
