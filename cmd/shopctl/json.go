package main

import (
	"encoding/json"
	"flag"
	"io"
)

// jsonFlag adds the flag that has a command print JSON for scripts, one line for each
// object.
func jsonFlag(flags *flag.FlagSet) *bool {
	return flags.Bool("json", false, "print JSON, one line for each object")
}

// printJSON prints a value as one line. Values that commands print can be encoded.
func printJSON(w io.Writer, v any) {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(v)
}
