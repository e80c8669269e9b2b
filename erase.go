package shopapi

import "context"

// A Person is somebody whose data is to be erased (§23): a user, and what the user is
// known by where no id stands. Fields that are empty are not known.
type Person struct {
	UserID int64
	Email  string
	Phones []string
}

// An EraseFunc blanks what objects hold of a person, in the transaction of the context.
// Amounts, times and ids stay. As the transaction may run again, so may the function,
// and erasing a person twice is no error.
type EraseFunc func(ctx context.Context, p Person) error

// OnErase has fn called when a person's data is erased. Entities, a host's own too, that
// hold such data call it when they are registered, before the first request is served.
func (a *API) OnErase(fn EraseFunc) { a.erasers = append(a.erasers, fn) }

// Erasing runs what [API.OnErase] registered. The entity that has users calls it in the
// transaction that blanks a user.
func (a *API) Erasing(ctx context.Context, p Person) error {
	for _, erase := range a.erasers {
		if err := erase(ctx, p); err != nil {
			return err
		}
	}
	return nil
}
