package changes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/jsonenc"
)

const (
	beatEvery   = 15 * time.Second // between two signs of life in a stream
	retryAfter  = 3000             // milliseconds until a client connects again
	streamBatch = 100              // changes that a stream holds in memory
)

// serveStream answers GET /changes with an event stream.
func (l *Log) serveStream(ctx context.Context, r *shopapi.EndpointRequest, q *query) (*shopapi.Response, error) {
	user, err := r.Identify(ctx) // which begins to watch the user
	if err != nil {
		return nil, err
	}
	first, err := l.Page(shopapi.WithUser(ctx, user), q.since, q.Filter, streamBatch)
	var gone *GoneError
	if err != nil && !errors.As(err, &gone) {
		return nil, err
	}
	s := &stream{log: l, request: r, query: q, user: user, page: first, gone: gone, at: q.since}
	return &shopapi.Response{
		Header: http.Header{
			"Content-Type":      {eventStream},
			"Cache-Control":     {"no-store"},
			"X-Accel-Buffering": {"no"}, // of proxies that would collect the events
		},
		Stream: s.send,
	}, nil
}

// A stream sends changes as server-sent events.
type stream struct {
	log     *Log
	request *shopapi.EndpointRequest
	query   *query
	user    *shopapi.User
	page    Page       // that was read and is not sent yet
	gone    *GoneError // in place of a page
	at      string     // position up to which everything is sent
}

// send sends events until ctx ends, the user may no longer read them, or the log ends.
func (s *stream) send(ctx context.Context, w io.Writer) error {
	defer s.log.enter()()
	beat := time.NewTicker(s.log.beat)
	defer beat.Stop()
	changed, stop := s.log.feed.watchUser(s.request.UserChanged)
	defer stop()
	if _, err := fmt.Fprintf(w, "retry: %d\n\n", retryAfter); err != nil {
		return nil
	}
	for {
		more, err := s.sendPage(ctx, w)
		if !more {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		if !s.page.more() {
			w.(http.Flusher).Flush()
			switch s.log.wait(ctx, s.at, beat.C, changed) {
			case contextEnded:
				return nil
			case timerFired:
				if _, err := fmt.Fprintf(w, ":\nid: %s\n\n", s.at); err != nil {
					return nil
				}
			}
		}
		// A stream that ends is opened again, and the response says why it is refused.
		if s.user, err = s.request.Identify(ctx); err != nil || !s.log.mayAsk(s.user, s.query) {
			return nil
		}
		s.page, err = s.log.next(shopapi.WithUser(ctx, s.user), s.at, s.query.Filter, streamBatch)
		if err != nil && !errors.As(err, &s.gone) {
			return err
		}
	}
}

// sendPage sends the events of the page, and reports whether more may follow.
func (s *stream) sendPage(ctx context.Context, w io.Writer) (more bool, err error) {
	if s.gone != nil {
		_, _ = fmt.Fprintf(w, "id: %s\nevent: reset\ndata: {\"first_seq\":%q}\n\n", s.gone.LastSeq, s.gone.FirstSeq)
		return false, nil
	}
	ctx = shopapi.WithUser(ctx, s.user)
	for _, c := range s.page.Changes {
		same, err := s.sameUser(ctx)
		if err != nil {
			return false, nil
		}
		if !same {
			s.page.Pending = max(1, s.page.Pending) // the rest is read again for the user of now
			return true, nil
		}
		event, err := s.log.encodable(ctx, c, s.query)
		if err != nil {
			return false, err
		}
		data, err := jsonenc.Append(nil, event)
		if err != nil {
			return false, err
		}
		var b bytes.Buffer
		fmt.Fprintf(&b, "id: %s\nevent: %s.%s\ndata: %s\n\n", c.Seq, c.Entity, c.Op, data)
		if _, err := w.Write(b.Bytes()); err != nil {
			return false, nil // the client is gone
		}
		s.at = c.Seq
	}
	s.at = s.page.LastSeq
	return true, nil
}

// sameUser reports whether the user of the stream has the rights with which the page was
// read. It returns the error of [shopapi.EndpointRequest.Identify], such as the 401 of a revoked
// key.
func (s *stream) sameUser(ctx context.Context) (bool, error) {
	user, err := s.request.Identify(ctx)
	return user == s.user || reflect.DeepEqual(user, s.user), err
}

// more reports whether rows are left after the page.
func (p *Page) more() bool { return p.Pending > 0 }
