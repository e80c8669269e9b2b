//go:build !unix

package main

import "os"

// lockDatabase does nothing: here a file that is open cannot be moved.
func lockDatabase(*os.File) error { return nil }
