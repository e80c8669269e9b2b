package compress_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/shopapi/shopapi/internal/compress"
)

func TestE10_AcceptEncoding(t *testing.T) {
	type choice = compress.Choice
	for header, want := range map[string]struct {
		choice
		ok bool
	}{
		"":                              {choice{}, true},
		"gzip":                          {choice{Coding: compress.Gzip}, true},
		"GZIP":                          {choice{Coding: compress.Gzip}, true},
		"x-gzip":                        {choice{Coding: compress.Gzip}, true},
		"gzip, deflate, br":             {choice{Coding: compress.Gzip}, true},
		"gzip, deflate, br, zstd":       {choice{Coding: compress.Zstd}, true},
		"zstd;q=0.5, gzip":              {choice{Coding: compress.Gzip}, true},
		"gzip;q=0":                      {choice{}, true},
		"gzip;q=0, *":                   {choice{Coding: compress.Zstd}, true},
		"*":                             {choice{Coding: compress.Zstd}, true},
		"br":                            {choice{}, true},
		"identity":                      {choice{}, true},
		"identity, gzip;q=0.5":          {choice{}, true},
		"identity;q=0.5, gzip":          {choice{Coding: compress.Gzip}, true},
		"identity;q=0":                  {choice{Required: true}, false},
		"identity;q=0, br":              {choice{Required: true}, false},
		"identity;q=0, gzip":            {choice{compress.Gzip, true}, true},
		"identity;q=0, gzip;q=0.001":    {choice{compress.Gzip, true}, true},
		"*;q=0":                         {choice{Required: true}, false},
		"*;q=0, identity":               {choice{}, true},
		"*;q=0, gzip":                   {choice{compress.Gzip, true}, true},
		"gzip;q=2":                      {choice{}, true},
		"gzip;q=much":                   {choice{}, true},
		"gzip;level=9":                  {choice{}, true},
		"gzip;q=0.5;x=1":                {choice{}, true},
		"gzip ; q = 0.5 , identity;q=0": {choice{compress.Gzip, true}, true},
		"identity;q=0" + strings.Repeat(",x", 1000): {choice{}, true},
	} {
		if got, ok := compress.Choose([]string{header}); got != want.choice || ok != want.ok {
			t.Errorf("%.60q: %+v %t, want %+v %t", header, got, ok, want.choice, want.ok)
		}
	}
	if got, _ := compress.Choose([]string{"identity;q=0", "gzip"}); got != (choice{compress.Gzip, true}) {
		t.Errorf("of two headers it chooses %+v", got)
	}
}

func FuzzChoose(f *testing.F) {
	f.Add("gzip, deflate;q=0.5, *;q=0")
	f.Fuzz(func(t *testing.T, header string) {
		c, ok := compress.Choose([]string{header})
		if !ok && (!c.Required || c.Coding != compress.Identity) {
			t.Errorf("%q: nothing is acceptable, but %+v", header, c)
		}
	})
}

func TestCoding_Compress(t *testing.T) {
	for _, body := range []string{"", "{}", strings.Repeat(`{"product_id":"1"},`, 10_000)} {
		r, err := gzip.NewReader(bytes.NewReader(compress.Gzip.Compress([]byte(body))))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if err != nil || string(got) != body {
			t.Errorf("gzip of %d bytes: %d bytes, %v", len(body), len(got), err)
		}
		d, err := zstd.NewReader(bytes.NewReader(compress.Zstd.Compress([]byte(body))))
		if err != nil {
			t.Fatal(err)
		}
		got, err = io.ReadAll(d)
		if err != nil || string(got) != body {
			t.Errorf("zstd of %d bytes: %d bytes, %v", len(body), len(got), err)
		}
		d.Close()
	}
}
