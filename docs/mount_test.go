package docs_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/callrequests"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite"
	"github.com/shopapi/shopapi/users"
)

// mount adds the API to the program's router.
func mount(ctx context.Context, mux *http.ServeMux, terminal io.Writer) (*shop.Shop, error) {
	st, err := sqlite.Open(ctx, "shop.db", nil)
	if err != nil {
		return nil, err
	}
	admin, err := shop.New(ctx, st, nil)
	if err != nil {
		return nil, err
	}
	key, created, err := users.EnsureRoot(ctx, st, "owner@example.com")
	if err != nil {
		return nil, err
	}
	if created {
		fmt.Fprintln(terminal, "The API key of owner@example.com, shown this once:", key)
	}
	mux.Handle("/api/", admin)
	mux.Handle("/api.php", admin)
	return admin, nil
}

// serve serves until ctx ends, finishes running requests, and closes the store.
func serve(ctx context.Context, listener net.Listener, mux http.Handler, api *shopapi.API, st store.Store) error {
	server := &http.Server{
		Handler:           mux,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       time.Minute,
		WriteTimeout:      time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
	}
	server.RegisterOnShutdown(api.EndStreams) // Shutdown waits for streams otherwise
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	deadline, cancel := context.WithTimeout(context.WithoutCancel(ctx), 40*time.Second)
	defer cancel()
	return errors.Join(server.Shutdown(deadline), api.Shutdown(deadline), st.Close())
}

// fromGo uses the entities without HTTP.
func fromGo(ctx context.Context, admin *shop.Shop, out io.Writer) error {
	filed, err := admin.CallRequests.Create(ctx, callrequests.CallRequest{Name: "Ana", Phone: "+1 555 0100"})
	if err != nil {
		return err
	}
	fmt.Fprintln(out, filed.RequestID, filed.Status)

	newest, total, err := admin.CallRequests.Find(ctx, callrequests.Filter{
		ListOptions: resource.ListOptions{Limit: 10},
		Status:      callrequests.StatusNew,
	})
	if err != nil {
		return err
	}
	fmt.Fprintln(out, len(newest), "of", total)

	_, err = admin.CallRequests.Update(ctx, filed.RequestID, func(r *callrequests.CallRequest) error {
		r.Status = callrequests.StatusCompleted
		return nil
	})
	if err != nil {
		return err
	}

	for category, err := range admin.Categories.All(ctx, categories.Filter{}) {
		if err != nil {
			return err
		}
		fmt.Fprintln(out, category.Name)
	}
	return nil
}

// onBehalf acts for a user, whose privileges count.
func onBehalf(ctx context.Context, admin *shop.Shop, user *shopapi.User, id int64) error {
	ctx = shopapi.WithUser(ctx, user)
	if err := admin.Authorize(ctx, "call_requests", shopapi.OpDelete); err != nil {
		return err
	}
	return admin.CallRequests.Delete(ctx, id)
}

// A shop is mounted, used from Go and over HTTP, and stopped.
func TestMountedShop(t *testing.T) {
	t.Chdir(t.TempDir())
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	mux := http.NewServeMux()
	var terminal strings.Builder
	admin, err := mount(ctx, mux, &terminal)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(terminal.String(), "shown this once") {
		t.Error("the key of the first administrator was not shown")
	}
	if _, err := admin.Categories.Create(ctx, categories.Category{Summary: categories.Summary{Name: "Tableware"}}); err != nil {
		t.Fatal(err)
	}
	var report strings.Builder
	if err := fromGo(ctx, admin, &report); err != nil {
		t.Fatal(err)
	}
	if want := "1 new\n1 of 1\nTableware\n"; report.String() != want {
		t.Errorf("Go code saw %q, want %q", report.String(), want)
	}
	err = onBehalf(ctx, admin, &shopapi.User{ID: 2, Type: shopapi.Administrator}, 1)
	if err == nil || !strings.Contains(err.Error(), "manage_call_requests") {
		t.Errorf("a user without privileges deletes a call request: %v", err)
	}

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	stopped := make(chan error, 1)
	go func() { stopped <- serve(ctx, listener, mux, admin.API, admin.Store) }()
	resp, err := http.Get("http://" + listener.Addr().String() + "/api/2.0/categories")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("a request without credentials is answered %d, want 401", resp.StatusCode)
	}
	stop()
	if err := <-stopped; err != nil {
		t.Errorf("serve returned %v", err)
	}
}
