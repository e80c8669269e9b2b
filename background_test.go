package shopapi_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"testing"

	"github.com/shopapi/shopapi"
)

// Functions run from the first request on, and Shutdown waits for them.
func TestBackground_RunsUntilShutdown(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(*shopapi.API) error{
		"Start": (*shopapi.API).Start,
		"a request": func(api *shopapi.API) error {
			api.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/api/2.0/products", nil))
			return nil
		},
	} {
		api := shopapi.New(nil)
		began, ended := make(chan struct{}), false
		api.Background(func(ctx context.Context) {
			close(began)
			<-ctx.Done()
			ended = true
		})
		if err := errors.Join(start(api), api.Start()); err != nil {
			t.Fatal(err)
		}
		<-began
		if err := api.Shutdown(t.Context()); err != nil || !ended {
			t.Errorf("%s: Shutdown returned %v before the function ended: %v", name, err, !ended)
		}
	}
}

// After Shutdown nothing starts, and a wrong configuration is reported.
func TestBackground_DoesNotStart(t *testing.T) {
	t.Parallel()
	api := shopapi.New(nil)
	api.Background(func(context.Context) { t.Error("it runs after Shutdown") })
	if err := errors.Join(api.Shutdown(t.Context()), api.Start()); err != nil {
		t.Error(err)
	}
	api = shopapi.New(&shopapi.Options{Privileges: map[string]shopapi.Privileges{"nothing": {}}})
	api.Background(func(context.Context) { t.Error("it runs without a valid configuration") })
	if err := api.Start(); err == nil {
		t.Error("Start passes a privilege of an entity that is not registered")
	}
	if err := api.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestUserByID(t *testing.T) {
	t.Parallel()
	if _, err := shopapi.New(nil).UserByID(t.Context(), 1); !errors.Is(err, shopapi.ErrNoUserByID) {
		t.Errorf("without the option: %v", err)
	}
	api := shopapi.New(&shopapi.Options{
		Edition: shopapi.MultiStorefront,
		UserByID: func(_ context.Context, id int64) (*shopapi.User, error) {
			return map[int64]*shopapi.User{
				1: {ID: 1, Type: shopapi.Administrator, CompanyID: 2}, 2: {ID: 2, Type: shopapi.Customer},
			}[id], nil
		},
	})
	if user, err := api.UserByID(t.Context(), 1); err != nil || !user.IsConfined() {
		t.Errorf("an administrator of one storefront: %v, %v", user, err)
	}
	for _, id := range []int64{2, 3} {
		if _, err := api.UserByID(t.Context(), id); !errors.Is(err, shopapi.ErrNotFound) {
			t.Errorf("user %d: %v, want ErrNotFound", id, err)
		}
	}
}
