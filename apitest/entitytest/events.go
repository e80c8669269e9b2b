package entitytest

import (
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/store"
)

var eventChecks = []check{
	{"OnePerChange", updates, oneEventPerChange, opened},
	{"NoneForRefusals", updates, noEventForRefusals, opened},
	{"NoneForFailedCommits", gets, noEventForFailedCommits, opened},
}

// eventEntity returns the name of the entity in events.
func (w *world) eventEntity() string {
	if w.config.Events != "" {
		return w.config.Events
	}
	return w.config.Entity
}

// ownEvents returns the events of the entity since the last call, without the events of
// other entities that a deletion causes.
func (w *world) ownEvents() []string {
	w.t.Helper()
	own := slices.DeleteFunc(w.Events(), func(e shopapi.Event) bool { return e.Entity != w.eventEntity() })
	for _, e := range own {
		if e.User == nil || e.User.Email != apitest.RootEmail {
			w.t.Errorf("the event %s tells of %v, not of the user who made the change", describe([]shopapi.Event{e}), e.User)
		}
	}
	if len(own) == 0 {
		return nil
	}
	return strings.Split(describe(own), ", ")
}

// oneEventPerChange: each change causes one event, after it can be read.
func oneEventPerChange(w *world) {
	w.stocked(1)
	event := func(op shopapi.Operation, id string) []string {
		return []string{string(op) + " " + w.eventEntity() + " " + id}
	}
	id, change := w.add(), w.change()
	for _, c := range []struct {
		op   shopapi.Operation
		rule string
		do   func() *apitest.Answer
		want []string
	}{
		{shopapi.OpCreate, "POST", func() *apitest.Answer { return w.Get(w.at(id)) }, event(shopapi.OpCreate, id)},
		{shopapi.OpUpdate, "PUT", func() *apitest.Answer { return w.Put(w.at(id), change) }, event(shopapi.OpUpdate, id)},
		{shopapi.OpUpdate, "the same PUT again", func() *apitest.Answer { return w.Put(w.at(id), change) }, nil},
		{shopapi.OpDelete, "DELETE", func() *apitest.Answer { return w.Delete(w.at(id)) }, event(shopapi.OpDelete, id)},
		{shopapi.OpDelete, "DELETE of what is gone", func() *apitest.Answer { return w.Delete(w.at(id)) }, nil},
		{shopapi.OpDelete, "PUT of what is gone", func() *apitest.Answer { return w.Put(w.at(id), change) }, nil},
	} {
		if !w.offers(c.op) {
			continue
		}
		answer := c.do()
		if diff := cmp.Diff(c.want, w.ownEvents()); diff != "" {
			w.t.Errorf("%s (answered %d): the observer is told otherwise (-want +got):\n%s", c.rule, answer.Status, diff)
		}
	}
}

// noEventForRefusals: a refused request changes nothing and causes no event.
func noEventForRefusals(w *world) {
	ids := w.stocked(1)
	reader := w.User(w.description.Privileges.View)
	requests := map[string]*apitest.Answer{}
	w.unchanged(ids, "requests that are refused", func() {
		requests["POST of malformed JSON"] = w.Post(w.base, `{"`)
		requests["PUT of malformed JSON"] = w.Put(w.at(ids[0]), `{"`)
		requests["POST of XML"] = w.Do("POST", w.base, "application/xml", w.payload(2))
		requests["PUT of XML"] = w.Do("PUT", w.at(ids[0]), "application/xml", w.change())
		requests["POST that asks for XML"] = w.Accepting("application/xml").Post(w.base, w.payload(2))
		requests["PUT that asks for XML"] = w.Accepting("application/xml").Put(w.at(ids[0]), w.change())
		requests["DELETE that asks for XML"] = w.Accepting("application/xml").Delete(w.at(ids[0]))
		requests["POST of a reader"] = reader.Post(w.base, w.payload(2))
		requests["PUT of an id that is not there"] = w.Put(w.at("987654321"), w.change())
		requests["DELETE of an id that is not there"] = w.Delete(w.at("987654321"))
	})
	for name, answer := range requests {
		if answer.Status < 400 || answer.Status >= 500 {
			w.t.Errorf("%s is answered %d %s, want a refusal", name, answer.Status, answer.Body)
		}
	}
}

// noEventForFailedCommits: a failed commit is 503 and changes nothing.
func noEventForFailedCommits(w *world) {
	ids := w.stocked(1)
	for _, a := range w.attempts(ids[0]) {
		if a.reads() {
			continue
		}
		w.unchanged(ids, a.method+" whose commit fails", func() {
			w.store.FailCommit(store.ErrUnavailable)
			answer := w.want(a.by(w.Client), 503, a.method+" whose commit fails (§5)")
			if answer.Header.Get("Retry-After") == "" {
				w.t.Errorf("%s whose commit fails: 503 has no Retry-After (§5)", a.method)
			}
		})
	}
}
