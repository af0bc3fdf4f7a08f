package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"os"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
)

// Tokens are the secrets that give clients access. Only their hashes are in memory.
type Tokens struct{ sums [][sha256.Size]byte }

// shortestToken is the smallest length of a token that is hard to guess.
const shortestToken = 16

// ReadTokens reads a file with one token per line. It ignores empty lines and lines that begin with
// #. Errors name the line but never contain a token.
func ReadTokens(file string) (*Tokens, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, msg.Errorf("the token file cannot be read: %w", err)
	}
	t := &Tokens{}
	for number, line := range strings.Split(string(data), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if len(line) < shortestToken || strings.ContainsAny(line, " \t") {
			return nil, msg.Errorf(
				"%s, line %d: a token must have at least %d characters and no blanks", file, number+
					1,
				shortestToken)
		}
		t.sums = append(t.sums, sha256.Sum256([]byte(line)))
	}
	// An empty file would otherwise reject every client.
	if t.sums == nil {
		return nil, msg.Errorf("%s contains no token", file)
	}
	return t, nil
}

// bearer returns the hash of the token of a request, or false if it has none.
func bearer(r *http.Request) (sum [sha256.Size]byte, ok bool) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return sha256.Sum256([]byte(strings.TrimSpace(token))), strings.EqualFold(scheme, "Bearer")
}

// client names the client of a request that has access: its token's hash or, without tokens, the
// address of its machine.
func (s *Server) client(r *http.Request) string {
	if sum, ok := bearer(r); ok && s.Tokens != nil {
		return string(sum[:])
	}
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	return host
}

// allow reports whether a request has a valid token. Its time does not depend on the tokens.
func (t *Tokens) allow(r *http.Request) bool {
	// Hashes have equal lengths, and every one is compared, so that the time does not depend on a
	// match.
	sum, ok := bearer(r)
	if !ok {
		return false
	}
	found := 0
	for _, one := range t.sums {
		found |= subtle.ConstantTimeCompare(sum[:], one[:])
	}
	return found == 1
}
