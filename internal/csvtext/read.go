package csvtext

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// maxCells is how many cells a row may have. Empty ones take no bytes of the row, but memory.
const maxCells = 1 << 14

// The errors of a row.
var (
	// ErrTooLong is the error of a row that is longer than the limit. The next call reads
	// the row after it.
	ErrTooLong = errors.New("the row is too long")

	// ErrQuotes is the error of a row in which text follows a closing quotation mark. The
	// next call reads the next line.
	ErrQuotes = errors.New("text follows the closing quotation mark of a cell: a quotation mark inside a cell must be doubled")

	// ErrCells is the error of a row with more cells than a row may have. The next call reads the row
	// after it.
	ErrCells = fmt.Errorf("it has more than %d cells", maxCells)

	// ErrCut reports that the text ends within a quoted cell. No row follows.
	ErrCut = errors.New("the text ends within a quoted cell")
)

// A Reader reads rows. Lines end in LF or CR LF; empty lines are skipped.
type Reader struct {
	r      *bufio.Reader
	most   int
	comma  byte // 0 until the first row was read
	line   int  // of the next byte
	begins int  // the line of the row
	bytes  []byte
	ends   []int
	cells  [][]byte
}

// NewReader returns a reader of rows of at most so many bytes. The first row says what
// separates cells: a comma, a semicolon or a tab, whichever it has most of. A byte order
// mark of UTF-8 is passed over.
func NewReader(r io.Reader, most int) *Reader {
	return &Reader{r: bufio.NewReaderSize(r, 64<<10), most: most, line: 1}
}

// Line is the line, from 1, in which the row begins that was read last.
func (r *Reader) Line() int { return r.begins }

// Read returns the cells of the next row, until the next call. At the end it returns
// [io.EOF].
func (r *Reader) Read() ([][]byte, error) {
	if r.comma == 0 {
		if err := r.begin(); err != nil {
			return nil, err
		}
	}
	for {
		r.begins, r.bytes, r.ends = r.line, r.bytes[:0], r.ends[:0]
		err := r.row()
		if err != nil {
			return nil, err
		}
		if len(r.ends) == 1 && len(r.bytes) == 0 {
			continue // an empty line
		}
		r.cells = r.cells[:0]
		start := 0
		for _, end := range r.ends {
			r.cells = append(r.cells, r.bytes[start:end:end])
			start = end
		}
		return r.cells, nil
	}
}

// begin passes over a byte order mark, and looks for the separator in the first line.
func (r *Reader) begin() error {
	if mark, err := r.r.Peek(3); err == nil && string(mark) == "\uFEFF" {
		_, _ = r.r.Discard(len(mark))
	}
	start, err := r.r.Peek(r.r.Size())
	if err != nil && len(start) == 0 && !errors.Is(err, io.EOF) {
		return err // otherwise it comes again behind the rows that are there
	}
	first, _, _ := bytes.Cut(start, []byte{'\n'})
	count := map[byte]int{}
	quoted := false
	for _, c := range first {
		if c == '"' {
			quoted = !quoted
		}
		if !quoted {
			count[c]++
		}
	}
	r.comma = ','
	for _, c := range []byte{';', '\t'} {
		if count[c] > count[r.comma] {
			r.comma = c
		}
	}
	return nil
}

// row reads one row.
func (r *Reader) row() error {
	for {
		ended, err := r.cell()
		if err != nil {
			return err
		}
		r.ends = append(r.ends, len(r.bytes))
		if ended {
			return nil
		}
		if len(r.ends) == maxCells {
			return r.skip(ErrCells, false)
		}
	}
}

// cell reads one cell, and reports whether the row ends with it.
func (r *Reader) cell() (ended bool, err error) {
	c, err := r.r.ReadByte()
	switch {
	case errors.Is(err, io.EOF) && len(r.ends) == 0:
		return false, err
	case errors.Is(err, io.EOF):
		return true, nil // the last row has no line end
	case err != nil:
		return false, err
	case c == '"':
		return r.quoted()
	}
	for {
		if c == '\n' {
			r.line++
			if n := len(r.bytes); n > r.start() && r.bytes[n-1] == '\r' {
				r.bytes = r.bytes[:n-1]
			}
			return true, nil
		}
		if c == r.comma {
			return false, nil
		}
		if len(r.bytes) >= r.most {
			return false, r.skip(ErrTooLong, false)
		}
		r.bytes = append(r.bytes, c)
		if c, err = r.r.ReadByte(); err != nil {
			if errors.Is(err, io.EOF) {
				return true, nil
			}
			return false, err
		}
	}
}

// start is where the cell begins in bytes.
func (r *Reader) start() int {
	if len(r.ends) == 0 {
		return 0
	}
	return r.ends[len(r.ends)-1]
}

// quoted reads the rest of a cell that begins with a quotation mark.
func (r *Reader) quoted() (ended bool, err error) {
	for {
		c, err := r.r.ReadByte()
		if err != nil {
			return false, cutShort(err)
		}
		if c == '\n' {
			r.line++
		}
		if c == '"' {
			next, err := r.r.ReadByte()
			if errors.Is(err, io.EOF) {
				return true, nil
			}
			if err != nil {
				return false, err
			}
			switch next {
			case '"': // a doubled one
			case r.comma:
				return false, nil
			case '\n':
				r.line++
				return true, nil
			case '\r':
				end, err := r.r.ReadByte()
				if errors.Is(err, io.EOF) || err == nil && end == '\n' {
					r.line++
					return true, nil
				}
				if err != nil {
					return false, err
				}
				_ = r.r.UnreadByte() // one was read
				return false, r.skip(ErrQuotes, false)
			default:
				return false, r.skip(ErrQuotes, false)
			}
		}
		if len(r.bytes) >= r.most {
			return false, r.skip(ErrTooLong, true)
		}
		r.bytes = append(r.bytes, c)
	}
}

func cutShort(err error) error {
	if errors.Is(err, io.EOF) {
		return ErrCut
	}
	return err
}

// skip reads up to the end of the row, without keeping it, and returns the error of the
// row.
func (r *Reader) skip(of error, quoted bool) error {
	for {
		c, err := r.r.ReadByte()
		if errors.Is(err, io.EOF) {
			if quoted {
				return ErrCut
			}
			return of
		}
		if err != nil {
			return err
		}
		switch c {
		case '"':
			quoted = !quoted && !errors.Is(of, ErrQuotes)
		case '\n':
			r.line++
			if !quoted {
				return of
			}
		}
	}
}
