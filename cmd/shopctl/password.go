package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// password reads a password: twice from a terminal, which does not show it, or else the
// first line of the input.
func (t terminal) password() (string, error) {
	if f, ok := t.in.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		first, err := t.ask(f, "Password: ")
		if err != nil {
			return "", err
		}
		second, err := t.ask(f, "Again: ")
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

func (t terminal) ask(f *os.File, question string) (string, error) {
	fmt.Fprint(t.err, question)
	text, err := term.ReadPassword(int(f.Fd()))
	fmt.Fprintln(t.err)
	return string(text), err
}
