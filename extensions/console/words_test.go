package console_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apidoc"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/extensions/console"
	"github.com/shopapi/shopapi/extensions/webhooks"
	"github.com/shopapi/shopapi/shop"
)

var shownText = regexp.MustCompile(`\bt\("((?:[^"\\]|\\.)*)"`)

// scripts returns the scripts of the console by their names.
func scripts(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, pattern := range []string{"assets/*.js", "assets/staff/*.js"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			content, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			found[name] = string(content)
		}
	}
	return found
}

// TestE12_Words: each text of the console that t shows has a German one, and each German text
// is shown.
func TestE12_Words(t *testing.T) {
	known, shown, all := console.Words(), map[string]bool{}, ""
	for name, content := range scripts(t) {
		all += content
		for _, m := range shownText.FindAllStringSubmatch(content, -1) {
			shown[m[1]] = true
			if !slices.Contains(known, m[1]) {
				t.Errorf("%s: %q has no German text", name, m[1])
			}
		}
	}
	if len(shown) < 150 {
		t.Errorf("found %d texts: the search for them is broken", len(shown))
	}
	for _, text := range known {
		if !strings.Contains(all, `"`+text+`"`) {
			t.Errorf("nothing shows %q", text)
		}
	}
}

// dutch is a file of words in which each text begins with "NL ".
func dutch() map[string]string {
	words := map[string]string{}
	for _, text := range console.Words() {
		words[text] = "NL " + text
	}
	return words
}

func file(t *testing.T, name string, words map[string]string) fs.FS {
	t.Helper()
	content, err := json.Marshal(words)
	if err != nil {
		t.Fatal(err)
	}
	return fstest.MapFS{name: {Data: content}}
}

// TestE12_HostWords: the host adds languages of the console, and learns at the start which
// texts are wrong.
func TestE12_HostWords(t *testing.T) {
	api := apitest.New(t, nil).API
	german, err := os.ReadFile("assets/words/de.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, files := range map[string]fs.FS{
		"nl": file(t, "nl.json", dutch()), "pt-BR": file(t, "pt-BR.json", dutch()), "de": fstest.MapFS{"de.json": {Data: german}},
	} {
		h, err := console.Handler(t.Context(), api, &console.Options{Words: files})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/words/"+name+".json", nil))
		if w.Code != 200 || !strings.Contains(w.Body.String(), `"Cancel":`) {
			t.Errorf("%s: the words are answered %d %v %.40s", name, w.Code, w.Header(), w.Body)
		}
		w = httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/", nil))
		if !strings.Contains(w.Body.String(), name+"&#34;") || !strings.Contains(w.Body.String(), "de&#34;") {
			t.Errorf("%s: the page does not name the languages", name)
		}
	}

	with := func(text, translation string) fs.FS {
		words := dutch()
		words[text] = translation
		return file(t, "nl.json", words)
	}
	lacking := dutch()
	delete(lacking, "Cancel")
	for _, c := range []struct {
		files fs.FS
		want  string
	}{
		{file(t, "nl.json", lacking), `nl.json does not translate ["Cancel"]`},
		{with("Close", ""), `nl.json does not translate ["Close"]`},
		{with("Nonsense", "Onzin"), `translates texts that the console does not have: ["Nonsense"]`},
		{with("{n} orders", "{m} bestellingen"), `has other values in {} than ["{n} orders"]`},
		{with("{n} orders", "bestellingen"), `has other values in {} than ["{n} orders"]`},
		{file(t, "klingon-123456789.json", dutch()), "named after a language"},
		{file(t, "NL.json", dutch()), "named after a language"},
		{fstest.MapFS{"nl.json": {Data: []byte(`["Close"]`)}}, "nl.json: an object of texts"},
		{fstest.MapFS{"nl.js": {Data: []byte(`{}`)}}, "no file"},
		{file(t, "nl.names.json", map[string]string{"price": "Prijs"}), "nl.names.json, but no nl.json"},
		{file(t, "NL.names.json", nil), "named after a language"},
		{file(t, "nl.errors.json", map[string]string{"must be a number": "moet een getal zijn"}), "nl.errors.json, but no nl.json"},
		{fstest.MapFS{"de.names.json": {Data: []byte(`["Preis"]`)}}, "de.names.json: an object of texts"},
	} {
		_, err := console.Handler(t.Context(), api, &console.Options{Words: c.files})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("want %s, got %v", c.want, err)
		}
	}
}

// TestE12_FieldNames: the console names fields in its languages. The host adds names, also of its
// own fields, and languages without any.
func TestE12_FieldNames(t *testing.T) {
	words, err := json.Marshal(dutch())
	if err != nil {
		t.Fatal(err)
	}
	h, err := console.Handler(t.Context(), apitest.New(t, nil).API, &console.Options{Words: fstest.MapFS{
		"nl.json":       {Data: words},
		"fr.json":       {Data: words},
		"nl.names.json": {Data: []byte(`{"price": "Prijs"}`)},
		"de.names.json": {Data: []byte(`{"price": "Preis in Euro", "shelf": "Regal"}`)},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for language, want := range map[string]map[string]string{
		"de": {"firstname": "Vorname", "price": "Preis in Euro", "shelf": "Regal"},
		"nl": {"price": "Prijs"},
		"fr": {"price": ""},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/words/"+language+".names.json", nil))
		got := map[string]string{}
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 200 || got == nil {
			t.Fatalf("%s: %d %v %.40s", language, w.Code, err, w.Body)
		}
		for field, name := range want {
			if got[field] != name {
				t.Errorf("%s: %s is %q, want %q", language, field, got[field], name)
			}
		}
	}
}

// TestE12_FieldsAreThere: each German name names a field, a parameter or a setting of the interface,
// and each note explains a field or an entity. Each setting of the library has a German name.
func TestE12_FieldsAreThere(t *testing.T) {
	var documents []byte
	var settings []string
	for _, edition := range []shopapi.Edition{shopapi.MultiVendor, shopapi.MultiStorefront} {
		s := apitest.New(t, &shop.Options{Options: shopapi.Options{Edition: edition}, Webhooks: webhooks.Options{On: true}})
		for _, m := range regexp.MustCompile(`"name":"(\w+)"`).FindAllStringSubmatch(s.Get("/api/2.0/settings?items_per_page=100").Body, -1) {
			settings = append(settings, "settings."+m[1])
		}
		document, err := apidoc.JSON(t.Context(), s.API, nil)
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, document...)
	}
	content, err := os.ReadFile("assets/words/de.names.json")
	if err != nil {
		t.Fatal(err)
	}
	var names map[string]string
	if err := json.Unmarshal(content, &names); err != nil {
		t.Fatal(err)
	}
	for field, name := range names {
		if name == "" || !slices.Contains(settings, field) && !bytes.Contains(documents, []byte(`"`+strings.TrimSuffix(field, ".note")+`"`)) {
			t.Errorf("the interface has no %s (%s)", field, name)
		}
	}
	for _, setting := range settings {
		if names[setting] == "" {
			t.Errorf("%s has no German name", setting)
		}
	}
}

// A host has the console in Dutch too. A program would embed the file:
//
//	//go:embed nl.json
//	var words embed.FS
func ExampleOptions_words() {
	dutch := map[string]string{}
	for _, text := range console.Words() {
		dutch[text] = text // its translation
	}
	dutch["Cancel"] = "Annuleren"
	delete(dutch, "Close")

	content, err := json.Marshal(dutch)
	if err != nil {
		log.Fatal(err)
	}
	words := fstest.MapFS{"nl.json": {Data: content}}
	_, err = console.Handler(context.Background(), shopapi.New(nil), &console.Options{Words: words})
	fmt.Println(err)
	// Output: console: Options.Words: nl.json does not translate ["Close"]
}

var goFormat = regexp.MustCompile(`%[.\d]*[a-z]`)

// TestE12_Messages: each message that the console translates is one of the library's, and the
// translation has no other values.
func TestE12_Messages(t *testing.T) {
	content, err := os.ReadFile("assets/words/de.errors.json")
	if err != nil {
		t.Fatal(err)
	}
	var german map[string]string
	if err := json.Unmarshal(content, &german); err != nil || len(german) < 70 {
		t.Fatalf("%d messages (%v)", len(german), err)
	}
	said := map[string]bool{}
	texts := regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	for _, pattern := range []string{"../../*.go", "../../*/*.go", "../../extensions/*/*.go", "../../internal/*/*.go", "../../resource/internal/*/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			source, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range texts.FindAllString(string(source), -1) {
				said[goFormat.ReplaceAllString(strings.Trim(text, `"`), "{}")] = true
			}
		}
	}
	value := regexp.MustCompile(`\{\w+\}`)
	for english, own := range german {
		form := value.ReplaceAllString(english, "{}")
		if !said[form] && !said[strings.TrimSuffix(form, "{}")] {
			t.Errorf("the library does not say %q", english)
		}
		for _, v := range value.FindAllString(own, -1) {
			if !strings.Contains(english, v) {
				t.Errorf("%q has the value %s, which %q has not", own, v, english)
			}
		}
	}
}
