package resource

import (
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/structfields"
	"github.com/shopapi/shopapi/store"
)

// A matcher adds the condition of a field of a filter that has the tag match: see [Filter].
type matcher struct {
	index             []int
	parameter, column string
	add               func(w *Where, m *matcher, field reflect.Value)
	until             *matcher // of a field with since: the end of the range
}

// A matching is an operator of the tag match on fields of a type. codes says that a text holds
// several codes.
type matching struct {
	operator string
	field    reflect.Type
	codes    bool
}

var matchings = map[matching]func(w *Where, m *matcher, field reflect.Value){
	{"equal", reflect.TypeFor[string](), true}: func(w *Where, m *matcher, field reflect.Value) {
		if codes := w.Codes(m.parameter, field.String()); len(codes) == 1 {
			w.For(m.parameter).Text(m.column, codes[0])
		} else {
			w.AnyText(m.column, codes)
		}
	},
	{"equal", reflect.TypeFor[string](), false}: func(w *Where, m *matcher, field reflect.Value) {
		w.For(m.parameter).Text(m.column, field.String())
	},
	{"contains", reflect.TypeFor[string](), false}: func(w *Where, m *matcher, field reflect.Value) {
		w.For(m.parameter).Contains(m.column, field.String())
	},
	{"equal", reflect.TypeFor[*int64](), false}: func(w *Where, m *matcher, field reflect.Value) {
		w.Int(m.column, field.Interface().(*int64))
	},
	{"equal", reflect.TypeFor[[]int64](), false}: func(w *Where, m *matcher, field reflect.Value) {
		w.For(m.parameter).Ints(m.column, field.Interface().([]int64))
	},
	{"equal", reflect.TypeFor[*shopapi.Flag](), false}: func(w *Where, m *matcher, field reflect.Value) {
		w.Flag(m.column, field.Interface().(*shopapi.Flag))
	},
}

// kinds are the kinds of the columns that fields of a type are compared with.
var kinds = map[reflect.Type]store.Kind{
	reflect.TypeFor[string]():        store.Text,
	reflect.TypeFor[*int64]():        store.Integer,
	reflect.TypeFor[[]int64]():       store.Integer,
	reflect.TypeFor[*shopapi.Flag](): store.Boolean,
}

// fits reports whether an operator can compare a field of a type with a column.
func fits(operator string, field reflect.Type, c *store.Column) bool {
	switch operator {
	case "since", "until":
		return c.Kind == store.Integer
	case "contains":
		return c.Fold
	}
	return c.Kind == kinds[field]
}

// matchersOf returns the matchers of a filter type, in the order of its fields. The error names
// a tag that does not fit its field or its column, and a column that the schema does not have.
func matchersOf(filter reflect.Type, s *store.Schema) (list []*matcher, err error) {
	for _, f := range reflect.VisibleFields(filter) {
		if f.Anonymous && f.Type.Kind() == reflect.Pointer {
			return nil, fmt.Errorf("%s embeds %s: embed the struct itself", filter, f.Type)
		}
	}
	var since *matcher // without its end
	for _, f := range structfields.Of(filter) {
		tag, tagged := f.Tag.Lookup("match")
		if !tagged {
			continue
		}
		m := &matcher{index: f.Index}
		m.parameter, _, _ = strings.Cut(f.Tag.Get("json"), ",")
		operator, column, named := strings.Cut(tag, "=")
		if m.column = m.parameter; named {
			m.column = column
		}
		m.add = matchings[matching{operator, f.Type, f.Tag.Get("bind") == "codes"}]
		switch isText := f.Type.Kind() == reflect.String; {
		case operator == "since" && isText && since == nil:
			since = m
		case operator == "until" && isText && since != nil && since.column == m.column:
			since.until, since = m, nil
			continue
		case m.add == nil:
			return nil, fmt.Errorf("%s.%s: the tag match:%q does not fit the field", filter, f.Name, tag)
		}
		i := s.Index(m.column)
		if i < 0 {
			return nil, fmt.Errorf("%s.%s: %s has no column %s", filter, f.Name, s.Name, m.column)
		}
		if !fits(operator, f.Type, &s.Columns[i]) {
			return nil, fmt.Errorf("%s.%s: the tag match:%q does not fit the column", filter, f.Name, tag)
		}
		list = append(list, m)
	}
	if since != nil {
		return nil, fmt.Errorf("%s: the range since %s has no field for its end", filter, since.parameter)
	}
	return list, nil
}

// matchers has the matchers of the filters of a schema, which are made once for each type.
type matchers struct {
	schema *store.Schema

	mu     sync.Mutex
	byType map[reflect.Type][]*matcher
}

func newMatchers(s *store.Schema) *matchers {
	return &matchers{schema: s, byType: map[reflect.Type][]*matcher{}}
}

// of returns the matchers of a type of filters.
func (m *matchers) of(filter reflect.Type) (list []*matcher, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	list, ok := m.byType[filter]
	if !ok {
		if list, err = matchersOf(filter, m.schema); err == nil {
			m.byType[filter] = list
		}
	}
	return list, err
}

// match adds the conditions in the tags of a filter.
func (m *matchers) match(w *Where, f Filter) error {
	v := reflect.ValueOf(f).Elem()
	list, err := m.of(v.Type())
	if err != nil {
		return err
	}
	for _, one := range list {
		if field := v.FieldByIndex(one.index); one.until == nil {
			one.add(w, one, field)
		} else {
			w.Times(one.column, one.parameter, field.String(), one.until.parameter, v.FieldByIndex(one.until.index).String())
		}
	}
	return nil
}
