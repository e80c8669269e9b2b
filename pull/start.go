package pull

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/shopapi/shopapi/store"
)

// newShops are the tables that have rows in a shop that was only started, by the entity
// whose rows these are.
var newShops = map[string][]string{
	"languages": {"languages"},
	"statuses":  {"statuses", "statuses_texts"},
	"users":     {"users"},
	"companies": {"companies"},
}

// untouched are tables that pulls do not write, or not as copies.
var untouched = []string{
	"idempotency_keys", "secrets", "base_language", "schema_changes", "image_pair_ids", "sign_in_links", "api_keys", "api_key_uses", "image_uploads",
	"settings_sections", "settings_numbers", "settings_values", "usergroup_links", "usergroups", "webhooks", "custom_fields",
}

// errOwnRows is the error of a target that is not a new shop.
var errOwnRows = errors.New("pull: the target has rows of its own. Pull into a database without rows, one that was only started, or one that an earlier pull filled")

// mayBegin refuses a target that has rows of its own, or for which the move was finished.
func (p *puller) mayBegin(ctx context.Context) error {
	if p.DryRun {
		return nil
	}
	return p.st.View(ctx, func(_ context.Context, tx store.Tx) error {
		finished, err := readFact(tx, factFinished)
		if err != nil {
			return err
		}
		if finished.Value != "" {
			return ErrFinished
		}
		source, err := readFact(tx, factSource)
		switch {
		case err != nil:
			return err
		case source.Value == "":
			return p.isNew(tx)
		case source.Value != p.source:
			return fmt.Errorf("pull: this shop was pulled from %s before: one shop takes over one other", source.Value)
		}
		return p.readSeeds(tx)
	})
}

// isNew returns an error unless the target was only started, or is without rows.
func (p *puller) isNew(tx store.Tx) error {
	allowed := slices.Clone(untouched)
	for _, tables := range newShops {
		allowed = append(allowed, tables...)
	}
	for _, s := range p.schemas {
		if slices.Contains(allowed, s.Name) {
			continue
		}
		n, err := tx.Count(s, nil)
		if err != nil {
			return err
		}
		if n > 0 {
			return fmt.Errorf("%w: %s has %d", errOwnRows, s.Name, n)
		}
	}
	return nil
}

// start records the state of this shop before the first pull, and sets the base language
// of the old one.
func (p *puller) start(ctx context.Context) error {
	if p.DryRun {
		return nil
	}
	return p.st.Update(ctx, func(_ context.Context, tx store.Tx) error {
		source, err := readFact(tx, factSource)
		if err != nil {
			return err
		}
		if source.Value != "" {
			p.later = true
			language, err := readFact(tx, factLanguage)
			if err == nil && language.Value != p.base {
				err = fmt.Errorf("pull: the old shop answers in %q now, and did in %q when the first pull began: set its default language back", p.base, language.Value)
			}
			return err
		}
		if err := p.noteSeeds(tx); err != nil {
			return err
		}
		if err := p.setBase(tx); err != nil {
			return err
		}
		if err := writeFact(tx, factLanguage, p.base); err != nil {
			return err
		}
		return writeFact(tx, factSource, p.source)
	})
}

// setBase makes the language of the old shop's answers the base language.
func (p *puller) setBase(tx store.Tx) error {
	s := p.schema("base_language")
	var have row
	err := tx.Select(s.All(), &store.Query{Limit: 1}, func(r []store.Value) error {
		have = slices.Clone(r)
		return nil
	})
	switch {
	case err != nil:
		return err
	case have == nil:
		_, err = tx.Insert(s, row{store.Int(0), store.String(p.base)})
		return err
	case have[1].Text() == p.base:
		return nil
	}
	have[1] = store.String(p.base)
	return tx.Update(s, have)
}

// noteSeeds stores which rows every new shop has: pulled rows replace them.
func (p *puller) noteSeeds(tx store.Tx) error {
	for entity := range newShops {
		if err := p.readNew(tx, entity); err != nil {
			return err
		}
		if err := p.writeSeeds(tx, entity, p.seeds[entity]); err != nil {
			return err
		}
	}
	return nil
}

// readNew notes the rows that a new shop has of an entity: pulled rows replace them.
func (p *puller) readNew(tx store.Tx, entity string) error {
	if newShops[entity] == nil {
		return nil
	}
	s, ids := p.schema(newShops[entity][0]), map[int64]bool{}
	err := tx.Select(s.All(), &store.Query{}, func(r []store.Value) error {
		ids[r[0].Int()] = true
		return nil
	})
	p.seeds[entity] = ids
	return err
}

func seedFact(entity string) string { return "seeds " + entity }

// writeSeeds stores the ids of the rows of a new shop that no pulled row has replaced. An import of
// a file has no state.
func (p *puller) writeSeeds(tx store.Tx, entity string, ids map[int64]bool) error {
	if p.source == "" {
		return nil
	}
	var texts []string
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		texts = append(texts, strconv.FormatInt(id, 10))
	}
	return writeFact(tx, seedFact(entity), strings.Join(texts, ","))
}

func (p *puller) readSeeds(tx store.Tx) error {
	for entity := range newShops {
		f, err := readFact(tx, seedFact(entity))
		if err != nil {
			return err
		}
		p.seeds[entity] = map[int64]bool{}
		for text := range strings.SplitSeq(f.Value, ",") {
			if id, err := strconv.ParseInt(text, 10, 64); err == nil {
				p.seeds[entity][id] = true
			}
		}
	}
	return nil
}

// seedEntity is the name under which the rows of a new shop are noted.
func seedEntity(entity string) string {
	if entity == "stores" || entity == "vendors" {
		return "companies"
	}
	return entity
}

// findLanguages asks in which languages the old shop answers.
func (p *puller) findLanguages(ctx context.Context) error {
	items, _, err := p.list(ctx, listing{path: "languages", key: "lang_code", brief: []string{}})
	if err != nil && !isRefusal(err) {
		return err
	}
	var codes []string
	for _, it := range items {
		codes = append(codes, it.id)
	}
	if p.base, err = p.answersIn(ctx); err != nil {
		return err
	}
	if p.base == "" {
		p.base = firstLanguage
		p.report.note("the old shop does not say in which language it answers: its texts were taken as " + p.base)
	}
	for _, code := range codes {
		if code != p.base {
			p.languages = append(p.languages, code)
		}
	}
	return nil
}

// firstLanguage is the language of texts without a known language.
const firstLanguage = "en"

// answersIn returns the language of responses when none is requested, or "".
func (p *puller) answersIn(ctx context.Context) (string, error) {
	for _, l := range []listing{{path: "statuses", key: "status_id"}, {path: "payments", key: "payment_id"}, {path: "pages", key: "page_id"}} {
		raw, err := p.old.get(ctx, l.path, nil)
		if err != nil {
			if isRefusal(err) {
				continue
			}
			return "", err
		}
		items, _, _ := l.parse(raw)
		for _, it := range items {
			if o := p.objectOf(l.path, it.id, it.all()); o.has(store.TextLanguage) {
				return o.text(store.TextLanguage), nil
			}
		}
	}
	for _, l := range []listing{{path: "categories", key: "category_id"}, {path: "products", key: "product_id"}} {
		raw, err := p.old.get(ctx, l.path, nil)
		if err != nil {
			if isRefusal(err) {
				continue
			}
			return "", err
		}
		items, _, _ := l.parse(raw)
		if len(items) == 0 {
			continue
		}
		members, err := p.read(ctx, items[0].path(), nil)
		if err != nil {
			if isRefusal(err) {
				continue
			}
			return "", err
		}
		if o := p.objectOf(l.path, items[0].id, members); o.has(store.TextLanguage) {
			return o.text(store.TextLanguage), nil
		}
	}
	return "", nil
}

// languageOf is the value of the column lang_code of rows of a table.
func (p *puller) languageOf(string) string { return p.base }
