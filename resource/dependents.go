package resource

import (
	"context"
	"net/http"

	"github.com/shopapi/shopapi"
)

// MaxDependents is how many objects of one kind a deletion changes or removes because they name
// the object that is deleted: it writes them in its transaction, for which others' changes wait.
const MaxDependents = 7_500

// CheckDependents refuses a deletion that would write n objects, such as "products", if at most so
// many may name the object. The host's own code has no limit.
func CheckDependents(ctx context.Context, n, most int64, plural string) error {
	if n <= most || shopapi.UserFrom(ctx) == nil {
		return nil
	}
	return shopapi.Errorf(http.StatusBadRequest, "It cannot be deleted while %d %s belong to it or name it: a deletion changes at most %d of them. Change or delete some of them first.", n, plural, most)
}
