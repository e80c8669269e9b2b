package users

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

const (
	// LinkAge is how long a one-time link is valid (decisions §23).
	LinkAge = 10 * time.Minute

	maxLinks    = 5       // valid links of one user: a further one removes the oldest
	maxRedirect = 2 << 10 // bytes of a redirect URL
)

// LinkOptions are the pages of one-time links.
type LinkOptions struct {
	// StorefrontURL and AdministrationURL are the pages that redeem the links of
	// customers, and the links of administrators and vendors' users, such as
	// "https://shop.example.org/". The default is "/".
	StorefrontURL, AdministrationURL string
}

// A Link signs a user in once, without a password.
type Link struct {
	Key string `json:"key"`  // the argument of [Users.RedeemLink]
	URL string `json:"link"` // the host's page, with the key in the parameter ekey
}

// A link is the row of a valid link. It contains a hash of the key: a copy of the
// database cannot sign in.
type link struct {
	LinkID   int64  `json:"link_id" store:"key"`
	UserID   int64  `json:"user_id" store:"index"`
	KeyHash  string `json:"key_hash"`
	Redirect string `json:"redirect_url"`
	Expires  int64  `json:"expires" store:"index"` // seconds since 1970
}

var links = store.MustTable[link]("sign_in_links", store.Index{Columns: []string{"key_hash"}, Unique: true})

// MakeLink creates a one-time link for the user with the e-mail address. redirect, which
// may be "", is the page to show after the sign-in: a path, or a URL below the page that
// redeems the link.
//
// MakeLink returns a 404 [*shopapi.Error] for an address without an active user that the
// user of ctx may see, a 403 for a user that the user of ctx may not change, and a 400
// for another redirect (decisions §23).
func (u *Users) MakeLink(ctx context.Context, email, redirect string) (made Link, err error) {
	key := make([]byte, 16)
	if _, err := rand.Read(key); err != nil {
		return Link{}, err
	}
	made.Key = hex.EncodeToString(key)
	now := u.api.Now(ctx)
	err = u.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		user, err := byEmail(&table.Reader, tx, email)
		if err != nil {
			return err
		}
		may, err := u.maySignIn(ctx, tx, &user)
		switch {
		case err != nil:
			return err
		case user.UserID == 0 || !may || !resource.Visible(ctx, user.CompanyID):
			return shopapi.Errorf(http.StatusNotFound, "There is no active user with this e-mail address.")
		}
		page := u.links.page(user.UserType)
		if !leadsWithin(redirect, page) {
			return shopapi.Invalid("redirect_url", "must be a path, such as /orders, or begin with %s", page)
		}
		if err := mayChange(ctx, tx, &user.User); err != nil {
			return err
		}
		made.URL = withKey(page, made.Key, redirect)
		l := link{UserID: user.UserID, KeyHash: hashKey(made.Key), Redirect: redirect, Expires: now.Add(LinkAge).Unix()}
		return l.add(tx, now)
	})
	return made, err
}

// add stores a link, and removes expired links and the user's oldest ones.
func (l *link) add(tx store.Tx, now time.Time) error {
	if _, err := links.Delete(tx, store.AtMost("expires", store.Int(now.Unix()))); err != nil {
		return err
	}
	live, err := links.Select(tx, store.Query{
		Where: []store.Cond{store.Equal("user_id", store.Int(l.UserID))},
		Order: []store.Order{store.Asc("link_id")},
	})
	if err != nil {
		return err
	}
	for len(live) >= maxLinks {
		if err := links.DeleteKey(tx, live[0].LinkID); err != nil {
			return err
		}
		live = live[1:]
	}
	return links.Insert(tx, l)
}

// ErrLink is the error for a key without a valid link: the link never existed, was
// redeemed or has expired, or its user was disabled (as a vendor's users are with the
// vendor) or got another password, e-mail address, type, company or user group, or other
// privileges by a change of a group.
var ErrLink = errors.New("users: the one-time link does not exist or is no longer valid")

// RedeemLink invalidates the link with the key. It returns the user, whom the host now
// signs in, and the redirect of [Users.MakeLink]. It returns [ErrLink]. Of several calls
// with one key at most one succeeds.
func (u *Users) RedeemLink(ctx context.Context, key string) (user User, redirect string, err error) {
	err = u.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		l, err := links.First(tx, store.Query{Where: []store.Cond{store.Equal("key_hash", store.String(hashKey(key)))}})
		if errors.Is(err, store.ErrNotFound) || err == nil && l.Expires <= u.api.Now(ctx).Unix() {
			return ErrLink
		}
		if err != nil {
			return err
		}
		r, err := table.Get(tx, l.UserID)
		if errors.Is(err, store.ErrNotFound) {
			return ErrLink
		}
		if err != nil {
			return err
		}
		if may, err := u.maySignIn(ctx, tx, &r); err != nil || !may {
			return cmp.Or(err, ErrLink)
		}
		user, redirect = r.User, l.Redirect
		return links.DeleteKey(tx, l.LinkID)
	})
	if err != nil {
		return User{}, "", err
	}
	return user, redirect, nil
}

// endLinks removes all links of a user.
func endLinks(tx store.Tx, id int64) error {
	_, err := links.Delete(tx, store.Equal("user_id", store.Int(id)))
	return err
}

// endLinksOfMembers removes all links of the members of a group.
func endLinksOfMembers(tx store.Tx, groupID int64) error {
	_, err := links.Delete(tx, inGroup(groupID))
	return err
}

// endsLinks reports whether a change of a user invalidates the user's links.
func endsLinks(before, after *row) bool {
	return before.UserID != 0 && (after.Status != Active || after.PasswordHash != before.PasswordHash ||
		after.Email != before.Email || after.UserType != before.UserType || after.IsRoot != before.IsRoot || after.CompanyID != before.CompanyID)
}

func (o LinkOptions) page(t shopapi.UserType) string {
	page := o.AdministrationURL
	if t == shopapi.Customer {
		page = o.StorefrontURL
	}
	if page == "" {
		return "/"
	}
	return page
}

func (o LinkOptions) validate() error {
	for _, page := range []string{o.StorefrontURL, o.AdministrationURL} {
		u, err := url.Parse(page)
		if err != nil || page != "" && (u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.Fragment != "") {
			return fmt.Errorf("users: the page of one-time links must be an http or https URL, not %q", page)
		}
	}
	return nil
}

// withKey returns the URL of a page with the parameters of a link.
func withKey(page, key, redirect string) string {
	values := url.Values{"ekey": {key}}
	if redirect != "" {
		values.Set("redirect_url", redirect)
	}
	separator := "?"
	if strings.Contains(page, "?") {
		separator = "&"
	}
	return page + separator + values.Encode()
}

// leadsWithin reports whether a redirect stays on the site of a page: it is a path or a
// URL below the page. Browsers read a backslash as a slash and ignore control
// characters, so that both are refused.
func leadsWithin(redirect, page string) bool {
	if redirect == "" {
		return true
	}
	if len(redirect) > maxRedirect || strings.ContainsFunc(redirect, func(r rune) bool { return r == '\\' || r <= ' ' || r == 0x7f }) {
		return false
	}
	target, err := url.Parse(redirect)
	if err != nil {
		return false
	}
	if target.Scheme == "" && target.Host == "" {
		return strings.HasPrefix(redirect, "/") && !strings.HasPrefix(redirect, "//")
	}
	site, err := url.Parse(page)
	return err == nil && site.Host != "" && target.User == nil && target.Scheme == site.Scheme && target.Host == site.Host &&
		strings.HasPrefix(redirect, page)
}
