//go:build unix

package pgtest

import (
	"path/filepath"
	"strconv"
	"strings"
)

// An address is that of a socket, in a directory that nothing else sees.
type address struct {
	dir  string
	port int
}

// A Host is a [Server], or a [PgBouncer] before one.
type Host interface {
	DSN() string
	DSNWith(parameters ...string) string
	Socket() string
	at() address
}

func (a address) at() address { return a }

// Socket is the path of the socket.
func (a address) Socket() string { return filepath.Join(a.dir, ".s.PGSQL."+strconv.Itoa(a.port)) }

// DSN names the database of the server.
func (a address) DSN() string { return a.DSNWith() }

// DSNWith is DSN with more parameters, such as "connect_timeout=1".
func (a address) DSNWith(parameters ...string) string {
	return dsn([]address{a}, "postgres", parameters)
}

// PairDSN names a primary and its standby: clients use the server that accepts writes.
func PairDSN(primary, standby Host, parameters ...string) string {
	return dsn([]address{primary.at(), standby.at()}, "postgres", append([]string{"target_session_attrs=read-write"}, parameters...))
}

func dsn(hosts []address, database string, parameters []string) string {
	var dirs, ports []string
	for _, a := range hosts {
		dirs, ports = append(dirs, a.dir), append(ports, strconv.Itoa(a.port))
	}
	all := append([]string{"host=" + strings.Join(dirs, ","), "port=" + strings.Join(ports, ","), "sslmode=disable"}, parameters...)
	return "postgres://postgres@/" + database + "?" + strings.Join(all, "&")
}
