package jsontext_test

import (
	"strings"
	"testing"

	"github.com/shopapi/shopapi/internal/jsontext"
)

func TestIsEmpty(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, "null": true, "[]": true, "{}": true, "[ \n]": true, "{ }": true,
		"{}x": false, "[0]": false, `""`: false, "0": false, "{]": false,
	} {
		if got := jsontext.IsEmpty(text); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

func TestCheck(t *testing.T) {
	for text, want := range map[string]string{
		`{"a": "\ud83d\ude00 \u00e9 \\u0000"}`:                "",
		`{"a": "[[[[\"{{"}`:                                   "",
		`{"a": "\uzzzz`:                                       "", // left to the parser
		`{"a": "\u0000"}`:                                     "NUL",
		`{"a": "\ud83d"}`:                                     "surrogate",
		`{"a": "\ude00\ud83d"}`:                               "surrogate",
		`{"a": "\ud83d\u0041"}`:                               "surrogate",
		strings.Repeat(`{"a":`, 100):                          "",
		strings.Repeat(`{"a":`, 50) + strings.Repeat("[", 51): "100 levels",
	} {
		err := jsontext.Check([]byte(text))
		switch {
		case want == "" && err != nil:
			t.Errorf("%.40s: %v", text, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%.40s: got %v, want %s", text, err, want)
		}
	}
}
