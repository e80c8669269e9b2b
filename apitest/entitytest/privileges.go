package entitytest

import (
	"slices"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
)

var privilegeChecks = []check{
	{"NoCredentials", gets, noCredentials, opened},
	{"NoPrivileges", gets, noPrivileges, opened},
	{"ViewAlone", gets, viewAlone, opened},
	{"ManageAlone", gets, manageAlone, opened},
}

// An attempt is a request for one operation.
type attempt struct {
	op                    shopapi.Operation
	method, address, body string
}

func (a attempt) by(c *apitest.Client) *apitest.Answer {
	if a.body == "" {
		return c.Do(a.method, a.address, "", "")
	}
	return c.Do(a.method, a.address, "application/json", a.body)
}

func (a attempt) reads() bool { return a.op == shopapi.OpList || a.op == shopapi.OpGet }

// attempts returns requests for all operations of the entity; the last one deletes.
func (w *world) attempts(id string) []attempt {
	all := []attempt{
		{shopapi.OpList, "GET", w.list(), ""},
		{shopapi.OpList, "HEAD", w.list(), ""},
		{shopapi.OpGet, "GET", w.at(id), ""},
		{shopapi.OpGet, "HEAD", w.at(id), ""},
		{shopapi.OpCreate, "POST", w.base, w.payload(w.made + 1)},
		{shopapi.OpUpdate, "PUT", w.at(id), w.change()},
		{shopapi.OpDelete, "DELETE", w.at(id), ""},
	}
	return slices.DeleteFunc(all, func(a attempt) bool { return !w.offers(a.op) })
}

// noCredentials: a client without credentials gets no information (§2, §3).
func noCredentials(w *world) {
	ids := w.stocked(1)
	w.unchanged(ids, "requests without credentials", func() {
		for _, a := range w.attempts(ids[0]) {
			answer := w.want(a.by(w.As("", "")), 401, a.method+" without credentials (§3)")
			if !strings.HasPrefix(answer.Header.Get("Www-Authenticate"), "Basic ") {
				w.t.Errorf("%s without credentials: the header WWW-Authenticate is %q, want Basic (§3)", a.method, answer.Header.Get("Www-Authenticate"))
			}
		}
	})
}

// noPrivileges: a user without privileges gets 403.
func noPrivileges(w *world) {
	ids := w.stocked(1)
	user := w.User()
	w.unchanged(ids, "requests of a user without privileges", func() {
		for _, a := range w.attempts(ids[0]) {
			w.forbidden(user, a)
		}
	})
}

// forbidden expects a 403 that names the missing privilege (§3).
func (w *world) forbidden(user *apitest.Client, a attempt) {
	w.t.Helper()
	needed := w.description.Privileges.Manage
	if a.reads() {
		needed = w.description.Privileges.View
	}
	answer := w.want(a.by(user), 403, a.method+" without the privilege "+needed+" (§3)")
	if w.config.Below != "" { // reading needs a privilege too
		return
	}
	if a.method != "HEAD" && !strings.Contains(answer.Body, needed) {
		w.t.Errorf("%s without the privilege %s is answered %s, which does not name it", a.method, needed, answer.Body)
	}
}

// viewAlone: a user with only the privilege to view can read but not change.
func viewAlone(w *world) {
	ids := w.stocked(1)
	reader := w.User(w.description.Privileges.View)
	w.unchanged(ids, "requests of a user who may only read", func() {
		for _, a := range w.attempts(ids[0]) {
			if a.reads() {
				w.want(a.by(reader), 200, a.method+" with the privilege "+w.description.Privileges.View+" (§3)")
			} else if w.description.Privileges.View != w.description.Privileges.Manage {
				w.forbidden(reader, a)
			}
		}
	})
}

// manageAlone: a user with only the privilege to manage can change objects but not read
// them.
func manageAlone(w *world) {
	p := w.description.Privileges
	if p.View == p.Manage {
		w.t.Skipf("%s needs one privilege for everything", w.config.Entity)
	}
	ids := w.stocked(1)
	manager := w.User(p.Manage)
	status := map[shopapi.Operation]int{shopapi.OpCreate: 201, shopapi.OpUpdate: 200, shopapi.OpDelete: 204}
	for _, a := range w.attempts(ids[0]) {
		if a.reads() {
			w.forbidden(manager, a)
			continue
		}
		w.want(a.by(manager), status[a.op], a.method+" with the privilege "+p.Manage+" alone (§3)")
	}
}
