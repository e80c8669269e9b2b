package shopapi

import (
	"errors"
	"net/url"
	"reflect"
	"strings"
	"sync"

	"github.com/gorilla/schema"
)

// Bind lays the payload over the struct that dst points to, by its json tags:
// fields that the payload lacks keep their values, null empties one, read-only
// fields (tag bind:"-") and unknown ones are ignored. It returns a 400 that names
// each field whose value does not fit it (§4).
//
// Fields may be texts, numbers, bools, [Flag], [JSON], decimal.Decimal and other
// types that implement [encoding.TextUnmarshaler], slices of texts and whole
// numbers, types that implement [json.Unmarshaler], and pointers to these. Fields
// of other types are read-only.
func (r *Request) Bind(dst any) error {
	if r.Payload == nil {
		return nil
	}
	return r.api.bindings().bind(dst, func(f *bindField) (texts []string, problem string, sent bool) {
		raw, sent := r.Payload.fields[f.name]
		if !sent || raw[0] == 'n' {
			return nil, "", sent
		}
		texts, problem = f.texts(raw)
		return texts, problem, true
	})
}

// BindFilter lays the query parameters over the struct that dst points to, by
// its json tags. Pointers tell a parameter that was not sent from a zero. It
// returns a 400 that names each parameter whose value does not fit.
func (r *Request) BindFilter(dst any) error {
	return r.api.bindings().bind(dst, func(f *bindField) (texts []string, problem string, sent bool) {
		values := r.Filter[f.name]
		texts, problem = f.filterTexts(values)
		return texts, problem, len(values) > 0
	})
}

// A binder lays payloads and filters over structs. It reads each struct type
// once.
type binder struct {
	decoder *schema.Decoder
	plans   sync.Map // of reflect.Type to []*bindField
}

func newBinder() *binder {
	d := schema.NewDecoder()
	d.SetAliasTag("json")
	d.ZeroEmpty(true)
	d.IgnoreUnknownKeys(true)
	return &binder{decoder: d}
}

// bind sets the fields that were sent. No text at all empties a field. Values
// behind pointers are new ones: other copies of the struct may share the old.
func (b *binder) bind(dst any, read func(*bindField) (texts []string, problem string, sent bool)) error {
	var problems Problems
	v := reflect.ValueOf(dst).Elem()
	src := url.Values{}
	for _, f := range b.plan(v.Type()) {
		texts, problem, sent := read(f)
		if !sent {
			continue
		}
		field := v.FieldByIndex(f.index)
		switch {
		case problem != "":
		case len(texts) == 0:
			field.SetZero()
		case f.meaning.readsItself():
			problem = f.set(field, texts[0])
		default:
			if field.Kind() == reflect.Pointer {
				field.SetZero()
			}
			src[f.name] = texts
		}
		if problem != "" {
			problems.Add(f.name, "%s", problem)
		}
	}
	var several schema.MultiError
	if errors.As(b.decoder.Decode(dst, src), &several) {
		for name := range several {
			problems.Add(name, "%s", doesNotFit(strings.Join(src[name], ",")))
		}
	}
	return problems.Err()
}

// plan returns the fields of a struct type that requests may set, in their order.
func (b *binder) plan(t reflect.Type) []*bindField {
	if plan, ok := b.plans.Load(t); ok {
		return plan.([]*bindField)
	}
	var plan []*bindField
	for _, sf := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
		if sf.Anonymous || !sf.IsExported() || name == "" || name == "-" || sf.Tag.Get("bind") == "-" {
			continue
		}
		if m := meaningOf(sf.Type); m != meansNothing {
			plan = append(plan, &bindField{name: name, meaning: m, index: sf.Index})
		}
	}
	b.plans.Store(t, plan)
	return plan
}
