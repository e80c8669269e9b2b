package webhooks

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/extensions/changes"
	"github.com/shopapi/shopapi/internal/plain"
)

// Events are the changes that a webhook sends: patterns such as orders.* and
// products.updated, each once, joined by commas. The wire form is an array.
type Events string

const maxEvents = 64

// anything, in a pattern, means every entity or every operation.
const anything = "*"

// NewEvents returns the patterns as Events. [Webhooks.Create] and Update check them.
func NewEvents(patterns ...string) Events {
	var list []string
	for _, p := range patterns {
		if p = strings.TrimSpace(p); p != "" && !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return Events(strings.Join(list, ","))
}

// All returns the patterns.
func (e Events) All() []string {
	if e == "" {
		return []string{}
	}
	return strings.Split(string(e), ",")
}

// MarshalJSON returns the patterns as an array.
func (e Events) MarshalJSON() ([]byte, error) { return json.Marshal(e.All()) }

// PayloadForms implements [shopapi.PayloadFormer].
func (Events) PayloadForms() []any { return []any{[]string{}} }

// UnmarshalJSON reads an array of patterns, or a text separated by commas.
func (e *Events) UnmarshalJSON(data []byte) error {
	var list []string
	if json.Unmarshal(data, &list) != nil {
		var text string
		if json.Unmarshal(data, &text) != nil {
			return errors.New("must be names of events, such as orders.* and products.updated, as an array or joined by commas")
		}
		list = strings.Split(text, ",")
	}
	for _, p := range list {
		if strings.Contains(p, ",") || !plain.IsText(p) {
			return errors.New("must be names of events, each without a comma")
		}
	}
	*e = NewEvents(list...)
	return nil
}

// check notes patterns that name no entity of the change log, or no operation.
func (e Events) check(api *shopapi.API, problems *shopapi.Problems) {
	list := e.All()
	if len(list) > maxEvents {
		problems.Add("events", "must be at most %d, not %d", maxEvents, len(list))
		return
	}
	entities := changes.EntityNames(api)
	for _, pattern := range list {
		entity, op, _ := strings.Cut(pattern, ".")
		if entity != anything && !slices.Contains(entities, entity) {
			if problem := changes.NameProblem(api, entity); problem != "" {
				problems.Add("events", "%s", problem)
				return
			}
			problems.Add("events", "must each begin with one of %s, not %s", strings.Join(append(entities, anything), ", "), plain.Quoted(pattern))
			return
		}
		if !slices.Contains([]string{anything, changes.Created, changes.Updated, changes.Deleted}, op) {
			problems.Add("events", "must each end with .created, .updated, .deleted or .*, not %s", plain.Quoted(pattern))
			return
		}
	}
}

// filter returns the changes of the entities that the patterns name.
func (e Events) filter() changes.Filter {
	var f changes.Filter
	for _, pattern := range e.All() {
		entity, _, _ := strings.Cut(pattern, ".")
		if entity == anything {
			return changes.Filter{}
		}
		if !slices.Contains(f.Entities, entity) {
			f.Entities = append(f.Entities, entity)
		}
	}
	return f
}

// names reports whether a pattern names the entity.
func (e Events) names(entity string) bool {
	f := e.filter()
	return f.Entities == nil || slices.Contains(f.Entities, entity)
}

// match reports whether a pattern names the change. The operation does not hide a change that
// covers many objects.
func (e Events) match(c *changes.Change) bool {
	for _, pattern := range e.All() {
		entity, op, _ := strings.Cut(pattern, ".")
		if (entity == anything || entity == c.Entity) && (op == anything || op == c.Op || c.ID == changes.Every) {
			return true
		}
	}
	return false
}
