package discussions

import (
	"cmp"
	"math"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// A Post is one comment or review.
type Post struct {
	PostID      int64  `json:"post_id,string" store:"key" bind:"-"`
	ThreadID    int64  `json:"thread_id,string"`
	Name        string `json:"name" store:"fold,index"`               // of the author
	Timestamp   int64  `json:"timestamp,string"`                      // seconds since 1970
	UserID      int64  `json:"user_id,string" store:"index" bind:"-"` // 0 for a guest
	IPAddress   string `json:"ip_address" store:"index" bind:"-"`     // of the client, "" when not known
	Status      string `json:"status"`                                // A approved, D disapproved
	Message     string `json:"message" store:"fold"`                  // at most [MaxMessage] bytes
	RatingValue Rating `json:"rating_value"`
	ObjectID    int64  `json:"object_id,string"`           // 0 for the home page
	ObjectType  string `json:"object_type"`                // P, C, A, O or E
	Type        string `json:"type" bind:"-"`              // that of the thread: C, R or B
	CompanyID   int64  `json:"company_id,string" bind:"-"` // that of the object
}

// MaxMessage is the length that a message may have, in bytes (decisions §10).
const MaxMessage = 64 << 10

// The statuses of a post.
const (
	Approved    = "A"
	Disapproved = "D"
)

// Each filter by a code has an index in the order that lists have by themselves,
// and each other order one of its own. Those by name, address and user stand in
// the tags.
var posts = store.MustTable[Post]("discussions",
	store.Index{Columns: []string{"timestamp"}},
	store.Index{Columns: []string{"status"}},
	store.Index{Columns: []string{"status", "timestamp"}},
	store.Index{Columns: []string{"type", "timestamp"}},
	store.Index{Columns: []string{"rating_value", "timestamp"}},
	store.Index{Columns: []string{"object_type", "object_id", "timestamp"}},
	store.Index{Columns: []string{"object_type", "object_id", "status", "timestamp"}},
	store.Index{Columns: []string{"object_type", "object_id", "status", "rating_value"}}, // counts ratings by itself
)

// setDefaults fills what a new post does not say (decisions §10).
func (p *Post) setDefaults(user *shopapi.User, now time.Time) {
	p.Status = cmp.Or(p.Status, Approved)
	p.Timestamp = cmp.Or(p.Timestamp, now.Unix())
	if user != nil {
		p.UserID = user.ID
		p.Name = cmp.Or(p.Name, user.Name)
	}
}

// join makes the post one of the thread's.
func (p *Post) join(t *Thread) {
	p.ThreadID, p.Type, p.CompanyID = t.ThreadID, t.Type, t.CompanyID
	p.ObjectType, p.ObjectID = t.ObjectType, t.ObjectID
}

// keep restores what nobody changes, and notes what a change must not have tried:
// object and thread are those of the post for good (decisions §10).
func (p *Post) keep(before *Post, problems *shopapi.Problems) {
	if p.ThreadID != before.ThreadID {
		problems.Add("thread_id", "cannot change: the post belongs to thread %d", before.ThreadID)
	}
	if p.ObjectType != before.ObjectType {
		problems.Add("object_type", "cannot change: the post is about an object of type %s", before.ObjectType)
	}
	if p.ObjectID != before.ObjectID {
		problems.Add("object_id", "cannot change: the post is about object %d", before.ObjectID)
	}
	p.PostID, p.UserID, p.IPAddress = before.PostID, before.UserID, before.IPAddress
	p.Type, p.CompanyID = before.Type, before.CompanyID
}

// validate finds what is wrong with the fields by themselves.
func (p *Post) validate(problems *shopapi.Problems) {
	problems.OneOf("status", p.Status, Approved, Disapproved)
	problems.Range("timestamp", p.Timestamp, 0, math.MaxInt64)
	if len(p.Message) > MaxMessage {
		problems.Add("message", "must have at most %d bytes, not %d", MaxMessage, len(p.Message))
	}
	if p.RatingValue < NoRating || p.RatingValue > MaxRating {
		problems.Add("rating_value", "%s", errNoRating)
	}
}
