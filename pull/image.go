package pull

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/shopapi/shopapi/internal/publicaddr"
)

// maxImage bounds an image, in bytes.
const maxImage = 32 << 20

// pictures downloads images. The zero value leaves them where they are.
type pictures struct {
	ctx    context.Context
	dir    string
	under  string // the path under which the shop serves the directory
	base   *url.URL
	client *http.Client
	done   *sync.Map // paths by address, "" where it could not be read
}

// newPictures returns what downloads images into [Options.Images].
func (p *puller) newPictures(ctx context.Context) (pictures, error) {
	if p.Images == "" || p.DryRun {
		return pictures{}, nil
	}
	if err := os.MkdirAll(p.Images, 0o755); err != nil {
		return pictures{}, err
	}
	host := p.client.at.base.Hostname()
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	transport := &http.Transport{MaxConnsPerHost: p.connections(), IdleConnTimeout: time.Minute, Proxy: nil}
	if own, ok := p.client.http.Transport.(*http.Transport); ok && own.TLSClientConfig != nil {
		transport.TLSClientConfig = own.TLSClientConfig.Clone()
	}
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		d := *dialer
		if to, _, err := net.SplitHostPort(address); err != nil || !strings.EqualFold(to, host) {
			d.Control = publicaddr.Policy{Allow: p.ImageNetworks}.Control
		}
		return d.DialContext(ctx, network, address)
	}
	under := p.ImagePath
	if under == "" {
		under = "/images"
	}
	base := p.client.at.base
	return pictures{ctx, p.Images, "/" + strings.Trim(under, "/"), &base, &http.Client{
		Transport: transport, Timeout: p.timeout(), CheckRedirect: func(next *http.Request, via []*http.Request) error {
			if len(via) > 5 || next.URL.Scheme != "https" && next.URL.Scheme != "http" {
				return errors.New("its redirects lead nowhere")
			}
			return nil
		},
	}, &sync.Map{}}, nil
}

// take downloads an image, and returns the path to store: the old path if the image is
// not copied or not available.
func (p pictures) take(o *object, field, of string) string {
	if p.dir == "" || of == "" {
		return of
	}
	to, err := p.base.Parse(of)
	if err != nil || to.Scheme != "https" && to.Scheme != "http" {
		o.problem(field, "has an image that is no URL: "+short(of))
		return of
	}
	to.User, to.Fragment = nil, ""
	if stored, ok := p.done.Load(to.String()); ok {
		if stored != "" {
			return stored.(string)
		}
		return of
	}
	stored, err := p.download(to)
	if err != nil {
		o.problem(field, "has an image that could not be had, "+short(to.String())+": "+withoutURL(err).Error())
	}
	p.done.Store(to.String(), stored)
	if stored == "" {
		return of
	}
	return stored
}

// download stores an image under a name made of its address, unless it is there already.
func (p pictures) download(from *url.URL) (stored string, err error) {
	hash := sha256.Sum256([]byte(from.String()))
	name := hex.EncodeToString(hash[:16]) + extension(from.Path)
	file := filepath.Join(p.dir, name)
	if _, err := os.Stat(file); err == nil {
		return path.Join(p.under, name), nil
	}
	request, err := http.NewRequestWithContext(p.ctx, http.MethodGet, from.String(), nil)
	if err != nil {
		return "", err
	}
	response, err := p.client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("the answer is %d", response.StatusCode)
	}
	if kind := response.Header.Get("Content-Type"); kind != "" && !strings.HasPrefix(kind, "image/") && !strings.HasPrefix(kind, "application/octet-stream") {
		return "", fmt.Errorf("it is %s, and no image", short(kind))
	}
	temporary, err := os.CreateTemp(p.dir, ".pull-*")
	if err != nil {
		return "", err
	}
	defer os.Remove(temporary.Name())
	n, err := io.Copy(temporary, io.LimitReader(response.Body, maxImage+1))
	if err == nil && n > maxImage {
		err = errors.New("it is larger than 32 MiB")
	}
	if err = errors.Join(err, temporary.Sync(), temporary.Close()); err != nil {
		return "", err
	}
	if err := os.Chmod(temporary.Name(), 0o644); err != nil {
		return "", err
	}
	if err := os.Rename(temporary.Name(), file); err != nil {
		return "", err
	}
	return path.Join(p.under, name), nil
}

// extension is the ending of a path where it is that of an image.
func extension(name string) string {
	switch end := strings.ToLower(path.Ext(name)); end {
	case ".jpg", ".jpeg", ".png", ".gif", ".webp", ".avif", ".svg", ".bmp", ".ico":
		return end
	}
	return ""
}
