package discussions

import (
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// erase blanks the author of a person's posts. The messages stay.
func (d *Discussions) erase(ctx context.Context, p shopapi.Person) error {
	return resource.EraseRows(ctx, d.api, d.st, posts, "discussions", store.Equal("user_id", store.Int(p.UserID)), func(post *Post) {
		post.Name, post.IPAddress = "", ""
	})
}
