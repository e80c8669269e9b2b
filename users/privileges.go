package users

import (
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/wire"
	"github.com/shopapi/shopapi/store"
)

// Privileges are names of privileges, each once, sorted, joined by commas. The wire form
// is an array.
type Privileges string

// NewPrivileges returns the names as Privileges. It returns an error for a name with
// characters other than a-z, 0-9 and _, or without a letter at its start.
func NewPrivileges(names ...string) (Privileges, error) {
	valid := make([]string, 0, len(names))
	for _, name := range names {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if !isPrivilege(name) {
			return "", errNoPrivileges
		}
		valid = append(valid, name)
	}
	slices.Sort(valid)
	return Privileges(strings.Join(slices.Compact(valid), ",")), nil
}

const maxPrivilege = 64 // bytes of a name

var errNoPrivileges = errors.New("must be names of privileges, such as view_catalog, of a-z, 0-9 and _, as an array or joined by commas")

func isPrivilege(s string) bool {
	return len(s) <= maxPrivilege && s[0] >= 'a' && s[0] <= 'z' &&
		strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// All returns the names.
func (p Privileges) All() iter.Seq[string] {
	return func(yield func(string) bool) {
		if p == "" {
			return
		}
		strings.SplitSeq(string(p), ",")(yield)
	}
}

// MarshalJSON returns the names as an array.
func (p Privileges) MarshalJSON() ([]byte, error) {
	names := slices.AppendSeq(make([]string, 0), p.All())
	return json.Marshal(names)
}

// PayloadForms implements [shopapi.PayloadFormer]: a list of names, or a text of them
// joined by commas.
func (Privileges) PayloadForms() []any { return []any{[]string{}} }

// UnmarshalJSON reads an array of names, or a text separated by commas.
func (p *Privileges) UnmarshalJSON(data []byte) error {
	names, ok := wire.Texts(data)
	if !ok {
		return errNoPrivileges
	}
	read, err := NewPrivileges(names...)
	if err == nil {
		*p = read
	}
	return err
}

// activePrivileges returns the privileges of the active administrator groups of which
// the user is a member.
func activePrivileges(tx store.Tx, userID int64) (map[string]bool, error) {
	all, err := privilegesOf(tx, userID, store.Equal("status", store.String(Active)))
	if err != nil {
		return nil, err
	}
	set := map[string]bool{}
	for name := range all.All() {
		set[name] = true
	}
	return set, nil
}

// privilegesOf returns the privileges of the administrator groups that meet the
// conditions and of which the user is a member.
func privilegesOf(tx store.Tx, userID int64, where ...store.Cond) (Privileges, error) {
	own := store.InQuery("usergroup_id", memberships.Schema(), "usergroup_id",
		store.Equal("user_id", store.Int(userID)), store.Equal("status", store.String(Member)))
	list, err := groups.Select(tx, store.Query{
		Where: append(where, own, store.Equal("type", store.String(string(shopapi.Administrator)))),
	})
	if err != nil {
		return "", err
	}
	var names []string
	for i := range list {
		names = slices.AppendSeq(names, list[i].Privileges.All())
	}
	return NewPrivileges(names...)
}
