package shopapi_test

import (
	"net/http"
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
)

func prefixes(list ...string) []netip.Prefix {
	var all []netip.Prefix
	for _, p := range list {
		all = append(all, netip.MustParsePrefix(p))
	}
	return all
}

// §2: each request passes the checks in order, and the first that fails answers.
// Every request here fails the check of its row and all checks after it.
func TestOrderOfChecks(t *testing.T) {
	clerk := as("clerk@example.com", "key")
	image := with("Accept", "image/png")
	xml := with("Content-Type", "text/xml")
	big := string(make([]byte, 2<<20))
	for _, test := range []struct {
		name     string
		method   string
		address  string
		body     string
		headers  []header
		may      []string
		want     int
		wantText string
	}{
		{"origin", "PUT", "/api/2.0/nothing", big, []header{anonymous, image, xml, with("Sec-Fetch-Site", "cross-site")}, nil, 403, "another site"},
		{"credentials", "PUT", "/api/2.0/nothing", big, []header{anonymous, image, xml}, nil, 401, ""},
		{"version", "PUT", "/api/9.0/aisles", big, []header{clerk, image, xml}, nil, 404, "Version"},
		{"entity", "PUT", "/api/2.0/nothing", big, []header{clerk, image, xml}, nil, 404, "no entity"},
		{"child", "PUT", "/api/2.0/aisles/9/labels", big, []header{clerk, image, xml}, nil, 404, "under aisles"},
		{"depth", "PUT", "/api/2.0/aisles/9/shelves/9/labels/9/aisles", big, []header{clerk, image, xml}, nil, 404, "too deep"},
		{"PUT without id", "PUT", "/api/2.0/aisles/9/shelves", big, []header{clerk, image, xml}, nil, 405, "needs the id"},
		{"DELETE without id", "DELETE", "/api/2.0/aisles/9/shelves", big, []header{clerk, image, xml}, nil, 405, "needs the id"},
		{"POST with id", "POST", "/api/2.0/aisles/9/shelves/9", big, []header{clerk, image, xml}, nil, 405, "takes no id"},
		{"method", "PATCH", "/api/2.0/aisles/9", big, []header{clerk, image, xml}, nil, 405, "Allowed"},
		{"Accept", "PUT", "/api/2.0/aisles/9", big, []header{clerk, image, xml}, nil, 406, "Accept"},
		{"privilege", "PUT", "/api/2.0/aisles/9", big, []header{clerk, xml}, nil, 403, "manage_aisles"},
		{"privilege of the parent", "PUT", "/api/2.0/aisles/9/shelves/9", big, []header{clerk, xml}, []string{"manage_shelves"}, 403, "view_aisles"},
		{"privilege of the child", "PUT", "/api/2.0/aisles/9/shelves/9", big, []header{clerk, xml}, []string{"view_aisles"}, 403, "manage_shelves"},
		{"Content-Type", "PUT", "/api/2.0/aisles/9/shelves/9", big, []header{xml}, nil, 415, "Content-Type"},
		{"Content-Type before an empty body", "PUT", "/api/2.0/aisles/9/shelves/9", "", []header{xml}, nil, 415, "Content-Type"},
		{"size", "PUT", "/api/2.0/aisles/9/shelves/9", big, []header{asJSON}, nil, 413, "1048576 bytes"},
		{"malformed", "PUT", "/api/2.0/aisles/9/shelves/9", "{", []header{asJSON}, nil, 400, "not valid JSON"},
		{"empty", "PUT", "/api/2.0/aisles/9/shelves/9", "{}", []header{asJSON}, nil, 405, "payload is empty"},
		{"empty POST", "POST", "/api/2.0/aisles/9/shelves", "", nil, nil, 405, "payload is empty"},
		{"parent", "PUT", "/api/2.0/aisles/9/shelves/9/labels/9", "count=x", nil, nil, 404, `id \"9\"`},
		{"operation", "PUT", "/api/2.0/aisles/1/shelves/1", "count=x", nil, nil, 400, "count"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newShop(t)
			for _, p := range test.may {
				s.clerk[p] = true
			}
			s.do(test.method, test.address, test.body, test.headers...).want(test.want).contains(test.wantText)
			if test.want != 404 && test.want != 400 && len(s.trace) > 0 {
				t.Errorf("operations ran: %q", s.trace)
			}
		})
	}
}

// §2: a request without valid credentials learns nothing, not even which entities
// exist.
func TestOrderOfChecks_NothingWithoutCredentials(t *testing.T) {
	s := newShop(t)
	want := s.do("GET", "/api/2.0/aisles", "", anonymous).want(401).Body.String()
	for _, address := range []string{"/api/2.0/nothing", "/api/9.0/aisles", "/", "/api/aisles/1", "/api.php?_d=aisles", "/api/?version"} {
		for _, method := range []string{"GET", "POST", "PUT", "DELETE", "BREW"} {
			s.do(method, address, "{", asJSON, anonymous).want(401).is(want)
		}
	}
}

// §2: parents are read outermost first, and one that does not answer 200 is the
// answer.
func TestNesting_ParentsAreRead(t *testing.T) {
	s := newShop(t)
	s.do("PUT", "/api/2.0/aisles/1/shelves/2/labels/3", "name=new").want(200)
	if diff := cmp.Diff([]string{"get aisles 1", "get shelves 2", "update labels 3"}, s.trace); diff != "" {
		t.Error(diff)
	}
	got := s.labels.saw.Parents
	if len(got) != 2 || got[0].Entity != "aisles" || got[0].ID != "1" || got[1].Entity != "shelves" || got[1].ID != "2" || got[1].Data.(thing).Count != 20 {
		t.Errorf("parents %+v", got)
	}
	if p, ok := s.labels.saw.Parent(); !ok || p.Entity != "shelves" {
		t.Errorf("the parent directly above is %+v", p)
	}
	if p := s.shelves.saw.Parents; len(p) != 1 || s.shelves.saw.Payload != nil {
		t.Errorf("the read of a parent got parents %+v and payload %v", p, s.shelves.saw.Payload)
	}

	s.trace = nil
	s.do("PUT", "/api/2.0/aisles/9/shelves/2/labels/3", "name=new").want(404)
	if diff := cmp.Diff([]string{"get aisles 9"}, s.trace); diff != "" {
		t.Error(diff)
	}

	s.shelves.fail = shopapi.Errorf(http.StatusConflict, "The shelf is being moved.")
	s.do("GET", "/api/2.0/aisles/1/shelves/2/labels", "").want(409).is(`{"message":"The shelf is being moved.","status":409}`)
}

// The generic rules of the specification for each operation.
func TestOperations(t *testing.T) {
	s := newShop(t)
	s.do("POST", "/api/2.0/aisles", `{"name":"A","count":7}`, asJSON).want(201).is(`{"thing_id":"4"}`)
	s.do("GET", "/api/2.0/aisles/4", "").want(200).is(`{"thing_id":"4","name":"A","count":"7"}`)
	s.do("PUT", "/api/2.0/aisles/4", "name=B").want(200).is(`{"thing_id":"4"}`)
	s.do("GET", "/api/2.0/aisles/4", "").want(200).is(`{"thing_id":"4","name":"B","count":"7"}`)
	s.do("DELETE", "/api/2.0/aisles/4", "").want(204).is("").has("Content-Type", "")
	for _, method := range []string{"GET", "PUT", "DELETE"} {
		s.do(method, "/api/2.0/aisles/4", "name=C").want(404)
	}
	s.do("PUT", "/api/2.0/aisles/1", "unknown=1").want(200).is(`{"thing_id":"1"}`)
	s.do("PUT", "/api/2.0/aisles/1", "thing_id=2&name=first").want(200)
	s.do("GET", "/api/2.0/aisles/1", "").is(`{"thing_id":"1","name":"first","count":"10"}`)
}
