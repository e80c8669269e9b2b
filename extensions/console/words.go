package console

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/language"
)

// Words returns the console's own texts in English, which a file of [Options.Words]
// translates. {name} in a text is the place of a value.
func Words() []string {
	german, err := readWords(assets, "assets/words/de.json")
	if err != nil {
		panic(err) // the file is embedded
	}
	return slices.Sorted(maps.Keys(german))
}

// Endings of the names of files with optional texts: names of fields, and messages of the API.
const (
	namesEnding  = ".names"
	errorsEnding = ".errors"
)

// allWords are the words of the console and of the host.
type allWords struct {
	languages []string                     // codes: German and the languages of the host
	files     map[string]map[string]string // texts by name of the file: de, de.names, de.errors
}

// readAllWords reads the files of each language. The host's words may replace German words.
func readAllWords(host fs.FS) (allWords, error) {
	german, err := readWords(assets, "assets/words/de.json")
	if err != nil {
		return allWords{}, err
	}
	words, optional := map[string]map[string]string{"de": german}, map[string]map[string]string{}
	for _, ending := range []string{namesEnding, errorsEnding} {
		if optional["de"+ending], err = readWords(assets, "assets/words/de"+ending+".json"); err != nil {
			return allWords{}, err
		}
	}
	if host != nil {
		if err := addHostWords(host, words, optional); err != nil {
			return allWords{}, err
		}
	}
	all := allWords{slices.Sorted(maps.Keys(words)), words}
	for _, code := range all.languages {
		for _, ending := range []string{namesEnding, errorsEnding} {
			all.files[code+ending] = merged(optional[code+ending], nil)
		}
	}
	return all, nil
}

// addHostWords adds the host's files: words by language, optional texts by language and ending.
func addHostWords(host fs.FS, words, optional map[string]map[string]string) error {
	files, err := fs.Glob(host, "*.json")
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return errors.New("console: Options.Words has no file such as nl.json")
	}
	german := words["de"]
	for _, file := range files {
		name := strings.TrimSuffix(file, ".json")
		code, isNames := strings.CutSuffix(name, namesEnding)
		code, isErrors := strings.CutSuffix(code, errorsEnding)
		if tag, err := language.Parse(code); err != nil || tag.String() != code {
			return fmt.Errorf("console: Options.Words has %s: a file is named after a language, such as nl.json, nl.names.json, nl.errors.json or pt-BR.json", file)
		}
		texts, err := readWords(host, file)
		if err != nil {
			return err
		}
		if isNames || isErrors {
			optional[name] = merged(optional[name], texts)
			continue
		}
		if err := checkWords(file, texts, german); err != nil {
			return err
		}
		words[code] = texts
	}
	for name := range optional {
		if code, _, _ := strings.Cut(name, "."); words[code] == nil {
			return fmt.Errorf("console: Options.Words has %s.json, but no %s.json", name, code)
		}
	}
	return nil
}

// merged returns a map with the entries of two, of which the second one prevails.
func merged(a, b map[string]string) map[string]string {
	all := maps.Clone(a)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, b)
	return all
}

func readWords(files fs.FS, name string) (words map[string]string, err error) {
	content, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, err
	}
	if err := json.NewDecoder(bytes.NewReader(content)).Decode(&words); err != nil {
		return nil, fmt.Errorf("console: %s: an object of texts by English text: %w", path.Base(name), err)
	}
	return words, nil
}

var placeholder = regexp.MustCompile(`\{\w+\}`)

// checkWords compares the texts of a file with the texts of another language.
func checkWords(file string, words, others map[string]string) error {
	var missing, unknown, differing []string
	for text := range others {
		if words[text] == "" {
			missing = append(missing, text)
		}
	}
	for text, translation := range words {
		if _, ok := others[text]; !ok {
			unknown = append(unknown, text)
		} else if translation != "" && !slices.Equal(values(text), values(translation)) {
			differing = append(differing, text)
		}
	}
	var problems []error
	for _, p := range []struct {
		what  string
		texts []string
	}{
		{"does not translate", missing}, {"translates texts that the console does not have:", unknown}, {"has other values in {} than", differing},
	} {
		if len(p.texts) > 0 {
			slices.Sort(p.texts)
			problems = append(problems, fmt.Errorf("console: Options.Words: %s %s %q", file, p.what, p.texts))
		}
	}
	return errors.Join(problems...)
}

// values are the names of the values in a text.
func values(text string) []string {
	names := placeholder.FindAllString(text, -1)
	slices.Sort(names)
	return names
}
