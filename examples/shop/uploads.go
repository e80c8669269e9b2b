package main

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// uploadsPath is where uploaded images are served.
const uploadsPath = "/uploads/"

// uploads stores and serves the images that users upload, in a directory.
type uploads struct{ dir string }

// uploadsBeside returns the directory of uploaded images beside a database. A database in memory
// has a temporary one; that of a server has the directory shop-images.
func uploadsBeside(db string) (uploads, error) {
	switch {
	case db == "memory":
		dir, err := os.MkdirTemp("", "shop-images-")
		return uploads{dir}, err
	case strings.Contains(db, "://"):
		return uploads{"shop-images"}, nil
	}
	return uploads{strings.TrimSuffix(db, ".db") + "-images"}, nil
}

// jobsBeside returns the directory for the files of imports, next to the images.
func jobsBeside(images string) string { return images + "-imports" }

// The types of images, and the endings of their files.
var (
	endings = map[string]string{"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp"}
	types   = map[string]string{".png": "image/png", ".jpg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp"}
)

// store stores an image and returns its path. The name says nothing of the file that a user
// chose.
func (u uploads) store(_ context.Context, _, contentType string, body io.Reader) (path string, err error) {
	if err := os.MkdirAll(u.dir, 0o700); err != nil {
		return "", err
	}
	name := strings.ToLower(rand.Text()) + endings[contentType]
	file, err := os.OpenFile(filepath.Join(u.dir, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	_, err = io.Copy(file, body)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return "", errors.Join(err, os.Remove(file.Name()))
	}
	return uploadsPath + name, nil
}

// ServeHTTP serves an image. Browsers run nothing that is in it.
func (u uploads) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, uploadsPath)
	contentType := types[filepath.Ext(name)]
	if contentType == "" || strings.ContainsAny(name, `/\`) {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Security-Policy", "sandbox; default-src 'none'")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
	http.ServeFile(w, r, filepath.Join(u.dir, name))
}
