package entitytest

import (
	"context"
	"maps"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

var languageChecks = []check{
	{"Texts", updates, translatedTexts, opens},
	{"Unchanged", updates, unchangedTexts, opens},
	{"Created", writes, createdTexts, opens},
	{"Preconditions", updates, translatedPreconditions, opens},
	{"NoCode", writes, noLanguageCode, opens},
	{"Deleted", allOfThem, deletedTexts, opens},
}

// namesLanguage reports whether a field is the language of an object's texts.
func (w *world) namesLanguage(name string) bool {
	return name == "lang_code" && len(w.description.Translated) > 0
}

// translated opens a shop with n objects, or skips the check if the entity has no
// translated texts.
func (w *world) translated(n int) (ids []string) {
	w.t.Helper()
	if len(w.description.Translated) == 0 {
		w.t.Skipf("no text of %s stands in several languages", w.config.Entity)
	}
	return w.start(shopapi.Options{}).stocked(n)
}

// texts returns the visible translated fields of an object, each with a suffix.
func (w *world) texts(id, suffix string) map[string]any {
	w.t.Helper()
	object, texts := w.object(id), map[string]any{}
	for _, name := range w.description.Translated {
		if text, ok := object[name].(string); ok {
			texts[name] = text + suffix
		}
	}
	return texts
}

// putTexts sends PUT with the texts of an object.
func (w *world) putTexts(address string, texts map[string]any) {
	w.t.Helper()
	w.want(w.Put(address, encode(w.t, texts)), 200, "PUT "+address)
}

// showsTexts checks the GET response in a language, "" for none: its language code and
// texts.
func (w *world) showsTexts(when, id, code string, texts map[string]any) {
	w.t.Helper()
	address, asked := w.at(id), "en"
	if code != "" {
		address, asked = address+"?sl="+code, code
	}
	object := members(w.t, w.want(w.Get(address), 200, "GET "+address).Body)
	if shown, ok := object["lang_code"]; ok && shown != asked {
		w.t.Errorf("%s: GET %s shows the lang_code %v, want the language asked for, %s (§15)", when, address, shown, asked)
	}
	for name, want := range texts {
		if diff := cmp.Diff(want, object[name]); diff != "" {
			w.t.Errorf("%s: GET %s shows another %s (§15, -want +got):\n%s", when, address, name, diff)
		}
	}
}

// translatedTexts: texts are read only in the language in which they were written; a
// text missing in a language is read in the base language (§15).
func translatedTexts(w *world) {
	ids := w.translated(2)
	id := ids[0]
	base, german, french := w.texts(id, ""), w.texts(id, " (de)"), w.texts(id, " (fr)")
	body := maps.Clone(german)
	body["lang_code"] = "de"
	w.putTexts(w.at(id), body)
	w.showsTexts("after a PUT in de", id, "", base)
	w.showsTexts("after a PUT in de", id, "de", german)
	w.showsTexts("after a PUT in de", id, "fr", base)
	w.putTexts(w.at(id)+"?sl=fr", french)
	w.showsTexts("after a PUT in fr", id, "fr", french)
	w.showsTexts("after a PUT in fr", id, "de", german)
	english := w.texts(id, " (en)")
	w.putTexts(w.at(id), english)
	w.showsTexts("after a PUT without a language", id, "", english)
	w.showsTexts("after a PUT without a language", id, "de", german)
	w.showsTexts("after a PUT of another object", ids[1], "de", w.texts(ids[1], ""))
}

// unchangedTexts: PUT of a GET response in a language changes nothing, with texts of the
// language or fallbacks (§5, §15).
func unchangedTexts(w *world) {
	ids := w.translated(1)
	address := w.at(ids[0])
	w.putTexts(address+"?sl=fr", w.texts(ids[0], " (fr)"))
	for _, code := range []string{"de", "fr"} {
		in := address + "?sl=" + code
		body := w.Get(in).Body
		w.unchanged(ids, "PUT of what GET answered in "+code, func() {
			w.want(w.Put(in, body), 200, "PUT of what GET answered in "+code)
		})
	}
	english := w.texts(ids[0], " (en)")
	w.putTexts(address, english)
	w.showsTexts("after a PUT in de of the texts that it had shown of another", ids[0], "de", english)
}

// createdTexts: POST in a language also writes the base language (§15).
func createdTexts(w *world) {
	w.translated(0)
	id := w.create(w.Client, w.base, with(w.t, w.sample.Payload(1), map[string]any{"lang_code": "DE"}))
	german := w.texts(id, "")
	w.putTexts(w.at(id), w.texts(id, " (en)"))
	maps.DeleteFunc(german, func(_ string, text any) bool { return text == "" }) // empty texts have no row in de
	if len(german) == 0 {
		w.t.Errorf("POST in de left the base language without a text")
	}
	w.showsTexts("after a POST in de", id, "de", german)
}

// translatedPreconditions: the ETag depends on the language of the address (§25).
func translatedPreconditions(w *world) {
	id := w.translated(1)[0]
	address, in := w.at(id), w.at(id)+"?sl=de"
	w.putTexts(in, w.texts(id, " (de)"))
	plain, german := w.Get(address).Header.Get("Etag"), w.Get(in).Header.Get("Etag")
	for _, c := range []struct {
		name, etag, suffix string
		want               int
	}{
		{"with the ETag without a language", plain, " (1)", 412},
		{"with its ETag", german, " (2)", 200},
		{"with the ETag before that", german, " (3)", 412},
	} {
		answer := w.sendWith("PUT", in, encode(w.t, w.texts(id, c.suffix)), "If-Match", c.etag)
		if answer.Status != c.want {
			w.t.Errorf("PUT %s %s: %d, want %d (§25)", in, c.name, answer.Status, c.want)
		}
		if got := w.Get(in).Header.Get("Etag"); answer.Status == 200 && answer.Header.Get("Etag") != got {
			w.t.Errorf("PUT %s answers the ETag %s, GET %s (§25)", in, answer.Header.Get("Etag"), got)
		}
	}
}

// noLanguageCode: a code other than two letters is 400 (§15).
func noLanguageCode(w *world) {
	ids := w.translated(1)
	w.unchanged(ids, "what is no language code", func() {
		texts := encode(w.t, w.texts(ids[0], "x"))
		for _, code := range []string{"d", "deu", "d1", "%C3%A4"} {
			address := w.at(ids[0]) + "?sl=" + code
			w.refused(w.Get(address), "GET "+address, "sl")
			w.refused(w.Put(address, texts), "PUT "+address, "sl")
		}
		for _, code := range []any{"d", "deu", "d1", "ä", 12, map[string]any{}} {
			named := map[string]any{"lang_code": code}
			w.refused(w.Put(w.at(ids[0]), with(w.t, texts, named)), "PUT with a lang_code that is none", "lang_code")
			w.refused(w.Post(w.base, with(w.t, w.sample.Payload(2), named)), "POST with a lang_code that is none", "lang_code")
		}
	})
}

// deletedTexts: the texts of an object are deleted with it (§15).
func deletedTexts(w *world) {
	id := w.translated(1)[0]
	before := w.textRows()
	w.putTexts(w.at(id)+"?sl=de", w.texts(id, " (de)"))
	if w.textRows() == before {
		w.t.Errorf("PUT in de stored no texts")
	}
	w.want(w.Delete(w.at(id)), 204, "DELETE")
	if n := w.textRows(); n > before {
		w.t.Errorf("%d rows of texts stay of an object that was deleted (§15)", n-before)
	}
}

// textRows counts the rows of translated texts.
func (w *world) textRows() (rows int64) {
	w.t.Helper()
	err := w.store.View(w.t.Context(), func(_ context.Context, tx store.Tx) error {
		for _, table := range w.store.tables {
			if table.Texts() == nil {
				continue
			}
			n, err := tx.Count(table.Texts(), nil)
			if err != nil {
				return err
			}
			rows += n
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return rows
}
