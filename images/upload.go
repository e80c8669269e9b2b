package images

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// Limits of POST /images (extensions E12).
const (
	MaxUpload        = 10 << 20  // bytes of an image
	MaxUnnamed       = 256 << 20 // bytes of all images of a user that no object names
	MaxUnnamedImages = 1000      // images of a user that no object names: each upload counts them
)

// reserveTime is how long an upload may take before its reservation is given up.
const reserveTime = time.Hour

// An upload is an image that a user uploaded.
type upload struct {
	UploadID int64  `json:"upload_id" store:"key"`
	UserID   int64  `json:"user_id"` // 0 for the host
	Path     string `json:"path" store:"index"`
	Bytes    int64  `json:"bytes"`
	Created  int64  `json:"created"` // seconds since 1970
	Named    bool   `json:"named"`   // an object names it, or did
}

var uploads = store.MustTable[upload]("image_uploads", store.Index{Columns: []string{"user_id", "named"}})

// UploadSchema is the table of the images that users uploaded.
func UploadSchema() *store.Schema { return uploads.Schema() }

// RegisterUploads adds the address POST /images, which gives images to the host's
// [shopapi.Options.StoreUpload].
func RegisterUploads(ctx context.Context, api *shopapi.API, st store.Store) error {
	if err := st.Migrate(ctx, uploads.Schema()); err != nil {
		return err
	}
	u := &uploading{api, st}
	api.UseUploads(u.isUpload)
	return api.RegisterEndpoint(shopapi.Endpoint{
		Address: "images",
		Methods: map[string]shopapi.Method{http.MethodPost: {
			Serve: u.serve, MaxBody: MaxUpload, RawBody: true,
			Summary: "Stores an image, which is the body: PNG, JPEG, GIF or WebP, to 10 MiB. The response has image_path, " +
				"which image pairs of objects can name. It needs the privilege to change the entity.",
			Parameters: map[string]string{"entity": "the entity whose objects the image is for, such as products"},
			Answer:     reflect.TypeFor[uploaded](), Success: http.StatusCreated,
		}},
	})
}

// An uploaded is the answer to POST /images.
type uploaded struct {
	ImagePath string `json:"image_path"` // for image pairs of objects
}

type uploading struct {
	api *shopapi.API
	st  store.Store
}

func (u *uploading) serve(ctx context.Context, r *shopapi.EndpointRequest) (*shopapi.Response, error) {
	entity := r.Filter.Get("entity")
	if err := u.authorize(ctx, entity); err != nil {
		return nil, err
	}
	if coding := strings.Join(r.Header["Content-Encoding"], ", "); coding != "" && !strings.EqualFold(coding, "identity") {
		return nil, shopapi.Errorf(http.StatusUnsupportedMediaType, "The Content-Encoding %q is not supported. Send the image as it is.", coding)
	}
	body := bufio.NewReaderSize(r.Body, 512)
	kind, err := rasterType(body)
	if err != nil {
		return nil, err
	}
	reserved, err := u.reserve(ctx, r.UserID())
	if err != nil {
		return nil, err
	}
	counted := &countingReader{r: body}
	path, err := u.api.StoreUpload()(ctx, entity, kind, counted)
	if err == nil && counted.err != nil {
		err = counted.err // the host stored a part
	}
	if err == nil && (path == "" || pathProblem(path) != "") {
		err = fmt.Errorf("images: StoreUpload returned %q, which %s", path, wantPath)
	}
	if err != nil {
		ctx := context.WithoutCancel(ctx)
		return nil, errors.Join(bodyError(counted.err, err), u.update(ctx, func(tx store.Tx) error { return uploads.DeleteKey(tx, reserved.UploadID) }))
	}
	reserved.Path, reserved.Bytes = path, counted.n
	if err := u.update(ctx, func(tx store.Tx) error { return uploads.Update(tx, &reserved) }); err != nil {
		return nil, err
	}
	return &shopapi.Response{Status: http.StatusCreated, Body: uploaded{path}}, nil
}

// bodyError returns the response to a body that did not come to its end, or else the other
// error.
func bodyError(body, other error) error {
	var tooLarge *http.MaxBytesError
	switch {
	case body == nil:
		return other
	case errors.As(body, &tooLarge):
		return body
	}
	return shopapi.Errorf(http.StatusBadRequest, "The body could not be read to its end.")
}

// authorize returns an error unless the user of ctx may create or change objects of an entity.
func (u *uploading) authorize(ctx context.Context, entity string) error {
	if entity == "" {
		return shopapi.Invalid("entity", "is required: the entity whose objects the image is for, such as products")
	}
	refused := u.api.Authorize(ctx, entity, shopapi.OpUpdate)
	if refused == nil || u.api.Authorize(ctx, entity, shopapi.OpCreate) == nil {
		return nil
	}
	if errors.Is(refused, shopapi.ErrNotRegistered) {
		return shopapi.Invalid("entity", "must be the name of an entity, such as products")
	}
	return refused
}

// rasterType returns the media type of an image by its content, or a 415.
func rasterType(body *bufio.Reader) (string, error) {
	head, err := body.Peek(512)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", bodyError(err, nil)
	}
	switch kind := http.DetectContentType(head); kind {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return kind, nil
	}
	return "", shopapi.Errorf(http.StatusUnsupportedMediaType, "The body must be an image: PNG, JPEG, GIF or WebP.")
}

// A countingReader counts the bytes that are read, and keeps the error of the reader.
type countingReader struct {
	r   io.Reader
	n   int64
	err error
}

func (c *countingReader) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		c.err = err
	}
	return n, err
}

// reserve counts a new image of a user, or returns a 429.
func (u *uploading) reserve(ctx context.Context, user int64) (reserved upload, err error) {
	now := u.api.Now(ctx)
	err = u.update(ctx, func(tx store.Tx) error {
		mine, err := uploads.Select(tx, store.Query{Where: []store.Cond{
			store.Equal("user_id", store.Int(user)), store.Equal("named", store.Bool(false)),
		}})
		if err != nil {
			return err
		}
		var sum int64
		count := 0
		for i := range mine {
			if mine[i].Path == "" && mine[i].Created < now.Add(-reserveTime).Unix() {
				if err := uploads.DeleteKey(tx, mine[i].UploadID); err != nil {
					return err
				}
				continue
			}
			sum += mine[i].Bytes
			count++
		}
		if count >= MaxUnnamedImages {
			return shopapi.Errorf(http.StatusTooManyRequests, "You uploaded %d images that no object names, which is the limit. Save the objects that they are for.", count)
		}
		if sum+MaxUpload > MaxUnnamed {
			return shopapi.Errorf(http.StatusTooManyRequests, "You uploaded %d MiB of images that no object names, which is the limit. Save the objects that they are for.", sum>>20)
		}
		reserved = upload{UserID: user, Bytes: MaxUpload, Created: now.Unix()}
		return uploads.Insert(tx, &reserved)
	})
	return reserved, err
}

func (u *uploading) update(ctx context.Context, fn func(store.Tx) error) error {
	return u.st.Update(ctx, func(_ context.Context, tx store.Tx) error { return fn(tx) })
}

// isUpload reports whether a path names an uploaded image.
func (u *uploading) isUpload(ctx context.Context, path string) (is bool, err error) {
	if strings.TrimSpace(path) == "" {
		return false, nil
	}
	err = u.st.View(ctx, func(_ context.Context, tx store.Tx) error {
		n, err := uploads.Count(tx, store.Equal("path", store.String(path)))
		is = n > 0
		return err
	})
	return is, err
}

// name notes that an object names the images of a pair.
func name(tx store.Tx, p *Pair) error {
	for _, image := range p.images() {
		if image.Path == "" {
			continue
		}
		rows, err := uploads.Select(tx, store.Query{Where: []store.Cond{
			store.Equal("path", store.String(image.Path)), store.Equal("named", store.Bool(false)),
		}})
		if err != nil {
			return err
		}
		for i := range rows {
			rows[i].Named = true
			if err := uploads.Update(tx, &rows[i]); err != nil {
				return err
			}
		}
	}
	return nil
}
