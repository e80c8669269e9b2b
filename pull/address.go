package pull

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"strings"
)

// An address is where the other server answers.
type address struct {
	base   url.URL
	script bool // base is a script, which takes the path as the parameter _d
}

// parseAddress reads the address of a server: that of its API, such as
// https://old.example/api, or of its script, such as https://old.example/api.php.
func parseAddress(from string, insecure bool) (address, error) {
	u, err := url.Parse(strings.TrimSpace(from))
	switch {
	case err != nil:
		return address{}, errors.New("pull: the address of the old shop is no URL") // the text may hold a key
	case u.User != nil:
		return address{}, errors.New("pull: the address must have no credentials in it: the e-mail address and the key are given apart")
	case u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return address{}, errors.New("pull: the address must be a URL such as https://old.example/api")
	case u.Scheme == "http" && !insecure:
		return address{}, errors.New("pull: the address must begin with https: over plain http everybody on the way can read the key. Allow it by -insecure if the network is yours")
	case u.RawQuery != "" || u.Fragment != "":
		return address{}, errors.New("pull: the address must end with its path")
	}
	a := address{base: url.URL{Scheme: u.Scheme, Host: u.Host, Path: strings.TrimRight(u.Path, "/")}}
	a.script = strings.HasSuffix(a.base.Path, ".php")
	if a.base.Path == "" {
		a.base.Path = "/api"
	}
	return a, nil
}

// candidates are the addresses at which the entities may be, the likeliest first.
func (a address) candidates() []address {
	if a.script || strings.HasSuffix(a.base.Path, "/2.0") {
		return []address{a}
	}
	versioned := a
	versioned.base.Path += "/2.0"
	return []address{versioned, a}
}

// of returns the URL of a path below the address, such as products/41.
func (a address) of(path string, query url.Values) string {
	u := a.base
	if a.script {
		query = cloneQuery(query)
		query.Set("_d", path)
	} else {
		u.Path += "/" + path
	}
	u.RawQuery = query.Encode()
	return u.String()
}

func cloneQuery(query url.Values) url.Values {
	clone := url.Values{}
	maps.Copy(clone, query)
	return clone
}

// sameOrigin reports whether two URLs have the same scheme, host and port.
func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Host, b.Host)
}

// String returns the address as messages show it.
func (a address) String() string {
	return fmt.Sprintf("%s://%s%s", a.base.Scheme, a.base.Host, a.base.Path)
}
