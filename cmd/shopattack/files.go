package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
)

// maxImage is the size of the largest image, in bytes.
const maxImage = 10 << 20

// inFiles sends images, and packed imports: rows of -import, and zeros of 128 times as much,
// which with its default is more than Limits.Import. atOnce sends each of them over many connections.
func (a *attack) inFiles(ctx context.Context) error {
	for _, o := range a.doc.operations() {
		if len(o.example) == 0 || !a.attacks(o.entity()) || o.method != http.MethodPost || o.path != "/"+o.entity() {
			continue
		}
		size := func(n int) int { return len(lines(rows(o.example, "", n))) }
		n, unpacked := largest(size, a.imported<<20), a.imported<<27+1
		image, imports := &operation{method: http.MethodPost, path: "/images"}, &operation{method: http.MethodPost, path: "/jobs"}
		for _, s := range []shot{
			{op: image, path: "/images?entity=" + o.entity(), what: "of " + o.entity(), n: maxImage, body: imageOf(maxImage), content: "image/png"},
			{op: image, path: "/images?entity=" + o.entity(), what: "small, of " + o.entity(), n: 64, body: imageOf(64), content: "image/png"},
			{op: imports, path: "/jobs?import=" + o.entity(), what: "packed import of " + o.entity(), n: n, body: packed(bytes.NewReader(lines(rows(o.example, "", n)))), content: linesBody, coding: "gzip"},
			{op: imports, path: "/jobs?import=" + o.entity(), what: "packed zeros of " + o.entity(), n: unpacked, body: packed(io.LimitReader(zeros{}, int64(unpacked))), content: linesBody, coding: "gzip"},
		} {
			s.who = a.who(o)
			if err := a.measure(ctx, &s); err != nil {
				return err
			}
			a.keep(&s)
			a.uploads = append(a.uploads, s)
		}
		return nil // files of every entity cost the same
	}
	return nil
}

// imageOf returns the beginning of a PNG image, which decides its type, with zeros after it.
func imageOf(size int) []byte {
	image := make([]byte, size)
	copy(image, "\x89PNG\r\n\x1a\n")
	return image
}

func packed(r io.Reader) []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed) // the level is valid
	if _, err := io.Copy(w, r); err != nil || w.Close() != nil {
		return nil // a buffer takes all
	}
	return b.Bytes()
}

type zeros struct{}

// Read implements [io.Reader].
func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// cancelJobs cancels the imports that were sent at once, so that they cost the next requests
// nothing.
func (a *attack) cancelJobs(ctx context.Context, who login) {
	for _, id := range a.jobs {
		if _, err := a.send(ctx, who, http.MethodDelete, "/jobs/"+id, nil); err != nil {
			a.fail("cancelling the job %s: %v", id, err)
		}
	}
	a.jobs = nil
}
