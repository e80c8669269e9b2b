package body

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/shopapi/shopapi/internal/budget"
	"github.com/shopapi/shopapi/internal/clienterror"
	"github.com/shopapi/shopapi/internal/jsontext"
	"github.com/shopapi/shopapi/internal/plain"
)

// The bytes that the operation of a request with a body is granted before it runs. Memory
// beyond it is taken from the budget as the operation uses it.
const (
	work        = 256 << 10
	workPerByte = 6   // of a body, which is copied, parsed and bound
	workPerNode = 200 // of a body: see [jsontext.Nodes]

	workOfTurn = 256 << 10 // of a body that takes so long to parse and to check that its request waits for a turn
)

// CheckCoding returns a 415 [*clienterror.Error] for a body with a Content-Encoding.
func CheckCoding(h http.Header) error {
	if coding := strings.Join(h["Content-Encoding"], ", "); coding != "" && !strings.EqualFold(coding, "identity") {
		return unsupported("The Content-Encoding %s is not supported. Send the body as it is.", plain.Quoted(coding))
	}
	return nil
}

// Read reads a body of at most so many bytes within the share that the request has of the
// memory, and waits for the memory that its parsing takes. A large body also waits for the
// client's turn: many of them at once would take the CPU time of other clients.
//
// The error is an [*http.MaxBytesError], a [*budget.Error], [context.Canceled], or an
// [*clienterror.Error].
func Read(ctx context.Context, w http.ResponseWriter, req *http.Request, share *budget.Share, most int64) ([]byte, error) {
	data, err := read(ctx, w, req, share, most)
	if err != nil {
		return nil, readError(err)
	}
	return data, nil
}

// CheckText returns a 400 [*clienterror.Error] for a body that is not valid UTF-8, or holds a NUL character. Each
// [Parser] checks that itself.
func CheckText(body []byte) error {
	if !isText(body) {
		return wrongBytes(body)
	}
	return nil
}

func read(ctx context.Context, w http.ResponseWriter, req *http.Request, share *budget.Share, most int64) ([]byte, error) {
	size := most // of a body of unknown length
	if n := req.ContentLength; n >= 0 {
		size = min(n, most)
	}
	if err := share.AwaitBody(ctx, size); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if req.ContentLength >= 0 {
		b.Grow(int(size) + bytes.MinRead)
	}
	if _, err := b.ReadFrom(http.MaxBytesReader(w, req.Body, most)); err != nil {
		return nil, err
	}
	parsing := workPerByte*int64(b.Len()) + workPerNode*int64(jsontext.Nodes(b.Bytes()))
	if parsing > workOfTurn {
		return b.Bytes(), share.AwaitTurn(ctx, work+parsing, budget.BodyTurn)
	}
	return b.Bytes(), share.AwaitWork(ctx, work+parsing)
}

// readError distinguishes a body that is too large from a slow or incomplete one.
func readError(err error) error {
	if Unread(err) || errors.Is(err, context.Canceled) {
		return err
	}
	var timeout interface{ Timeout() bool }
	if errors.As(err, &timeout) && timeout.Timeout() {
		return &clienterror.Error{Status: http.StatusRequestTimeout, Message: "The body did not arrive in time.", Cause: err}
	}
	return &clienterror.Error{Status: http.StatusBadRequest, Message: "The body could not be read to its end.", Cause: err}
}

// Unread reports whether the error of [Read] leaves a part of a body that the client still sends:
// the body is too large, or memory is short.
func Unread(err error) bool {
	var tooLarge *http.MaxBytesError
	exceeded, _ := budget.Exceeded(err)
	return exceeded || errors.As(err, &tooLarge)
}
