package postgres

import (
	"testing"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver/sqltext"
)

func TestDropIndex(t *testing.T) {
	type row struct {
		ID   int64  `json:"id" store:"key"`
		Name string `json:"name"`
	}
	s := store.MustTable[row]("goods").Schema()
	plain, unique := store.Index{Columns: []string{"name"}}, store.Index{Columns: []string{"name"}, Unique: true}
	for _, c := range []struct {
		engine  engine
		dialect *sqltext.Dialect
		index   store.Index
		want    string
	}{
		{postgreSQL, &sqltext.PostgreSQL, plain, `DROP INDEX CONCURRENTLY IF EXISTS "goods.name.index"`},
		{postgreSQL, &sqltext.PostgreSQL, unique, `DROP INDEX CONCURRENTLY IF EXISTS "goods.name.unique"`},
		{yugabyteDB, &sqltext.PostgreSQL, plain, `DROP INDEX IF EXISTS "goods.name.index"`},
		{cockroachDB, &sqltext.CockroachDB, plain, `DROP INDEX IF EXISTS "goods"@"goods.name.index"`},
		{cockroachDB, &sqltext.CockroachDB, unique, `DROP INDEX IF EXISTS "goods"@"goods.name.unique" CASCADE`},
	} {
		m := migration{engine: c.engine, dialect: c.dialect}
		if got := m.dropIndex(s, &c.index); got != c.want {
			t.Errorf("an index of engine %d is dropped by %s, want %s", c.engine, got, c.want)
		}
	}
}
