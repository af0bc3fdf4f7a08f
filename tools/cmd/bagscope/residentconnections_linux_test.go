package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestResidentMemoryOfConnections: clients without a token open more connections than are allowed,
// each with half a long header. The resident set stays within --memory and what the program may
// take, and a client with the token is answered.
func TestResidentMemoryOfConnections(t *testing.T) {
	const limit = 10.
	tokens := filepath.Join(t.TempDir(), "tokens")
	must.Do(t, os.WriteFile(tokens, []byte("0123456789abcdef\n"), 0o600))
	url, c := servingChild(t, "--token-file", tokens, "--memory", fmt.Sprint(limit))
	request := must.Get(http.NewRequestWithContext(t.Context(), "GET", url+"/v1/models", nil))(t)
	request.Header.Set("Authorization", "Bearer 0123456789abcdef")
	rest := resident(t, c.Process.Pid, "VmRSS")
	header := "GET / HTTP/1.1\r\nHost: localhost\r\nA: " + strings.Repeat("a", 15<<10)
	for range 1500 {
		attacker := must.Get(net.Dial("tcp", strings.TrimPrefix(url, "http://")))(t)
		defer attacker.Close()
		must.Get(attacker.Write([]byte(header)))(t)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil || response.Body.Close() != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("a client with a token: %v", err)
	}
	peak := resident(t, c.Process.Pid, "VmHWM")
	t.Logf("%.0f MB at rest, at most %.0f MB with 1500 connections", rest, peak)
	must.Equal(t, peak <= limit+programMB, true, peak, limit, programMB)
}
