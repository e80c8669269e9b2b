package users

import (
	"context"
	"net/http"
	"reflect"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// KeyOptions say whether users/ID/keys is on. The zero value is off.
type KeyOptions struct {
	On bool
}

// RegisterKeys adds the addresses users/ID/keys, at which API keys are made and revoked
// over HTTP, and notes when keys are used (extensions E12).
func (u *Users) RegisterKeys() error {
	u.api.OnKeyUse(u.keyUsed)
	err := u.api.RegisterEndpoint(shopapi.Endpoint{
		Address: "users/{id}/keys", OfEntity: true,
		Methods: map[string]shopapi.Method{
			http.MethodGet: {
				Serve:   u.serveKeys,
				Summary: "The API keys of a user, without the keys themselves. Root sees those of everybody, others their own.",
				Answer:  reflect.TypeFor[keyList](),
			},
			http.MethodPost: {
				Serve: u.createKey,
				Summary: "Makes an API key, which is shown this once. note says what it is for; replaces is the key_id of a key that ends in the same moment, " +
					"and whose made_by and made keys the new one takes. A user has at most 10 keys.",
				Payload: reflect.TypeFor[keyPayload](), Answer: reflect.TypeFor[keyAnswer](), Success: http.StatusCreated,
			},
		},
	})
	if err != nil {
		return err
	}
	return u.api.RegisterEndpoint(shopapi.Endpoint{
		Address: "users/{id}/keys/{key_id}", OfEntity: true,
		Methods: map[string]shopapi.Method{http.MethodDelete: {
			Serve:      u.deleteKey,
			Summary:    "Revokes an API key, and the keys of the same user that were made with it, over all generations.",
			Parameters: map[string]string{"made": "Y also revokes the keys of other users that were made with it"},
			Success:    http.StatusNoContent,
		}},
	})
}

// keyOwner returns the user whose keys a request is about. It returns the 404 of an unknown
// user unless that is the user of the request, or the request is root's.
func (u *Users) keyOwner(tx store.Tx, r *shopapi.EndpointRequest) (owner row, err error) {
	id, err := shopapi.ParseID("user", r.Segments[0])
	if err != nil {
		return row{}, err
	}
	isRoot := r.User == nil || r.User.Root && r.User.Type == shopapi.Administrator && !r.User.IsConfined()
	if !isRoot && r.User.ID != id {
		return row{}, shopapi.NotFound("user", r.Segments[0])
	}
	owner, err = table.First(tx, store.Query{Where: []store.Cond{userIs(id)}})
	if err == nil || noRow(err) != nil {
		return owner, err
	}
	return row{}, shopapi.NotFound("user", r.Segments[0])
}

func (u *Users) serveKeys(ctx context.Context, r *shopapi.EndpointRequest) (*shopapi.Response, error) {
	var list []Key
	err := u.st.View(ctx, func(_ context.Context, tx store.Tx) error {
		owner, err := u.keyOwner(tx, r)
		if err == nil {
			list, err = keysOf(tx, &owner)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return &shopapi.Response{Body: keyList{list}}, nil
}

type keyList struct {
	Keys []Key `json:"keys"`
}

// A keyAnswer is the answer to POST users/ID/keys.
type keyAnswer struct {
	KeyID string `json:"key_id"`
	Key   string `json:"key,omitempty"` // shown once: not where an Idempotency-Key repeats the request
}

// A keyPayload is the body of POST users/ID/keys.
type keyPayload struct {
	Note     string `json:"note"`     // what the key is for, to 255 characters
	Replaces string `json:"replaces"` // the key_id of the key that ends in the same moment
}

func (u *Users) createKey(ctx context.Context, r *shopapi.EndpointRequest) (*shopapi.Response, error) {
	var asked keyPayload
	if err := r.Bind(&asked); err != nil {
		return nil, err
	}
	var key string // stays empty where an Idempotency-Key repeats the request
	create := func(ctx context.Context, tx store.Tx) (shopapi.Reply, error) {
		// The body may have come slowly: a key that was revoked meanwhile makes no other.
		if _, err := r.Identify(ctx); err != nil {
			return shopapi.Reply{}, err
		}
		owner, err := u.keyOwner(tx, r)
		if err != nil {
			return shopapi.Reply{}, err
		}
		k := keyRow{UserID: owner.UserID, Note: asked.Note, MadeBy: requestKey(r)}
		if asked.Replaces == "" {
			key, err = u.insertKey(ctx, tx, &owner, &k)
		} else {
			key, err = u.replaceKey(ctx, tx, r, asked.Replaces, &k)
		}
		return shopapi.Reply{ID: k.id()}, err
	}
	reply, err := u.once(ctx, r.Request, create)
	if err != nil {
		return nil, err
	}
	return &shopapi.Response{
		Status: http.StatusCreated, Body: keyAnswer{reply.ID, key}, Header: http.Header{"Cache-Control": {"no-store"}},
	}, nil
}

// once runs create, for all requests with the same Idempotency-Key once.
func (u *Users) once(ctx context.Context, r *shopapi.Request, create func(context.Context, store.Tx) (shopapi.Reply, error)) (reply shopapi.Reply, err error) {
	if r.IdempotencyKey() != "" {
		return u.rows.Entity().Idempotent(ctx, r, create)
	}
	err = u.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		reply, err = create(ctx, tx)
		return err
	})
	return reply, err
}

// requestKey is the id of the key of a request, "" where it was made without one.
func requestKey(r *shopapi.EndpointRequest) string {
	if r.User == nil {
		return ""
	}
	return r.User.KeyID
}

// replaceKey makes the key k in place of another key of the same user. A stolen key cannot
// replace the key that it was made with: it would outlive it.
func (u *Users) replaceKey(ctx context.Context, tx store.Tx, r *shopapi.EndpointRequest, ends string, k *keyRow) (key string, err error) {
	user, ended, err := findKey(tx, ends)
	if err != nil {
		return "", err
	}
	own, err := u.isOwnKey(tx, r, user, ends)
	if err != nil {
		return "", err
	}
	isRoot := r.User == nil || r.User.Root
	if user != k.UserID || !own && !isRoot {
		return "", shopapi.Invalid("replaces", "must be the key_id of the key of this request, or of a key of the user that was made with it")
	}
	made, err := madeWith(tx, ends, user)
	if err != nil {
		return "", err
	}
	if own {
		k.MadeBy = ended.MadeBy
	} else {
		for _, id := range made {
			if err := u.endKey(ctx, tx, id); err != nil {
				return "", err
			}
		}
	}
	if err := u.unstoreKey(ctx, tx, user, &ended); err != nil {
		return "", err
	}
	owner, err := table.Get(tx, user)
	if err != nil {
		return "", err
	}
	if key, err = u.insertKey(ctx, tx, &owner, k); err != nil {
		return "", err
	}
	if own {
		if err := adopt(tx, ends, k.id()); err != nil {
			return "", err
		}
	}
	return key, u.keyEnded(ctx, tx, ends, k.id())
}

// isOwnKey reports whether a key of a user is the key of the request or was made with it;
// without a key, as in a host's session, whether it is one of the user's own.
func (u *Users) isOwnKey(tx store.Tx, r *shopapi.EndpointRequest, user int64, id string) (bool, error) {
	of := requestKey(r)
	if of == "" {
		return r.User != nil && user == r.User.ID, nil
	}
	if of == id {
		return true, nil
	}
	made, err := madeWith(tx, of, 0)
	return slices.Contains(made, id), err
}

// adopt records that the keys made with one key were made with another.
func adopt(tx store.Tx, from, to string) error {
	rows, err := keys.Select(tx, store.Query{Where: []store.Cond{store.Equal("made_by", store.String(from))}})
	for i := 0; err == nil && i < len(rows); i++ {
		rows[i].MadeBy = to
		err = keys.Update(tx, &rows[i])
	}
	return err
}

func (u *Users) deleteKey(ctx context.Context, r *shopapi.EndpointRequest) (*shopapi.Response, error) {
	var asked struct {
		Made shopapi.Flag `json:"made"`
	}
	if err := r.BindFilter(&asked); err != nil {
		return nil, err
	}
	err := u.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		owner, err := u.keyOwner(tx, r)
		if err != nil {
			return err
		}
		id := r.Segments[1]
		user, _, err := findKey(tx, id)
		if err != nil {
			return err
		}
		if user != owner.UserID {
			return shopapi.NotFound("key", id)
		}
		of := user
		if asked.Made {
			of = 0
		}
		made, err := madeWith(tx, id, of)
		if err != nil {
			return err
		}
		for _, id := range append(made, id) {
			if err := u.endKey(ctx, tx, id); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &shopapi.Response{Status: http.StatusNoContent}, nil
}
