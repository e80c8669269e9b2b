//go:build !unix

package engine

// An openFile cannot be deleted or renamed here as long as it is open.
type openFile struct{}

// Files returns nothing.
func (*Conn) Files() (Files, error) { return nil, nil }

// Moved returns "".
func (Files) Moved() string { return "" }
