// Package peer contains the servers that are compared, and runs each in a process of its
// own, so that neither the garbage collector nor the caches of one affect another.
package peer

import (
	"context"
	"fmt"
	"net/http"

	"github.com/pocketbase/pocketbase/core"

	"github.com/shopapi/shopapi/bench/internal/data"
)

// The names of the peers.
const (
	Floor      = "floor"
	Shop       = "shopapi"
	ShopMemory = "shopapi-memory"
	SQL        = "sql"
	SQLGrouped = "sql-grouped"
	PocketBase = "pocketbase"
	RESTLayer  = "rest-layer"

	// PocketBaseCgo is PocketBase over SQLite in C; only with the build tag cgo_sqlite.
	PocketBaseCgo = "pocketbase-cgo"

	ShopPostgres = "shopapi-postgres"
	PGX          = "pgx"
	PGXGrouped   = "pgx-grouped"
)

// Names are the peers in the order in which they take turns.
var Names = []string{Floor, Shop, ShopMemory, SQL, SQLGrouped, PocketBase, RESTLayer, ShopPostgres, PGX, PGXGrouped}

// OverPostgreSQL are the peers that need a PostgreSQL server.
var OverPostgreSQL = []string{ShopPostgres, PGX, PGXGrouped}

// A Config configures a peer's process.
type Config struct {
	Name       string `json:"name"`
	Dir        string `json:"dir"`      // its own, for what it writes
	Source     string `json:"source"`   // the SQLite file with the rows, which it copies; "" if its folder has the copy
	Prepared   string `json:"prepared"` // the file with the floor's responses
	Database   string `json:"database"` // the DSN of the peer's own copy in PostgreSQL
	Rows       int    `json:"rows"`
	CacheBytes int64  `json:"cache_bytes"` // shopapi.Limits.CacheBytes
	CPUProfile string `json:"cpuprofile"`  // a file, or none
}

// A server is a peer inside its process.
type server struct {
	handler       http.Handler
	authorization string // value of the header that requests must bring
	close         func() error
}

// open opens the server of a peer.
func open(ctx context.Context, c Config) (*server, error) {
	switch c.Name {
	case Floor:
		return openBare(c)
	case Shop, ShopMemory:
		return openShop(ctx, c)
	case ShopPostgres:
		return openShopPostgres(ctx, c)
	case PGX, PGXGrouped:
		return openPGX(ctx, c)
	case SQL, SQLGrouped:
		return openHandWritten(ctx, c)
	case PocketBase:
		return openPocketBase(c, core.DefaultDBConnect)
	case PocketBaseCgo:
		return openPocketBase(c, connectCgo)
	case RESTLayer:
		return openRESTLayer(ctx, c)
	}
	return nil, fmt.Errorf("there is no peer %q", c.Name)
}

// basic is the Authorization header of the peers that check a key.
func basic() string {
	r := http.Request{Header: http.Header{}}
	r.SetBasicAuth(data.Email, data.Key)
	return r.Header.Get("Authorization")
}
