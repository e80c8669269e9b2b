package pull

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/users"
)

var userCollection = collection{
	name: "users", lists: []listing{{path: "users", key: "user_id", brief: []string{"email"}}}, single: true,
	quick: true, mustRead: hasSecret, children: readUserGroups,
	arrange: func(p *puller, items []item) []item {
		for _, it := range items {
			o := p.objectOf("users", it.id, it.all())
			if id, ok := o.number("user_id"); ok {
				p.largest = max(p.largest, id)
			}
		}
		return items
	},
	rows: func(_ context.Context, p *puller, o *object, _ map[string]*object) ([]taken, error) {
		id, ok := o.number("user_id")
		if !ok {
			return nil, nil
		}
		email := strings.TrimSpace(o.text("email"))
		if email == "" {
			o.problem("email", "is empty: a user without an e-mail address was not taken")
			return nil, nil
		}
		first, last := o.text("firstname"), o.text("lastname")
		s := p.schema("users")
		set := columns{
			"email": store.String(email), "name": store.String(join(first, last)), "sort_name": store.String(join(last, first)),
			"api_key_hash": store.String(p.keyHash(o, email)), "password_hash": store.String(p.oldPassword(email)),
		}
		user := own(s, o.row(s, set))
		user.kept = []string{"api_key_hash", "api_key_created", "password_hash"}
		o.stamp(&user)
		return []taken{{entity: "users", id: o.id, raw: o, parts: []part{user, p.memberships(o, id)}}}, nil
	},
}

// join joins names as the library does for searching and sorting.
func join(a, b string) string { return strings.TrimSpace(a + " " + b) }

// groupsOf is the list of the groups of a user.
const groupsOf = "usergroups"

// readUserGroups reads the groups of a user, if the user itself does not have them.
func readUserGroups(ctx context.Context, p *puller, o *object) error {
	if o.has(groupsOf) {
		return nil
	}
	raw, err := p.old.get(ctx, "users/"+o.id+"/"+groupsOf, nil)
	switch {
	case err == nil:
		o.members[groupsOf] = raw
	case !isRefusal(err):
		return err
	case !isStatus(err, http.StatusNotFound):
		o.children = map[string]childList{groupsOf: {err: err}}
	}
	return nil
}

// memberships are the groups of a user.
func (p *puller) memberships(o *object, id int64) part {
	s := p.schema("usergroup_links")
	made := part{schema: s, owner: "user_id", of: store.Int(id)}
	if err := o.children[groupsOf].err; err != nil {
		o.problem(groupsOf, err.Error()+": what was taken before stays")
		made.unread = true
		return made
	}
	l := listing{path: "users", envelope: groupsOf, key: "usergroup_id"}
	items, _, err := l.parse(o.members[groupsOf])
	if err != nil {
		o.problem(groupsOf, "is no list")
	}
	for _, it := range items {
		m := p.objectOf("users", o.id, it.all())
		m.members["usergroup_id"] = []byte(`"` + it.id + `"`)
		group := m.int("usergroup_id")
		if group < 1 {
			continue
		}
		status := m.text("status")
		if status == "" {
			status = "A"
		}
		made.rows = append(made.rows, m.row(s, columns{
			"link_id": store.Int(0), "user_id": store.Int(id), "usergroup_id": store.Int(group), "status": store.String(status),
		}))
	}
	return made
}

// Keys shorter than weakKey bytes have less than 128 bits, whatever they are made of.
const weakKey = 22

// keyHash is the stored hash of the key that a user has by [Options.Keys].
func (p *puller) keyHash(o *object, email string) string {
	for address, key := range p.Keys {
		if !strings.EqualFold(address, email) {
			continue
		}
		p.knownKeys[address] = true
		if key == "" || strings.ContainsFunc(key, func(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsPrint(r) }) || len(key) > 255 {
			o.problem("api_key", "is no text that clients can send: it was not taken")
			return ""
		}
		if o.text("user_type") == "C" {
			o.problem("api_key", "is that of a customer, who has no API access: it was not taken")
			return ""
		}
		if len(key) < weakKey && !isLongHex(key) {
			o.problem("api_key", "has less than 128 bits: it was taken, and is to be replaced")
		}
		hash := sha256.Sum256([]byte(key))
		return hex.EncodeToString(hash[:])
	}
	return ""
}

// isLongHex reports whether a key is at least 128 bits of hexadecimal digits.
func isLongHex(key string) bool {
	_, err := hex.DecodeString(key)
	return err == nil && len(key) >= 32
}

// oldPassword is the hash of a user's password in the old shop.
func (p *puller) oldPassword(email string) string {
	for address, hash := range p.Passwords {
		if strings.EqualFold(address, email) {
			p.knownKeys[address] = true
			return users.LegacyPrefix + hash
		}
	}
	return ""
}

// tellOfKeys reports the keys and passwords that no user has, and how customers sign in.
func (p *puller) tellOfKeys() {
	var unknown []string
	for _, list := range []map[string]string{p.Keys, p.Passwords} {
		for email := range list {
			if !p.knownKeys[email] && !slices.Contains(unknown, email) {
				unknown = append(unknown, email)
			}
		}
	}
	slices.Sort(unknown)
	for _, email := range unknown {
		p.report.problem(Problem{"users", email, "email", "no user has the e-mail address: the key or password was not taken"})
	}
	if n := p.report.Counts["users"].There; n > 0 && len(p.Passwords) == 0 {
		p.report.note(fmt.Sprintf("passwords of %d users cannot be read: they sign in by a one-time link (entity auth) and set a new one, or with the hashes of -passwords and users.LegacyPassword", n))
	}
}

var cartCollection = collection{
	name: "carts", lists: []listing{{path: "carts", key: "user_id", brief: []string{}}}, single: true, quick: true,
	rows: func(_ context.Context, p *puller, o *object, _ map[string]*object) ([]taken, error) {
		id, ok := o.number("user_id")
		if !ok {
			return nil, nil
		}
		s, lines := p.schema("carts"), p.schema("cart_products")
		data := o.under(o.members["user_data"])
		first, last := o.text("firstname"), o.text("lastname")
		cart := own(s, o.row(s, columns{
			"name": store.String(join(first, last)), "sort_name": store.String(join(last, first)),
			"email": store.String(data.text("email")), "phone": store.String(data.text("phone")),
		}))
		made := part{schema: lines, owner: "user_id", of: store.Int(id)}
		for _, e := range o.objects("products") {
			line := e.object
			chosen := line.under(line.members["extra"])
			if !line.has("item_id") {
				line.members["item_id"] = []byte(e.Key)
			}
			options := store.String("{}")
			for _, from := range []*object{line, chosen} {
				if text, err := compactObject(from, "product_options"); err == nil && text != "" {
					options = store.String(text)
				}
			}
			made.rows = append(made.rows, line.row(lines, columns{
				"line_id": store.Int(0), "user_id": store.Int(id), "product_options": options,
			}))
		}
		cart.kept = []string{"email", "phone"}
		return []taken{{entity: "carts", id: o.id, raw: o, parts: []part{cart, made}}}, nil
	},
}
