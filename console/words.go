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

// addWords adds a file for each language of the console, and returns their codes: German
// and those of the host, whose file may replace the German one.
func (p *pages) addWords(host fs.FS) (codes []string, err error) {
	german, err := readWords(assets, "assets/words/de.json")
	if err != nil {
		return nil, err
	}
	all := map[string]map[string]string{"de": german}
	if host != nil {
		files, err := fs.Glob(host, "*.json")
		if err != nil {
			return nil, err
		}
		if len(files) == 0 {
			return nil, errors.New("console: Options.Words has no file such as nl.json")
		}
		for _, file := range files {
			code := strings.TrimSuffix(file, ".json")
			if tag, err := language.Parse(code); err != nil || tag.String() != code {
				return nil, fmt.Errorf("console: Options.Words has %s: a file is named after a language, such as nl.json or pt-BR.json", file)
			}
			words, err := readWords(host, file)
			if err != nil {
				return nil, err
			}
			if err := checkWords(file, words, german); err != nil {
				return nil, err
			}
			all[code] = words
		}
	}
	for code, words := range all {
		content, err := json.Marshal(words)
		if err != nil {
			return nil, err
		}
		p.add("words/"+code+".json", content)
	}
	return slices.Sorted(maps.Keys(all)), nil
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

// checkWords compares the texts of a file with those of another language.
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
