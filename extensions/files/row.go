package files

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/extensions/bulk"
	"github.com/shopapi/shopapi/field"
)

// maxRow is how many bytes a row may have.
const maxRow = 8 << 20

// A FileError is an error of a file as a whole. The rows before it were imported.
type FileError struct {
	Line    int64 // 0 where it is not known
	Message string
}

func (e *FileError) Error() string {
	if e.Line == 0 {
		return e.Message
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Message)
}

// A rowReader reads the rows of a file. At the end it returns [io.EOF]; other errors end the
// file early.
type rowReader interface {
	// read returns the next row, and the line in which it begins. An error of the row
	// alone is its Err.
	read() (row bulk.Row, line int64, err error)

	// skip passes over a row.
	skip() error

	// unknown are the columns so far that no field has.
	unknown() []string
}

// newRowReader returns the reader of a file.
func newRowReader(r io.Reader, o *ImportOptions, f *fields) rowReader {
	if o.CSV {
		return newCSVRows(r, o, f)
	}
	return newLineRows(r, f)
}

// spread gives a row of users or of orders the fields of addresses by their names, as an export
// has them in one field.
func spread(row *bulk.Row) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(row.Fields[field.CustomerMember], &fields) != nil {
		return // an empty list
	}
	delete(row.Fields, field.CustomerMember)
	for name, value := range fields {
		if _, sent := row.Fields[name]; !sent {
			row.Fields[name] = value
		}
	}
}

// readError is the error of a file that cannot be read to its end.
func readError(err error, line int64) error {
	if isCut(err) {
		return &FileError{line, "the compressed file is cut short"}
	}
	if isNotGzip(err) {
		return &FileError{line, "the file is not what gzip writes, or it is damaged"}
	}
	return err
}

func badRow(format string, args ...any) error { return shopapi.Errorf(400, format, args...) }

var errLongRow = badRow("The row has more than %d MiB.", maxRow>>20)
