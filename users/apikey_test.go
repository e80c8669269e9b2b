package users_test

import (
	"context"
	"fmt"
	"io"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/users"
)

// keySuite is the suite with users/ID/keys switched on.
var keySuite = shoptest.Suite[*shop]{
	Entities: suite.Entities, Wrap: suite.Wrap,
	Fill: func(s *shop) {
		suite.Fill(s)
		s.Must(s.Users.RegisterKeys())
	},
}

// today is the day on the clock of the shop, in UTC.
func today(s *shop) time.Time { return s.API.Now(context.Background()).UTC().Truncate(24 * time.Hour) }

// A madeKey is the response to POST users/ID/keys.
type madeKey struct {
	KeyID string `json:"key_id"`
	Key   string `json:"key"`
}

// makeKey makes a key over HTTP.
func (s *shop) makeKey(user int64, body string) (made madeKey) {
	s.Helper()
	decode(s, s.Call(201, "POST", at(user)+"/keys", body), &made)
	return made
}

// with returns the shop, used by the user with another key.
func (s *shop) with(email, key string) *shop {
	other := s.as(email)
	other.Keys = map[string]string{email: key}
	return other
}

// keyIDs returns the ids of a user's keys, with the keys that made them.
func (s *shop) keyIDs(user int64) string {
	s.Helper()
	list, err := s.Users.Keys(context.Background(), user)
	s.Must(err)
	texts := make([]string, len(list))
	for i, k := range list {
		texts[i] = k.KeyID + "<" + k.MadeBy
	}
	return strings.Join(texts, " ")
}

func TestE12_Keys(t *testing.T) {
	keySuite.Each(t, func(s *shop) {
		id := s.staff("ana@example.org", "A", 1, "view_users")
		answer := s.Send("POST", at(id)+"/keys", `{"note": "till"}`)
		var made madeKey
		decode(s, answer.Body, &made)
		if answer.Status != 201 || answer.Header.Get("Cache-Control") != "no-store" || len(made.Key) < 26 {
			s.Fatalf("POST: %d %v, a key of %d characters", answer.Status, answer.Header, len(made.Key))
		}
		s.with("ana@example.org", made.Key).Call(200, "GET", "users", "")
		s.as("ana@example.org").Call(200, "GET", "users", "")

		var list struct{ Keys []map[string]string }
		body := s.Call(200, "GET", at(id)+"/keys", "")
		decode(s, body, &list)
		if strings.Contains(body, made.Key) || strings.Contains(body, "hash") {
			s.Error("the list of keys has a secret")
		}
		day := today(s).Unix()
		got := list.Keys[1]
		if _, err := strconv.ParseInt(got["created"], 10, 64); err != nil {
			s.Error(err)
		}
		delete(got, "created")
		want := map[string]string{"key_id": made.KeyID, "note": "till", "last_used": strconv.FormatInt(day, 10), "made_by": "p1"}
		if diff := cmp.Diff(want, got); diff != "" || len(list.Keys) != 2 {
			s.Errorf("%d keys (-want +got):\n%s", len(list.Keys), diff)
		}

		s.Call(204, "DELETE", at(id)+"/keys/"+made.KeyID, "")
		s.with("ana@example.org", made.Key).Call(401, "GET", "users", "")
		s.Call(404, "DELETE", at(id)+"/keys/"+made.KeyID, "")
		s.Call(404, "DELETE", "users/1/keys/p"+shopapi.FormatID(id), "")
		s.as("ana@example.org").Call(200, "GET", "users", "")
	})
}

func TestE12_KeysOfWhom(t *testing.T) {
	keySuite.Each(t, func(s *shop) {
		ana, ben := s.staff("ana@example.org", "A", 1, "view_users", "manage_users"), s.staff("ben@example.org", "A", 1)
		customer := s.customer("cy@example.org")
		unknown := s.as("ana@example.org").Call(404, "GET", "users/999/keys", "")
		if other := s.as("ana@example.org").Call(404, "GET", at(ben)+"/keys", ""); other != strings.ReplaceAll(unknown, "999", shopapi.FormatID(ben)) {
			s.Errorf("another user's keys: %s, an unknown user's: %s", other, unknown)
		}
		s.as("ana@example.org").Call(404, "POST", "users/1/keys", "{}")
		s.as("ana@example.org").Call(404, "DELETE", "users/1/keys/p1", "")
		s.as("ben@example.org").Call(200, "GET", at(ben)+"/keys", "")
		if made := s.as("ben@example.org").makeKey(ben, "{}"); made.Key == "" {
			s.Error("ben got no key of his own")
		}
		s.Call(400, "POST", at(customer)+"/keys", "{}")
		s.Call(200, "PUT", at(ana), `{"status": "D"}`)
		s.Call(400, "POST", at(ana)+"/keys", "{}")
		s.Call(400, "POST", at(ben)+"/keys", `{"note": "`+strings.Repeat("x", 256)+`"}`)
		s.Call(404, "GET", "users/1/keys/p1/x", "")
	})
}

func TestE12_KeysAreTen(t *testing.T) {
	keySuite.Each(t, func(s *shop) {
		for n := range users.MaxKeys - 1 {
			s.makeKey(1, fmt.Sprintf(`{"note": "%d"}`, n))
		}
		before := s.keyIDs(1)
		s.Call(400, "POST", "users/1/keys", "{}")
		if _, _, err := s.Users.AddKey(s.Context(), 1, ""); status(err) != 400 {
			s.Errorf("AddKey: %v", err)
		}
		if after := s.keyIDs(1); after != before {
			s.Errorf("keys %s, before %s", after, before)
		}
		if _, err := s.Users.GenerateKey(s.Context(), 1); err != nil {
			s.Errorf("a new program's key in place of the old: %v", err)
		}
		s.makeKeyOf(1, before)
	})
}

// makeKeyOf replaces the newest key of a list, which needs no room.
func (s *shop) makeKeyOf(user int64, list string) {
	s.Helper()
	ids := strings.Fields(list)
	last, _, _ := strings.Cut(ids[len(ids)-1], "<")
	key, err := s.Users.GenerateKey(s.Context(), user)
	s.Must(err)
	s.Keys[rootEmail] = key
	s.makeKey(user, `{"replaces": "`+last+`"}`)
}

// A key that was made with another ends with it, over all generations; keys of other
// users end only where that is asked for.
func TestE12_KeysEndWithTheirMaker(t *testing.T) {
	keySuite.Each(t, func(s *shop) {
		ben := s.staff("ben@example.org", "A", 1)
		made := func() (first, second, third, other madeKey) {
			first = s.makeKey(1, "{}")
			second = s.with(rootEmail, first.Key).makeKey(1, "{}")
			third = s.with(rootEmail, second.Key).makeKey(1, "{}")
			other = s.with(rootEmail, second.Key).makeKey(ben, "{}")
			return
		}
		first, second, third, other := made()
		s.Call(204, "DELETE", "users/1/keys/"+first.KeyID, "")
		for _, k := range []madeKey{first, second, third} {
			s.with(rootEmail, k.Key).Call(401, "GET", "users", "")
		}
		s.with("ben@example.org", other.Key).Call(200, "GET", at(ben)+"/keys", "")
		first, _, _, last := made()
		s.Call(204, "DELETE", "users/1/keys/"+first.KeyID+"?made=Y", "")
		s.with("ben@example.org", last.Key).Call(401, "GET", at(ben)+"/keys", "")
		s.with("ben@example.org", other.Key).Call(200, "GET", at(ben)+"/keys", "")
	})
}

// A key that was made for its user with the key of another administrator ends too; the other
// administrator's stays.
func TestE12_KeysEndWithTheirMakerThroughOthers(t *testing.T) {
	keySuite.Each(t, func(s *shop) {
		const second = "second@example.org"
		id, err := s.Users.Create(s.Context(), users.User{Summary: users.Summary{Email: second, UserType: shopapi.Administrator, IsRoot: true}}, "")
		s.Must(err)
		stolen := s.makeKey(1, "{}")
		theirs := s.with(rootEmail, stolen.Key).makeKey(id.UserID, "{}")
		again := s.with(second, theirs.Key).makeKey(1, "{}")
		s.Call(204, "DELETE", "users/1/keys/"+stolen.KeyID, "")
		s.with(rootEmail, again.Key).Call(401, "GET", "users", "")
		s.with(second, theirs.Key).Call(200, "GET", "users", "")
	})
}

func TestE12_KeysReplace(t *testing.T) {
	keySuite.Each(t, func(s *shop) {
		ben := s.staff("ben@example.org", "A", 1)
		first := s.makeKey(ben, "{}")
		as := s.with("ben@example.org", first.Key)
		second := as.makeKey(ben, "{}")
		// A stolen key cannot replace the key that it was made with.
		before := s.keyIDs(ben)
		s.with("ben@example.org", second.Key).Call(400, "POST", at(ben)+"/keys", `{"replaces": "`+first.KeyID+`"}`)
		as.Call(400, "POST", at(ben)+"/keys", `{"replaces": "p1"}`)
		as.Call(400, "POST", at(ben)+"/keys", `{"replaces": "none"}`)
		if after := s.keyIDs(ben); after != before {
			s.Errorf("keys %s, before %s", after, before)
		}
		// The key of the request: the new one takes its maker and what it made.
		third := as.makeKey(ben, `{"replaces": "`+first.KeyID+`"}`)
		as.Call(401, "GET", at(ben)+"/keys", "")
		program := "p" + shopapi.FormatID(ben)
		want := fmt.Sprintf("%s<0 %s<%s %s<p1", program, second.KeyID, third.KeyID, third.KeyID)
		if got := s.keyIDs(ben); got != want {
			s.Errorf("keys %s, want %s", got, want)
		}
		// Root replaces a key that is not of its making: what that made ends.
		s.Call(201, "POST", at(ben)+"/keys", `{"replaces": "`+program+`"}`)
		s.as("ben@example.org").Call(401, "GET", at(ben)+"/keys", "")
		own := s.with("ben@example.org", third.Key).makeKey(ben, "{}")
		s.with(rootEmail, s.makeKey(1, "{}").Key).Call(201, "POST", at(ben)+"/keys", `{"replaces": "`+third.KeyID+`"}`)
		s.with("ben@example.org", own.Key).Call(401, "GET", at(ben)+"/keys", "")
		s.with("ben@example.org", second.Key).Call(401, "GET", at(ben)+"/keys", "")
	})
}

// Keys of Go code keep their id, and the keys that were made with them.
func TestE12_KeysOfPrograms(t *testing.T) {
	keySuite.Each(t, func(s *shop) {
		s.makeKey(1, "{}")
		before := s.keyIDs(1)
		s.Must(s.Users.SetKey(s.Context(), 1, "another key of the host's"))
		s.Must(users.EnsureRootKey(s.Context(), s.Store, rootEmail, "a third key of the host's"))
		if got := s.keyIDs(1); got != before {
			s.Errorf("keys %s, before %s", got, before)
		}
		var ended []string
		s.Users.OnKeyEnd(func(_ context.Context, _ store.Tx, key, by string) error {
			ended = append(ended, key+" by "+by)
			return nil
		})
		s.Must(s.Users.RevokeKey(s.Context(), 1))
		if got := s.keyIDs(1); got != "" {
			s.Errorf("after RevokeKey there are %s", got)
		}
		slices.Sort(ended)
		if want := []string{"1 by ", "p1 by "}; !slices.Equal(ended, want) {
			s.Errorf("ended %q, want %q", ended, want)
		}
	})
}

// The key is in no event and in nothing that an Idempotency-Key repeats.
func TestE12_KeysAreShownOnce(t *testing.T) {
	keySuite.Each(t, func(s *shop) {
		var made, again madeKey
		decode(s, s.Send("POST", "users/1/keys", "{}", "Idempotency-Key", "x").Body, &made)
		repeated := s.Send("POST", "users/1/keys", "{}", "Idempotency-Key", "x")
		decode(s, repeated.Body, &again)
		if made.Key == "" || again.Key != "" || again.KeyID != made.KeyID || repeated.Status != 201 {
			s.Errorf("made key %s, repeated %d %s with a key: %v", made.KeyID, repeated.Status, again.KeyID, again.Key != "")
		}
		if other := s.Send("POST", "users/1/keys", `{"note": "x"}`, "Idempotency-Key", "x").Status; other != 422 {
			s.Errorf("another request under the key: %d", other)
		}
		if n := len(strings.Fields(s.keyIDs(1))); n != 2 {
			s.Errorf("%d keys", n)
		}
	})
}

func TestE12_KeysAreOffByDefault(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.Call(404, "GET", "users/1/keys", "")
		s.Call(404, "POST", "users/1/keys", "{}")
	})
}

// The day of a key's use is stored once a day, and no cached response depends on it.
func TestE12_KeysLastUsed(t *testing.T) {
	keySuite.Each(t, func(s *shop) {
		list, err := s.Users.Keys(s.Context(), 1)
		s.Must(err)
		if list[0].LastUsed != 0 {
			s.Errorf("a new key was used at %d", list[0].LastUsed)
		}
		s.Call(200, "GET", "users/1/keys", "")
		list, err = s.Users.Keys(s.Context(), 1)
		s.Must(err)
		if day := time.Unix(list[0].LastUsed, 0).UTC(); !day.Equal(today(s)) {
			s.Errorf("used on %s, want %s", day, today(s))
		}
	})
}

// A key that is revoked while the body of its request comes makes no other key.
func TestE12_KeysRevokedDuringARequest(t *testing.T) {
	keySuite.Each(t, func(s *shop) {
		id := s.staff("ana@example.org", "A", 1, "view_users")
		made := s.makeKey(id, `{"note": "stolen"}`)
		body := strings.NewReader(`{"note": "kept"}`)
		r := httptest.NewRequest("POST", "/api/2.0/"+at(id)+"/keys", readFunc(func(p []byte) (int, error) {
			n, err := body.Read(p)
			if err == io.EOF {
				s.Call(204, "DELETE", at(id)+"/keys/"+made.KeyID, "")
			}
			return n, err
		}))
		r.SetBasicAuth("ana@example.org", made.Key)
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		s.API.ServeHTTP(w, r)
		if got := s.keyIDs(id); w.Code != 401 || strings.Contains(got, made.KeyID) || strings.Count(got, "<") != 1 {
			s.Errorf("POST with the revoked key: %d %s, and the keys are %s; want 401 and the program's key alone", w.Code, w.Body, got)
		}
	})
}

// A readFunc is a body.
type readFunc func(p []byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }
