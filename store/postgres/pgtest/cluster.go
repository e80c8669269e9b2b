//go:build unix

package pgtest

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// initdbOptions are the options of initdb. A segment of 1 MiB instead of 16 is copied faster.
var initdbOptions = []string{"-U", "postgres", "-E", "UTF8", "--locale=C", "-A", "trust", "--no-sync", "--wal-segsize=1"}

// createCluster creates the data of the server: a copy of what initdb has made for an earlier
// server, since that takes a tenth of the time of initdb. The copies have one system identifier.
func (s *Server) createCluster() error {
	kept := s.keptCluster()
	if kept != "" && copyTree(kept, s.data()) == nil {
		return nil
	}
	_ = os.RemoveAll(s.data()) // a part of a copy
	if err := s.run("initdb", append([]string{"-D", s.data()}, initdbOptions...)...); err != nil {
		return err
	}
	if kept != "" {
		keepCluster(s.data(), kept) // where that fails, the next server runs initdb too
	}
	return nil
}

// keptCluster is where the cluster of this version of PostgreSQL is kept in the user's cache,
// "" if it cannot be.
func (s *Server) keptCluster() string {
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	program, err := os.Stat(filepath.Join(s.bin, "postgres"))
	if err != nil {
		return ""
	}
	made := fmt.Sprint(s.bin, program.Size(), program.ModTime().UnixNano(), initdbOptions, s.owner)
	return filepath.Join(cache, "shopapi-pgtest", fmt.Sprintf("%x", sha256.Sum256([]byte(made)))[:16])
}

// keepCluster copies a cluster to where other processes find it whole or not at all.
func keepCluster(data, kept string) {
	parent := filepath.Dir(kept)
	if os.MkdirAll(parent, 0o700) != nil {
		return
	}
	part, err := os.MkdirTemp(parent, "part")
	if err != nil {
		return
	}
	defer func() { _ = os.RemoveAll(part) }()
	if copyTree(data, filepath.Join(part, "data")) == nil {
		_ = os.Rename(filepath.Join(part, "data"), kept) // another process may have been faster
	}
}

// copyTree copies a directory with its owners and modes.
func copyTree(from, to string) error { return exec.Command("cp", "-Rp", from, to).Run() }
