package discussions

import (
	"cmp"
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// A Post is a comment or review.
type Post struct {
	PostID      int64  `json:"post_id,string" store:"key" bind:"-"`
	ThreadID    int64  `json:"thread_id,string"`
	Name        string `json:"name" store:"fold,index,search" rule:"len=255"`    // of the author, at most 255 characters
	Timestamp   int64  `json:"timestamp,string" rule:"time"`                     // seconds since 1970
	UserID      int64  `json:"user_id,string" store:"index" bind:"-"`            // 0 for a guest
	IPAddress   string `json:"ip_address" store:"index" bind:"-" rule:"len=255"` // of the client, "" if unknown
	Status      string `json:"status" rule:"oneof=A D"`                          // A approved, D disapproved
	Message     string `json:"message" store:"fold,search" rule:"bytes=65536"`   // at most 65536 bytes
	RatingValue Rating `json:"rating_value" empty:"true"`
	ObjectID    int64  `json:"object_id,string"`           // 0 for the home page
	ObjectType  string `json:"object_type"`                // P, C, A, O or E
	Type        string `json:"type" bind:"-"`              // type of the thread: C, R or B
	CompanyID   int64  `json:"company_id,string" bind:"-"` // company of the object
	resource.Stamp

	// ReplyTo is the id of the post that a new one replies to, 0 for none. It is not stored.
	ReplyTo int64 `json:"-" store:"-" bind:"-"`

	Custom shopapi.Custom `json:"-" store:"-"` // the custom fields
}

// maxName is the greatest length of a name, in characters.
const maxName = 255

// The statuses of a post.
const (
	Approved    = "A"
	Disapproved = "D"
)

// Each filter by a code has an index in the default order of lists, and each other sort
// order has its own. The tags declare the indexes by name, address and user.
var posts = store.MustTable[Post]("discussions",
	store.Index{Columns: []string{"timestamp"}},
	store.Index{Columns: []string{"status"}},
	store.Index{Columns: []string{"status", "timestamp"}},
	store.Index{Columns: []string{"type", "timestamp"}},
	store.Index{Columns: []string{"rating_value", "timestamp"}},
	store.Index{Columns: []string{"object_type", "object_id", "timestamp"}},
	store.Index{Columns: []string{"object_type", "object_id", "status", "timestamp"}},
	store.Index{Columns: []string{"object_type", "object_id", "status", "rating_value"}}, // covers the counts of ratings
)

// Schemas returns the tables of this package, for programs that copy a shop to another
// store.
func Schemas() []*store.Schema { return []*store.Schema{threads.Schema(), posts.Schema()} }

// setDefaults sets the defaults of a new post (decisions §10).
func (d *Discussions) setDefaults(ctx context.Context, p *Post) {
	p.Status = cmp.Or(p.Status, Approved)
	if p.Timestamp == 0 {
		p.Timestamp = d.api.Now(ctx).Unix()
	}
	if user := shopapi.UserFrom(ctx); user != nil {
		p.UserID = user.ID
		p.Name = cmp.Or(p.Name, cut(user.Name))
	}
}

// cut shortens the name of a user to the maximum length of a name.
func cut(name string) string {
	n := 0
	for i := range name {
		if n++; n > maxName {
			return name[:i]
		}
	}
	return name
}

// join adds the post to the thread.
func (p *Post) join(t *Thread) {
	p.ThreadID, p.Type, p.CompanyID = t.ThreadID, t.Type, t.CompanyID
	p.ObjectType, p.ObjectID = t.ObjectType, t.ObjectID
}

// keep restores the fields that no update changes, and adds a problem if an update
// changes the object or the thread (decisions §10). A new post gets the company of its
// thread.
func keep(after, before *Post, problems *shopapi.Problems) {
	if before.PostID == 0 {
		after.CompanyID = 0
		return
	}
	if after.ThreadID != before.ThreadID {
		problems.Add("thread_id", "cannot change: the post belongs to thread %d", before.ThreadID)
	}
	if after.ObjectType != before.ObjectType {
		problems.Add("object_type", "cannot change: the post is about an object of type %s", before.ObjectType)
	}
	if after.ObjectID != before.ObjectID {
		problems.Add("object_id", "cannot change: the post is about object %d", before.ObjectID)
	}
	after.UserID, after.IPAddress = before.UserID, before.IPAddress
	after.Type, after.CompanyID = before.Type, before.CompanyID
}

// validate checks the rating.
func (p *Post) validate(problems *shopapi.Problems) {
	if !problems.Skips("rating_value") && (p.RatingValue < NoRating || p.RatingValue > MaxRating) {
		problems.Add("rating_value", "%s", errNoRating)
	}
}
