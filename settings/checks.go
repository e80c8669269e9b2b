package settings

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // so that every process knows a zone that another process accepted

	"github.com/shopapi/shopapi/address"
	"github.com/shopapi/shopapi/internal/plain"
)

// WholeNumber returns a [Setting.Check] for whole numbers from low to high.
func WholeNumber(low, high int64) func(context.Context, string) error {
	return func(_ context.Context, value string) error {
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || n < low || n > high || strconv.FormatInt(n, 10) != value {
			return fmt.Errorf("must be a whole number from %d to %d, not %s", low, high, quoted(value))
		}
		return nil
	}
}

// idOrNone accepts an id, and the empty text.
func idOrNone(ctx context.Context, value string) error {
	if value == "" || WholeNumber(1, math.MaxInt64)(ctx, value) == nil {
		return nil
	}
	return fmt.Errorf("must be an id, a whole number from 1, or empty, not %s", quoted(value))
}

// timeZone accepts the names of the IANA database.
func timeZone(_ context.Context, value string) error {
	if _, err := time.LoadLocation(value); err != nil || value == "" || value == "Local" {
		return fmt.Errorf("must be a time zone such as UTC or Europe/Oslo, not %s", quoted(value))
	}
	return nil
}

func currency(_ context.Context, value string) error {
	if len(value) != 3 || strings.Trim(value, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return fmt.Errorf("must be the three capital letters of a currency, such as EUR, not %s", quoted(value))
	}
	return nil
}

func language(_ context.Context, value string) error {
	if len(value) != 2 || strings.Trim(value, "abcdefghijklmnopqrstuvwxyz") != "" {
		return fmt.Errorf("must be the two small letters of a language, such as en, not %s", quoted(value))
	}
	return nil
}

func year(_ context.Context, value string) error {
	if n, err := strconv.Atoi(value); value != "" && (err != nil || n < 1 || n > 9999 || len(value) != 4) {
		return errors.New("must be a year of four digits, or empty, not " + quoted(value))
	}
	return nil
}

// addressFields accepts the names of fields of an address.
func addressFields(_ context.Context, value string) error {
	_, err := address.ParseRequired(value)
	return err
}

// maxForm is the greatest length of a form of numbers, in bytes.
const maxForm = 100

// numberForm accepts forms of the numbers of documents: texts with {number}, and perhaps
// {year}.
func numberForm(_ context.Context, value string) error {
	switch rest := strings.NewReplacer("{number}", "", "{year}", "").Replace(value); {
	case !strings.Contains(value, "{number}"):
		return errors.New("must contain {number}")
	case len(value) > maxForm:
		return fmt.Errorf("must have at most %d bytes", maxForm)
	case strings.ContainsAny(rest, "{}"):
		return errors.New("must have no braces but those of {number} and {year}")
	case strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return errors.New("must not have control characters")
	}
	return nil
}

func quoted(s string) string { return plain.Quoted(s) }

// A check returns an error that describes an invalid value.
type check = func(ctx context.Context, value string) error
