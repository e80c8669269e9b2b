package e2e

import (
	"slices"
	"testing"
)

// TestConsole_E12_KeysMadeWithAKey: revoking a key asks root whether the keys of other users that were
// made with it end too.
func TestConsole_E12_KeysMadeWithAKey(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		ticked bool
		want   []string // the notes of the keys of the clerk
	}{{"not ticked", false, []string{"till"}}, {"ticked", true, []string{}}} {
		t.Run(test.name, func(t *testing.T) {
			s := newShopWith(t, everything())
			if a := s.Post("/api/2.0/users", `{"user_type": "A", "email": "clerk@example.com"}`); a.Status != 201 {
				t.Fatal(a.Body)
			}
			clerk := s.Get("/api/2.0/users?email=clerk@example.com")
			var found struct {
				Users []struct {
					ID string `json:"user_id"`
				}
			}
			clerk.Decode(&found)
			keys := "/api/2.0/users/" + found.Users[0].ID + "/keys"
			var made struct{ Key string }
			s.Post("/api/2.0/users/1/keys", `{"note": "laptop"}`).Decode(&made)
			if a := s.As(s.Email, made.Key).Post(keys, `{"note": "till"}`); a.Status != 201 {
				t.Fatal(a.Body)
			}
			b := openSignedIn(t, s, "Users")
			b.visit("#/users/1")
			b.sees(".keys-list", "laptop")
			evaluate[bool](b, `[...document.querySelectorAll(".keys-list li")].find(e => e.innerText.includes("laptop")).querySelector("button").click() === undefined`)
			b.sees("dialog label", "Also revoke the keys of other users")
			if test.ticked {
				b.click("dialog label", "Also revoke")
			}
			b.click("dialog button", "Revoke")
			b.sees("#status", "Revoked")
			var left struct{ Keys []struct{ Note string } }
			s.Get(keys).Decode(&left)
			notes := []string{}
			for _, key := range left.Keys {
				notes = append(notes, key.Note)
			}
			if !slices.Equal(notes, test.want) {
				t.Errorf("the clerk has the keys %q, want %q", notes, test.want)
			}
		})
	}
}
