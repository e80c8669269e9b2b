package load

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"
)

// Time limits of one response, and of a turn or a warm-up. They end a hanging peer: the
// slowest peers need a second for a list of a million rows.
const (
	patience     = 30 * time.Second
	turnPatience = 15 * time.Minute
)

// maxBody is the longest body that is read, in bytes.
const maxBody = 64 << 20

var errTooLong = errors.New("load: the answer is too long")

// A Client sends requests over one HTTP/1.1 connection. It parses no more of a response
// than it needs to find its end, so that the measurement costs little CPU time.
type Client struct {
	conn net.Conn
	r    *bufio.Reader
}

// Dial connects.
func Dial(addr string) (*Client, error) {
	conn, err := net.DialTimeout("tcp", addr, patience)
	if err != nil {
		return nil, err
	}
	return &Client{conn, bufio.NewReaderSize(conn, 64<<10)}, nil
}

// Close closes the connection.
func (c *Client) Close() error { return c.conn.Close() }

// Do sends a request of Request, skips the body of the response, and returns its status.
// It sets no deadline.
func (c *Client) Do(request []byte) (status int, err error) {
	if _, err := c.conn.Write(request); err != nil {
		return 0, err
	}
	return readAnswer(c.r, nil, nil)
}

// Answer is Do that also returns body and header lines.
func (c *Client) Answer(request []byte) (status int, header, body string, err error) {
	if err := c.conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return 0, "", "", err
	}
	if _, err := c.conn.Write(request); err != nil {
		return 0, "", "", err
	}
	var h, b bytes.Buffer
	status, err = readAnswer(c.r, &h, &b)
	return status, h.String(), b.String(), err
}

// readAnswer reads one response with Content-Length or in chunks. It skips the parts
// without a buffer.
func readAnswer(r *bufio.Reader, header, body *bytes.Buffer) (status int, err error) {
	line, err := readLine(r)
	if err != nil {
		return 0, err
	}
	if status, err = parseStatus(line); err != nil {
		return 0, err
	}
	length, chunked := -1, false
	for {
		if line, err = readLine(r); err != nil {
			return 0, err
		}
		if len(line) == 0 {
			break
		}
		if header != nil {
			header.Write(line)
			header.WriteByte('\n')
		}
		name, value, ok := bytes.Cut(line, []byte(":"))
		if !ok || line[0] == ' ' || line[0] == '\t' {
			return 0, fmt.Errorf("load: not a header line: %q", line)
		}
		switch {
		case equalFold(name, "content-length"):
			if length, err = parseLength(bytes.TrimSpace(value), 10); err != nil {
				return 0, err
			}
		case equalFold(name, "transfer-encoding"):
			chunked = bytes.EqualFold(bytes.TrimSpace(value), []byte("chunked"))
		}
	}
	switch {
	case status == 204 || status == 304:
		return status, nil
	case chunked:
		return status, readChunks(r, body)
	case length < 0:
		return 0, errors.New("load: an answer whose end is not known")
	}
	return status, readBody(r, length, body)
}

// equalFold compares with lower-case letters. Header names are ASCII.
func equalFold(name []byte, lower string) bool {
	if len(name) != len(lower) {
		return false
	}
	for i, c := range name {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// parseStatus reads a line such as "HTTP/1.1 200 OK".
func parseStatus(line []byte) (int, error) {
	if !bytes.HasPrefix(line, []byte("HTTP/1.1 ")) || len(line) < len("HTTP/1.1 200") {
		return 0, fmt.Errorf("load: not a status line: %q", line)
	}
	status := 0
	for _, c := range line[9:12] {
		if c < '0' || c > '9' {
			return 0, fmt.Errorf("load: not a status line: %q", line)
		}
		status = 10*status + int(c-'0')
	}
	if status < 200 {
		return 0, fmt.Errorf("load: not a final status: %d", status)
	}
	return status, nil
}

func parseLength(text []byte, base int) (int, error) {
	n, err := strconv.ParseUint(string(text), base, 31)
	if err != nil {
		return 0, fmt.Errorf("load: not a length: %q", text)
	}
	if n > maxBody {
		return 0, errTooLong
	}
	return int(n), nil
}

func readChunks(r *bufio.Reader, body *bytes.Buffer) error {
	for {
		line, err := readLine(r)
		if err != nil {
			return err
		}
		size, _, _ := bytes.Cut(line, []byte(";"))
		n, err := parseLength(bytes.TrimSpace(size), 16)
		if err != nil {
			return err
		}
		if n == 0 {
			break
		}
		if err := readBody(r, n, body); err != nil {
			return err
		}
		if line, err = readLine(r); err != nil {
			return err
		}
		if len(line) > 0 {
			return errors.New("load: a chunk is longer than it says")
		}
	}
	for { // trailers
		line, err := readLine(r)
		if err != nil || len(line) == 0 {
			return err
		}
	}
}

func readBody(r *bufio.Reader, n int, body *bytes.Buffer) error {
	if body == nil {
		_, err := r.Discard(n)
		return err
	}
	_, err := io.CopyN(body, r, int64(n))
	return err
}

// readLine returns a line without its end, valid until the next read.
func readLine(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return nil, errTooLong
	}
	if err != nil {
		return nil, err
	}
	line = line[:len(line)-1]
	return bytes.TrimSuffix(line, []byte("\r")), nil
}
