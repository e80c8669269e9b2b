package webhooks

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
	"time"
)

const (
	secretPrefix = "whsec_"
	secretBytes  = 32
	formerSigns  = 24 * time.Hour // how long the secret before a rotation signs too
)

// newSecret returns a random secret in the form of Standard Webhooks.
func newSecret() string {
	b := make([]byte, secretBytes)
	_, _ = rand.Read(b) // it never fails
	return secretPrefix + base64.StdEncoding.EncodeToString(b)
}

// rotate replaces the secret. Both sign for a day.
func (r *row) rotate(now time.Time) {
	r.FormerSecret, r.Secret, r.Rotated = r.Secret, newSecret(), now.Unix()
}

// secrets are the secrets that sign at a time.
func (r *row) secrets(now time.Time) []string {
	if r.FormerSecret != "" && now.Before(time.Unix(r.Rotated, 0).Add(formerSigns)) {
		return []string{r.Secret, r.FormerSecret}
	}
	return []string{r.Secret}
}

// sign returns the header webhook-signature of a message.
func sign(secrets []string, id string, at time.Time, body []byte) string {
	var signatures []string
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
		if err != nil {
			continue // only newSecret makes secrets
		}
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(id + "." + strconv.FormatInt(at.Unix(), 10) + "."))
		mac.Write(body)
		signatures = append(signatures, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	return strings.Join(signatures, " ")
}

type shownKey struct{}

// withShown returns a context in which a stored secret is noted, for the response to the
// request that made it. An Idempotency-Key does not repeat it, since it is not a part of the
// stored reply.
func withShown(ctx context.Context) (context.Context, *string) {
	shown := new(string)
	return context.WithValue(ctx, shownKey{}, shown), shown
}

func showSecret(ctx context.Context, secret string) {
	if shown, ok := ctx.Value(shownKey{}).(*string); ok {
		*shown = secret
	}
}
