package mcp

import (
	"fmt"
	"strings"
	"unicode"
)

// checkOrigin returns why no request has the origin. Browsers send scheme and host in lower case, the
// host in ASCII, and no port that is the scheme's.
func checkOrigin(origin string) error {
	const has = "mcp: Options.TrustedOrigins has the invalid origin"
	sent := strings.ToLower(origin)
	for scheme, port := range map[string]string{"http://": ":80", "https://": ":443"} {
		if strings.HasPrefix(sent, scheme) {
			sent = strings.TrimSuffix(sent, port)
		}
	}
	switch {
	case sent != origin:
		return fmt.Errorf("%s %q: browsers send %q", has, origin, sent)
	case strings.Contains(origin, "*"):
		return fmt.Errorf("%s %q: each site has to be named, without *", has, origin)
	case strings.ContainsFunc(origin, func(r rune) bool { return r > unicode.MaxASCII }):
		return fmt.Errorf("%s %q: browsers send the host in ASCII (xn--…)", has, origin)
	}
	return nil
}
