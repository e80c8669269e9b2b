package resource

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/extensions/bulk"
	"github.com/shopapi/shopapi/internal/wire"
	"github.com/shopapi/shopapi/resource/internal/texts"
	"github.com/shopapi/shopapi/store"
)

// A replay is the stored response to a POST with an Idempotency-Key, written in the
// transaction of its create (decisions §25). The key and the request are stored as HMACs,
// so that a copy of the database reveals neither.
type replay struct {
	ReplayID    int64        `json:"replay_id" store:"key"`
	UserID      int64        `json:"user_id"`
	Key         string       `json:"idempotency_key"`
	Fingerprint string       `json:"fingerprint"`
	ObjectID    string       `json:"object_id"` // "" while the create runs, and of an action without one
	More        shopapi.JSON `json:"more"`
	Existing    bool         `json:"existing"`              // the response was 200
	Expires     int64        `json:"expires" store:"index"` // seconds since 1970
}

var replays = store.MustTable[replay]("idempotency_keys",
	store.Index{Columns: []string{"user_id", "idempotency_key"}, Unique: true},
	store.Index{Columns: []string{"user_id", "expires"}})

// A secret is a key of the database.
type secret struct {
	SecretID int64  `json:"secret_id" store:"key"`
	Name     string `json:"name"`
	Secret   string `json:"secret"`
}

var secrets = store.MustTable[secret]("secrets", store.Index{Columns: []string{"name"}, Unique: true})

// Schemas are the tables of this package, for programs that copy a shop from one
// store to another.
func Schemas() []*store.Schema {
	return []*store.Schema{replays.Schema(), secrets.Schema(), texts.BaseLanguageSchema(), customDeclarations.Schema()}
}

const (
	replayAge  = 24 * time.Hour // how long an answer is given again
	maxReplays = 10_000         // live keys of one user
	hmacSecret = "idempotency"
)

// errTaken says that another request with the same key committed meanwhile.
var errTaken = errors.New("resource: the idempotency key was taken meanwhile")

// onceKey is the context key of the fingerprint of a POST that is carried out once: creates
// of the same request are a part of it.
type onceKey struct{}

// idempotent creates an object in a store once for all requests with the same Idempotency-Key.
func idempotent(ctx context.Context, api *shopapi.API, st store.Store, r *shopapi.Request, create func(context.Context, store.Tx) (shopapi.Reply, error)) (reply shopapi.Reply, err error) {
	reserving := false
	for range 3 {
		err = st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
			p, err := replayOf(ctx, api, tx, r)
			if err != nil {
				return err
			}
			if found, err := p.find(tx, api.Now(ctx)); err != nil || found != nil {
				if err == nil {
					reply, err = found.reply()
				}
				return err
			}
			reserving = true
			bulk.Writing(ctx)
			if err := p.reserve(tx, api.Now(ctx)); err != nil {
				return err
			}
			reserving = false
			if reply, err = create(context.WithValue(ctx, onceKey{}, r.Fingerprint()), tx); err != nil {
				return err
			}
			return p.complete(tx, reply)
		})
		if !errors.Is(err, errTaken) {
			break
		}
	}
	if errors.Is(err, errTaken) || reserving && errors.Is(err, context.DeadlineExceeded) {
		err = shopapi.Errorf(http.StatusConflict, "A request with this Idempotency-Key is still being carried out. Try again later.")
	}
	return orNone(reply, err)
}

// answered returns the stored response to a request with an Idempotency-Key, before work that a
// repeated request does not need. known is false where there is none.
func answered(ctx context.Context, api *shopapi.API, st store.Store, r *shopapi.Request) (reply shopapi.Reply, known bool, err error) {
	err = store.ShortView(ctx, st, func(ctx context.Context, tx store.Tx) error {
		if n, err := secrets.Count(tx, ofHMAC()); err != nil || n == 0 {
			return err // no key was ever sent
		}
		p, err := replayOf(ctx, api, tx, r)
		if err != nil {
			return err
		}
		found, err := p.find(tx, api.Now(ctx))
		if known = found != nil; err == nil && known {
			reply, err = found.reply()
		}
		return err
	})
	return reply, known, err
}

// replayOf returns the row of a request without its response.
func replayOf(ctx context.Context, api *shopapi.API, tx store.Tx, r *shopapi.Request) (replay, error) {
	mac, err := macOf(tx)
	if err != nil {
		return replay{}, err
	}
	return replay{
		UserID: r.UserID(), Key: mac(keyOf(r)), Fingerprint: mac(r.Fingerprint()),
		Expires: api.Now(ctx).Add(replayAge).Unix(),
	}, nil
}

// keyOf returns the Idempotency-Key of a request. Users of a host may have no id: their keys
// differ by the e-mail address.
func keyOf(r *shopapi.Request) string {
	if r.User == nil || r.User.ID != 0 {
		return r.IdempotencyKey()
	}
	return r.User.Email + "\x00" + r.IdempotencyKey()
}

// find returns the stored response of a key, or nil. Another request under the same key
// is a 422.
func (p *replay) find(tx store.Tx, now time.Time) (*replay, error) {
	found, err := replays.First(tx, store.Query{Where: []store.Cond{
		store.Equal("user_id", store.Int(p.UserID)), store.Equal("idempotency_key", store.String(p.Key)),
	}})
	switch {
	case errors.Is(err, store.ErrNotFound), err == nil && found.Expires <= now.Unix():
		return nil, nil
	case err != nil:
		return nil, err
	case !hmac.Equal([]byte(found.Fingerprint), []byte(p.Fingerprint)):
		return nil, shopapi.Errorf(http.StatusUnprocessableEntity, "The Idempotency-Key was sent before with another request. Use a new key for each new request.")
	}
	return &found, nil
}

// reserve inserts the row of a key, after deleting expired rows. If another request has
// inserted it, reserve waits for the end of that request.
func (p *replay) reserve(tx store.Tx, now time.Time) error {
	if _, err := replays.Delete(tx, store.AtMost("expires", store.Int(now.Unix()))); err != nil {
		return err
	}
	n, err := replays.Count(tx, store.Equal("user_id", store.Int(p.UserID)))
	if err != nil {
		return err
	}
	if n >= maxReplays {
		return shopapi.Errorf(http.StatusTooManyRequests, "There are %d live Idempotency-Keys of yours, which is the limit. Each lives for a day.", n)
	}
	if err := replays.Insert(tx, p); errors.Is(err, store.ErrConflict) {
		return errTaken
	} else if err != nil {
		return err
	}
	return nil
}

// complete stores the answer.
func (p *replay) complete(tx store.Tx, reply shopapi.Reply) (err error) {
	p.ObjectID, p.Existing = reply.ID, reply.Existing
	if p.More, err = reply.More.MarshalJSON(); err != nil {
		return err
	}
	return replays.Update(tx, p)
}

// reply is the answer as it was given first.
func (p *replay) reply() (shopapi.Reply, error) {
	reply := shopapi.Reply{ID: p.ObjectID, Existing: p.Existing}
	members, err := wire.Members(json.RawMessage(p.More))
	for _, m := range members {
		reply.More = append(reply.More, shopapi.Member{Name: m.Name, Value: m.Value})
	}
	return reply, err
}

// ofHMAC is the condition of the key of the HMACs.
func ofHMAC() store.Cond { return store.Equal("name", store.String(hmacSecret)) }

// macOf returns the HMAC under the key of the database, which it makes when there
// is none.
func macOf(tx store.Tx) (func(string) string, error) {
	s, err := secrets.First(tx, store.Query{Where: []store.Cond{ofHMAC()}})
	if errors.Is(err, store.ErrNotFound) {
		s = secret{Name: hmacSecret, Secret: rand.Text()}
		if err = secrets.Insert(tx, &s); errors.Is(err, store.ErrConflict) {
			err = errTaken
		}
	}
	return func(text string) string {
		h := hmac.New(sha256.New, []byte(s.Secret))
		h.Write([]byte(text))
		return hex.EncodeToString(h.Sum(nil))
	}, err
}
