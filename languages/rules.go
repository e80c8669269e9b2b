package languages

import (
	"context"
	"errors"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// byCode reads a language by its code. It returns [store.ErrNotFound].
func byCode(tx store.Tx, code string) (Language, error) {
	return table.First(tx, store.Query{Where: []store.Cond{store.Equal("lang_code", store.String(code))}})
}

// keep ignores from_lang_code in updates.
func keep(after, before *Language, _ *shopapi.Problems) {
	if before.LangID != 0 {
		after.FromLangCode = ""
	}
}

// checkFrom adds a problem if the shop lacks the language of from_lang_code.
func (l *Languages) checkFrom(tx store.Tx, before, after *Language, problems *shopapi.Problems) error {
	if before.LangID != 0 || after.FromLangCode == "" {
		return nil
	}
	code := problems.Language("from_lang_code", after.FromLangCode)
	if code == "" {
		return nil
	}
	after.FromLangCode = code
	_, err := byCode(tx, code)
	if errors.Is(err, store.ErrNotFound) {
		problems.Add("from_lang_code", "must be the code of a language of the shop, such as %s, not %s", l.base, code)
		return nil
	}
	return err
}

// write stores a language, and begins to copy the variables into a new one.
func (l *Languages) write(ctx context.Context, tx store.Tx, before, after *Language) error {
	from := after.FromLangCode
	after.FromLangCode = ""
	if err := l.rows.WriteRow(ctx, tx, before, after); err != nil || before.LangID != 0 || l.variables == nil {
		return err
	}
	if from == "" {
		var err error
		if from, err = l.variables.rows.Language(ctx); err != nil {
			return err
		}
	}
	return l.variables.beginCopy(ctx, tx, from, after.LangCode)
}

// checkDefault returns the problem of a code as the default language, "" if it is valid.
func (l *Languages) checkDefault(ctx context.Context, code string) (problem string, err error) {
	err = l.st.View(ctx, func(_ context.Context, tx store.Tx) error {
		language, err := byCode(tx, code)
		if errors.Is(err, store.ErrNotFound) || err == nil && language.Status != Active {
			problem = "must be the code of a language of the shop that is active, such as " + l.base
			return nil
		}
		return err
	})
	return problem, err
}
