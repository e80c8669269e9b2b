package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// password reads a password: twice from a terminal, which does not show it, or else the
// first line of the input.
func (t terminal) password(ctx context.Context) (string, error) {
	if f, ok := t.in.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		first, err := t.ask(ctx, f, "Password: ")
		if err != nil {
			return "", err
		}
		second, err := t.ask(ctx, f, "Again: ")
		if err == nil && first != second {
			err = errors.New("the two are not the same")
		}
		return first, err
	}
	line, err := bufio.NewReader(t.in).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	return strings.TrimRight(line, "\r\n"), nil
}

// ask reads a line that the terminal does not show. When ctx ends, the terminal echoes keys again.
func (t terminal) ask(ctx context.Context, f *os.File, question string) (string, error) {
	before, err := term.GetState(int(f.Fd()))
	if err != nil {
		return "", err
	}
	fmt.Fprint(t.err, question)
	defer fmt.Fprintln(t.err)
	type line struct {
		text []byte
		err  error
	}
	read := make(chan line, 1)
	go func() {
		text, err := term.ReadPassword(int(f.Fd()))
		read <- line{text, err}
	}()
	select {
	case l := <-read:
		return string(l.text), l.err
	case <-ctx.Done():
		return "", errors.Join(ctx.Err(), term.Restore(int(f.Fd()), before))
	}
}
