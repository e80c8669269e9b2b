package discussions_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/discussions"
)

// The approved reviews of a product, with the number and the mean of all ratings.
func TestDiscussions_Approved(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		empty, err := s.Discussions.Approved(t.Context(), discussions.Product, 5, 10, 0)
		if err != nil || empty.Total != 0 || empty.Average() != 0 || len(empty.Posts) != 0 {
			t.Errorf("without posts: %+v, %v", empty, err)
		}
		for i, rating := range []discussions.Rating{5, 5, 4, 0, 1} {
			s.file(discussions.Post{ObjectType: "P", ObjectID: 5, RatingValue: rating, Timestamp: int64(100 + i)})
		}
		s.file(
			discussions.Post{ObjectType: "P", ObjectID: 5, RatingValue: 1, Status: discussions.Disapproved},
			discussions.Post{ObjectType: "P", ObjectID: 6, RatingValue: 1},
			discussions.Post{ObjectType: "C", ObjectID: 5, RatingValue: 1},
		)
		got, err := s.Discussions.Approved(t.Context(), discussions.Product, 5, 2, 1)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Posts) != 2 || got.Posts[0].PostID != 4 || got.Posts[1].PostID != 3 {
			t.Errorf("page %+v", got.Posts)
		}
		if diff := cmp.Diff([6]int64{1, 1, 0, 0, 1, 2}, got.Stars); diff != "" {
			t.Errorf("stars (-want +got):\n%s", diff)
		}
		if got.Total != 5 || got.Rated() != 4 || got.Average() != 3.75 {
			t.Errorf("%d posts, %d rated, on average %v", got.Total, got.Rated(), got.Average())
		}
		all, err := s.Discussions.Approved(t.Context(), discussions.Product, 5, 0, 0)
		if err != nil || len(all.Posts) != 5 {
			t.Errorf("all: %+v, %v", all.Posts, err)
		}
	})
}
