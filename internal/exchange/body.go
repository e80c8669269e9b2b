package exchange

import (
	"bytes"
	"context"
	"crypto/sha256"

	"github.com/shopapi/shopapi/internal/body"
)

// ReadFields reads the fields of a body of at most so many bytes (§4). sum is the SHA-256 of
// the body if the request has an Idempotency-Key.
func (e *Exchange) ReadFields(ctx context.Context, most int64) (fields body.Fields, sum [sha256.Size]byte, err error) {
	parse, err := body.ParserFor(e.Req.Header.Get("Content-Type"))
	if err != nil {
		return nil, sum, err
	}
	data, err := e.read(ctx, most)
	if err != nil {
		return nil, sum, err
	}
	if fields, err = parse(data); err != nil {
		return nil, sum, err
	}
	if e.Req.Header["Idempotency-Key"] != nil {
		sum = sha256.Sum256(data)
	}
	return fields, sum, nil
}

// ReadJSON reads a JSON body of at most so many bytes, which is not parsed.
func (e *Exchange) ReadJSON(ctx context.Context, most int64) ([]byte, error) {
	if err := body.JSONOnly(e.Req.Header.Get("Content-Type")); err != nil {
		return nil, err
	}
	data, err := e.read(ctx, most)
	if err != nil {
		return nil, err
	}
	if err := body.CheckText(data); err != nil {
		return nil, err
	}
	return data, nil
}

// mark is the byte order mark of UTF-8, which some programs write before a text.
var mark = []byte("\uFEFF")

// read reads a body of at most so many bytes. It passes over a byte order mark.
func (e *Exchange) read(ctx context.Context, most int64) ([]byte, error) {
	if err := body.CheckCoding(e.Req.Header); err != nil {
		return nil, err
	}
	data, err := body.Read(ctx, e.W, e.Req, e.Share, most)
	e.Conn.BodyRead = !body.Unread(err)
	return bytes.TrimPrefix(data, mark), err
}
