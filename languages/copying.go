package languages

import (
	"context"
	"errors"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// A copying is a new language that has not got all its variables yet. The transaction
// that creates a language copies a limited number of them, because other changes wait for
// it; further transactions copy the others. A new process finishes what another left.
type copying struct {
	ID       int64  `json:"copying_id" store:"key"`
	LangCode string `json:"lang_code"`      // of the new language
	FromCode string `json:"from_lang_code"` // of the language that has the variables
	Last     int64  `json:"last_id"`        // the last variable that was copied
}

var copyings = store.MustTable[copying]("language_copies")

// beginCopy copies the first variables into a new language.
func (v *Variables) beginCopy(ctx context.Context, tx store.Tx, from, to string) error {
	if _, err := copyings.Delete(tx, store.Equal("lang_code", store.String(to))); err != nil {
		return err // of a deleted language with this code
	}
	last, err := v.rows.Texts().Copy(ctx, tx, from, to, 0)
	if err != nil || last == 0 {
		return err
	}
	store.AfterCommit(ctx, func() { go v.copyBeside() })
	return copyings.Insert(tx, &copying{LangCode: to, FromCode: from, Last: last})
}

// copyBeside copies the variables that are left where no request waits for them.
func (v *Variables) copyBeside() {
	if err := v.copyRest(context.Background()); err != nil {
		v.api.Logger().Warn("a new language lacks variables: they are copied at the next start", "error", err)
	}
}

// copyRest copies the variables that new languages lack, a limited number in each
// transaction.
func (v *Variables) copyRest(ctx context.Context) error {
	for {
		var left int64
		err := v.st.View(ctx, func(_ context.Context, tx store.Tx) (err error) {
			left, err = copyings.Count(tx)
			return err
		})
		if err != nil || left == 0 {
			return err
		}
		if err := v.copyNext(ctx); err != nil {
			return err
		}
	}
}

// copyNext copies the next variables of one language.
func (v *Variables) copyNext(ctx context.Context) error {
	v.copies.Lock() // a request and copyBeside copy in turn
	defer v.copies.Unlock()
	return v.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		c, err := copyings.First(tx, store.Query{})
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		_, err = byCode(tx, c.LangCode)
		if errors.Is(err, store.ErrNotFound) { // the language was deleted
			return copyings.DeleteKey(tx, c.ID)
		}
		if err != nil {
			return err
		}
		if c.Last, err = v.rows.Texts().Copy(ctx, tx, c.FromCode, c.LangCode, c.Last); err != nil {
			return err
		}
		if c.Last == 0 {
			return copyings.DeleteKey(tx, c.ID)
		}
		return copyings.Update(tx, &c)
	})
}

// awaitCopies waits until new languages have their variables. Within a transaction it does
// not wait: they are copied after it.
func (l *Languages) awaitCopies(ctx context.Context) {
	if l.variables == nil || driver.InUpdate(ctx, driver.Innermost(l.st)) {
		return
	}
	_ = l.variables.copyRest(ctx) // the language is stored, and copyBeside reports the error
}

// A languageEntity answers the POST of a language when the language has its variables.
type languageEntity struct {
	resource.Entity
	languages *Languages
}

// Create implements [shopapi.Creator].
func (e *languageEntity) Create(ctx context.Context, r *shopapi.Request) (shopapi.Reply, error) {
	reply, err := e.Entity.Create(ctx, r)
	if err == nil {
		e.languages.awaitCopies(ctx)
	}
	return reply, err
}
