package cors

import (
	"fmt"
	"net/http"
	"strings"
	"unicode"
)

// CheckOrigin returns why no request has the origin: browsers send scheme and host in lower
// case, the host in ASCII, and no port that is the scheme's.
func CheckOrigin(origin string) error {
	if err := http.NewCrossOriginProtection().AddTrustedOrigin(origin); err != nil {
		return err
	}
	sent := strings.ToLower(origin)
	for scheme, port := range map[string]string{"http://": ":80", "https://": ":443"} {
		if strings.HasPrefix(sent, scheme) {
			sent = strings.TrimSuffix(sent, port)
		}
	}
	switch {
	case sent != origin:
		return fmt.Errorf("invalid origin %q: browsers send %q", origin, sent)
	case strings.Contains(origin, "*"):
		return fmt.Errorf("invalid origin %q: each site has to be named, without *", origin)
	case strings.ContainsFunc(origin, func(r rune) bool { return r > unicode.MaxASCII }):
		return fmt.Errorf("invalid origin %q: browsers send the host in ASCII (xn--…)", origin)
	}
	return nil
}
