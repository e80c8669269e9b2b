package driver

import (
	"github.com/shopapi/shopapi/internal/budget"
	"github.com/shopapi/shopapi/store"
)

// What a row takes until the response is encoded, in bytes: its struct, and its texts as
// they are read, converted and encoded.
const (
	perColumn   = 128
	perTextByte = 2
	meterStep   = 64 << 10 // bytes that are reported at once
)

// A meter counts the rows of one read.
type meter struct {
	share *budget.Share
	each  func([]store.Value) error
	n     int64
}

func (m *meter) row(row []store.Value) error {
	m.n += int64(len(row)) * perColumn
	for i := range row {
		m.n += int64(len(row[i].Text())) * perTextByte
	}
	if m.n >= meterStep {
		if err := m.use(); err != nil {
			return err
		}
	}
	return m.each(row)
}

func (m *meter) use() error {
	n := m.n
	m.n = 0
	return m.share.Use(n)
}

func (m *meter) end(err error) error {
	if err != nil {
		return err
	}
	return m.use()
}
