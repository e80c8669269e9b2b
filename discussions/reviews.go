package discussions

import (
	"context"
	"slices"

	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// Reviews are the approved posts about one object, for a shop's page.
type Reviews struct {
	Posts []Post // one page, newest first
	Total int64  // number of all approved posts

	// Stars counts all approved posts by rating: Stars[5] is the number with the best.
	// Stars[0] is the number without a rating.
	Stars [MaxRating + 1]int64
}

// Rated is the number of posts with a rating.
func (r *Reviews) Rated() int64 {
	var n int64
	for _, count := range r.Stars[1:] {
		n += count
	}
	return n
}

// Average is the mean of the ratings, 0 without any. It is the float64 nearest to the
// exact fraction: an average such as 14/3 has no finite decimal, and Stars has the exact
// numbers.
func (r *Reviews) Average() float64 {
	rated := r.Rated()
	if rated == 0 {
		return 0
	}
	var sum int64
	for stars, count := range r.Stars {
		sum += int64(stars) * count
	}
	return float64(sum) / float64(rated)
}

// Approved returns the approved posts about an object, such as ([Product], 41): at most
// limit, 0 for all, after the first offset ones, with the number and the ratings of all.
// The object need not exist.
func (d *Discussions) Approved(ctx context.Context, objectType string, objectID int64, limit, offset int) (Reviews, error) {
	var r Reviews
	where := append(object{objectType, objectID}.conds(), store.Equal("status", store.String(Approved)))
	where = slices.Clip(append(where, resource.VisibleConds(ctx)...))
	err := d.st.View(ctx, func(_ context.Context, tx store.Tx) (err error) {
		r.Total = 0
		for stars := range r.Stars {
			rated := append(where, store.Equal("rating_value", store.Int(int64(stars))))
			if r.Stars[stars], err = posts.Count(tx, rated...); err != nil {
				return err
			}
			r.Total += r.Stars[stars]
		}
		r.Posts, err = posts.Select(tx, store.Query{
			Where: where, Order: []store.Order{store.Desc("timestamp")}, Limit: limit, Offset: offset,
		})
		return err
	})
	return r, err
}
