// Package history records what concurrent clients of a shop send and get, and has porcupine
// look for an order of the requests that explains all responses: objects are linearizable,
// also through responses from caches, and a list is a snapshot. The clients reach one shop,
// or several over one file, one of them in another process, or over PostgreSQL, whose server ends
// and recovers, or whose standby takes over.
//
//	go test ./internal/history                        # a second for each kind of shop
//	SHOPAPI_HISTORIES=30s go test ./internal/history
//
// It is a part of the module bench so that porcupine is nobody else's dependency.
package history
