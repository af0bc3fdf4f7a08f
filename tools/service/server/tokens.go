package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net/http"
	"os"
	"strings"
)

// Tokens are the words that let a client in.
type Tokens struct{ sums [][sha256.Size]byte }

// shortestToken is how long a token must be to be hard to guess.
const shortestToken = 16

// ReadTokens reads a file with a token a line; empty lines and those that begin with # are left out.
func ReadTokens(file string) (*Tokens, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("the file of tokens cannot be read: %w", err)
	}
	t := &Tokens{}
	number := 0
	for line := range strings.Lines(string(data)) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if len(line) < shortestToken || strings.ContainsAny(line, " \t") {
			return nil, fmt.Errorf("%s, line %d: a token has at least %d characters and no blanks", file, number, shortestToken)
		}
		t.sums = append(t.sums, sha256.Sum256([]byte(line)))
	}
	if t.sums == nil {
		return nil, fmt.Errorf("%s holds no token", file)
	}
	return t, nil
}

// allow reports whether a request has a token. How long that takes says nothing of the tokens.
func (t *Tokens) allow(r *http.Request) bool {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return false
	}
	sum := sha256.Sum256([]byte(strings.TrimSpace(token)))
	found := 0
	for _, one := range t.sums {
		found |= subtle.ConstantTimeCompare(sum[:], one[:])
	}
	return found == 1
}
