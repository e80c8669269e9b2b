package main

import (
	"errors"
	"fmt"
)

// The exit codes.
const (
	exitDone   = 0
	exitFailed = 1
	exitPartly = 2
	exitUsage  = 64
)

// exitCodes are the exit codes as the help explains them.
var exitCodes = []struct {
	code int
	text string
}{
	{exitDone, "done"},
	{exitFailed, "failed: the message has the reason"},
	{exitPartly, "done, with problems that were named: by pull, import or check"},
	{exitUsage, "invalid arguments: nothing was done"},
}

// errPartly is the error of a command that did its work and named problems.
var errPartly = errors.New("done, with problems")

// A usageError is the error of invalid arguments.
type usageError struct{ error }

func (e *usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }
