package files

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/extensions/bulk"
	"github.com/shopapi/shopapi/internal/body"
	"github.com/shopapi/shopapi/internal/clienterror"
)

// lineRows read the rows of a file of JSON lines: an object in each line. Empty lines are
// skipped.
type lineRows struct {
	r       *bufio.Reader
	fields  *fields
	columns map[string]column
	line    int64 // that was read last
	text    []byte
	begun   bool // a row was read
}

func newLineRows(r io.Reader, f *fields) *lineRows {
	return &lineRows{r: bufio.NewReaderSize(r, 64<<10), fields: f, columns: map[string]column{}}
}

func (l *lineRows) unknown() []string { return l.fields.unknown }

// skip implements rowReader. The process that carried out the row checked the first one.
func (l *lineRows) skip() error {
	l.begun = true
	_, _, err := l.next()
	if errors.Is(err, errLongRow) {
		return nil
	}
	return err
}

// next returns the next line that is not empty, and whether a line end follows it.
func (l *lineRows) next() (text []byte, ended bool, err error) {
	for {
		l.line++
		if text, ended, err = l.one(); err != nil {
			return nil, false, err
		}
		if l.line == 1 {
			text = bytes.TrimPrefix(text, []byte("\uFEFF"))
		}
		if text = bytes.TrimSpace(text); len(text) > 0 || !ended {
			if len(text) == 0 {
				return nil, false, io.EOF
			}
			return text, ended, nil
		}
	}
}

// one reads one line. It passes over a line that is too long, with errLongRow.
func (l *lineRows) one() (text []byte, ended bool, err error) {
	l.text = l.text[:0]
	tooLong := false
	for {
		part, err := l.r.ReadSlice('\n')
		if tooLong = tooLong || len(l.text)+len(part) > maxRow; !tooLong {
			l.text = append(l.text, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == nil || errors.Is(err, io.EOF):
			if tooLong {
				return nil, false, errLongRow
			}
			return l.text, err == nil, nil
		}
		return nil, false, readError(err, l.line)
	}
}

// read implements rowReader.
func (l *lineRows) read() (row bulk.Row, line int64, err error) {
	text, ended, err := l.next()
	switch {
	case errors.Is(err, errLongRow):
		return bulk.Row{Err: err}, l.line, nil
	case err != nil:
		return row, l.line, err
	case !ended && isCutJSON(text):
		return row, l.line, &FileError{l.line, "the file ends within the JSON value that begins here"}
	}
	if row, err = l.parse(text); err != nil {
		return bulk.Row{Err: err}, l.line, nil
	}
	if !l.begun {
		l.begun = true
		if err := l.check(row); err != nil {
			return row, l.line, err
		}
	}
	return row, l.line, nil
}

// isCutJSON reports whether a text is the beginning of a JSON value.
func isCutJSON(text []byte) bool {
	var value json.RawMessage
	return errors.Is(json.NewDecoder(bytes.NewReader(text)).Decode(&value), io.ErrUnexpectedEOF)
}

// parse reads the object of a line.
func (l *lineRows) parse(text []byte) (row bulk.Row, err error) {
	if text[0] != '{' {
		return row, badRow("The line must be a JSON object.")
	}
	members, err := body.JSON(text)
	if err != nil {
		if wrong, ok := errors.AsType[*clienterror.Error](err); ok {
			if wrong.OfField {
				return row, shopapi.Invalid(wrong.Field, "%s", wrong.Message)
			}
			return row, badRow("%s", wrong.Message)
		}
		return row, err
	}
	row.Fields = make(map[string]json.RawMessage, len(members))
	for name, value := range members {
		c, ok := l.columns[name]
		if !ok {
			if c = l.fields.column(name); len(l.columns) < 10*maxUnknown {
				l.columns[name] = c
			}
		}
		if c.isKnown {
			c.put(&row, value)
		}
	}
	return row, nil
}

// check returns an error if the first object of a file has no field that can change.
func (l *lineRows) check(row bulk.Row) error {
	match := l.fields.entity.Match
	_, named := row.Fields[match]
	known := len(row.Fields) + len(row.Texts)
	if named {
		known--
	}
	if known == 0 {
		return &FileError{l.line, "the first object has no field" + butMatch(named, match) + ": its members must have the names of fields, such as in an export"}
	}
	return nil
}
