package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/users"
)

// adminVariable is the environment variable with the administrator.
const adminVariable = "SHOPAPI_ADMIN"

// A login is an e-mail address and an API key.
type login struct{ email, key string }

// administrator returns the administrator of the flags or the environment, or the zero
// login.
func (s settings) administrator(logger *slog.Logger) (login, error) {
	switch {
	case s.admin != "" && s.adminFile != "":
		return login{}, errors.New("give -admin or -admin-file, not both")
	case s.admin != "":
		return parseLogin("-admin", s.admin)
	case s.adminFile != "":
		text, err := os.ReadFile(s.adminFile)
		if err != nil {
			return login{}, fmt.Errorf("-admin-file: %w", err)
		}
		warnIfReadable(logger, s.adminFile)
		return parseLogin("-admin-file", strings.TrimSpace(string(text)))
	case os.Getenv(adminVariable) != "":
		return parseLogin(adminVariable, os.Getenv(adminVariable))
	}
	return login{}, nil
}

// parseLogin reads EMAIL:KEY. Its error does not contain the text, which may be a key.
func parseLogin(source, text string) (login, error) {
	email, key, ok := strings.Cut(text, ":")
	if !ok || email == "" || key == "" {
		return login{}, errors.New(source + " must be EMAIL:KEY")
	}
	return login{email, key}, nil
}

// ensureAdmin creates a root administrator if there is none, and returns the login for
// curl. It prints a new key once.
func ensureAdmin(ctx context.Context, sh *shop.Shop, admin login, out io.Writer) (user string, err error) {
	if admin.email != "" {
		return admin.email, users.EnsureRootKey(ctx, sh.Store, admin.email, admin.key)
	}
	const email = "admin@example.com"
	key, created, err := users.EnsureRoot(ctx, sh.Store, email)
	if err != nil || !created {
		return email, err
	}
	fmt.Fprintf(out, "The administrator %s was made. The API key is shown this once:\n\n\t%s\n\n", email, key)
	return email + ":" + key, nil
}
