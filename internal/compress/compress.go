// Package compress chooses the coding of a response by Accept-Encoding (RFC 9110 §12.5.3),
// and compresses with it.
package compress

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// A Coding is the name of a content coding.
type Coding string

// The codings.
const (
	Identity Coding = ""
	Gzip     Coding = "gzip"
	Zstd     Coding = "zstd"
)

// MinSize is the size in bytes up to which a body is sent as it is: below it compression
// saves no packet.
const MinSize = 1 << 10

// A Choice is what an Accept-Encoding header accepts.
type Choice struct {
	Coding   Coding // the best one
	Required bool   // the body must not be sent as it is
}

// maxHeader is the greatest length of a header that is read, in bytes.
const maxHeader = 1 << 10

// Choose returns the best coding for a request with these Accept-Encoding headers. ok is
// false if they accept neither a supported coding nor the uncoded body. Headers that are
// too long accept the uncoded body.
func Choose(header []string) (c Choice, ok bool) {
	length := 0
	for _, value := range header {
		length += len(value)
	}
	if length == 0 || length > maxHeader {
		return Choice{}, true
	}
	const unnamed = -1.0
	gzipped, zipped, identity, others := unnamed, unnamed, unnamed, unnamed
	for _, value := range header {
		for element := range strings.SplitSeq(value, ",") {
			name, parameters, _ := strings.Cut(element, ";")
			q, valid := quality(parameters)
			if !valid {
				continue
			}
			switch name = strings.TrimSpace(name); {
			case strings.EqualFold(name, "gzip"), strings.EqualFold(name, "x-gzip"):
				gzipped = max(gzipped, q)
			case strings.EqualFold(name, "zstd"):
				zipped = max(zipped, q)
			case strings.EqualFold(name, "identity"):
				identity = max(identity, q)
			case name == "*":
				others = max(others, q)
			}
		}
	}
	for _, q := range []*float64{&gzipped, &zipped} {
		if *q == unnamed {
			*q = others
		}
	}
	c.Required = identity == 0 || identity == unnamed && others == 0
	switch {
	case zipped > 0 && zipped >= gzipped && zipped >= identity:
		c.Coding = Zstd
	case gzipped > 0 && gzipped >= identity:
		c.Coding = Gzip
	case c.Required:
		return c, false
	}
	return c, true
}

// quality returns the weight in the parameters of an element.
func quality(parameters string) (q float64, valid bool) {
	name, value, found := strings.Cut(strings.TrimSpace(parameters), "=")
	if !found {
		return 1, name == ""
	}
	if !strings.EqualFold(strings.TrimSpace(name), "q") {
		return 0, false
	}
	q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	return q, err == nil && q >= 0 && q <= 1
}

// Compress returns a body in a coding.
func (c Coding) Compress(body []byte) []byte {
	if c == Zstd {
		return zstdEncoder().EncodeAll(body, make([]byte, 0, len(body)/4))
	}
	w := gzipWriters.Get().(*gzip.Writer)
	defer gzipWriters.Put(w)
	var b bytes.Buffer
	b.Grow(len(body) / 4)
	w.Reset(&b)
	// Writing to a buffer never fails.
	_, _ = w.Write(body)
	_ = w.Close()
	return b.Bytes()
}

// gzipLevel is between speed and size: JSON of lists becomes a tenth at 200 MB a second.
const gzipLevel = 4

var gzipWriters = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(nil, gzipLevel)
	if err != nil {
		panic(err) // there is this level
	}
	return w
}}

// maxWindow is the most that zstd looks back, in bytes. It bounds the memory that
// encoders and clients need.
const maxWindow = 1 << 20

// zstdEncoder may be used by several goroutines at once.
var zstdEncoder = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithWindowSize(maxWindow), zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic(err) // these options fit
	}
	return e
})

// Writer returns a writer that writes to w in a coding. It must be closed.
func (c Coding) Writer(w io.Writer) io.WriteCloser {
	switch c {
	case Gzip:
		z, err := gzip.NewWriterLevel(w, gzipLevel)
		if err != nil {
			panic(err) // there is this level
		}
		return z
	case Zstd:
		z, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithWindowSize(maxWindow),
			zstd.WithLowerEncoderMem(true), zstd.WithEncoderConcurrency(1))
		if err != nil {
			panic(err) // these options fit
		}
		return z
	}
	return plain{w}
}

// plain writes what it is given.
type plain struct{ io.Writer }

func (plain) Close() error { return nil }
