package server

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/service/jobs"
)

// occupy takes n places of a client.
func occupy(t *testing.T, s *Server, client string, n int) {
	t.Helper()
	for range n {
		must.Do(t, s.watching.enter(client))
	}
}

// TestWatchers: no more than some requests watch jobs or fetch results at a time.
func TestWatchers(t *testing.T) {
	s, url, _ := keeping(t, t.TempDir(), Options{}, jobs.Limits{})
	j := addJob(t, url, digitParts(t, `{"methods":["milli"],"index":0,"samples":20}`)...)
	for _, client := range []string{"a", "b", "c", "d"} {
		occupy(t, s, client, maxWatching/4)
	}
	status, kind, body := get(t, url+"/v1/jobs/"+j.ID+"/results")
	wantProblem(t, "one too many", status, kind, body, "busy", "256 requests")
	s.watching.leave("d")
	if status, _, _ := get(t, url+"/v1/jobs/"+j.ID+"/results"); status != http.StatusOK {
		t.Errorf("status %d", status)
	}
}

// TestWatchersShare: a token that has its share of the places does not keep others from watching,
// and neither does an address of a server without tokens.
func TestWatchersShare(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens")
	const greedy, honest = "Bearer 0123456789abcdef", "Bearer fedcba9876543210"
	must.Do(t, os.WriteFile(file, []byte("0123456789abcdef\nfedcba9876543210\n"), 0o600))
	tokens := must.Get(ReadTokens(file))(t)
	store := must.Get(jobs.Open(t.TempDir(), jobs.Limits{}))(t)
	t.Cleanup(func() { store.Close() })
	s, url := serve(t, Options{Tokens: tokens, Jobs: store})
	j := must.Get(s.Jobs.Add(jobs.New{Spec: []byte("{}"), Items: [][]byte{[]byte("{}")}}))(t)
	r := request(t, "GET", url+"/v1/jobs/"+j.ID+"/results", "Authorization: "+greedy)
	occupy(t, s, s.client(r), maxWatchingEach)
	status, kind, body := send(t, r)
	wantProblem(t, "the greedy token", status, kind, body, "busy", "64 requests of this client")
	r = request(t, "GET", url+"/v1/jobs/"+j.ID+"/results", "Authorization: "+honest)
	if status, _, body := send(t, r); status != http.StatusOK {
		t.Errorf("the honest token: %d %s", status, body)
	}
	s, url = serve(t, Options{Jobs: store})
	occupy(t, s, "127.0.0.1", maxWatchingEach)
	status, kind, body = get(t, url+"/v1/jobs/x/results")
	wantProblem(t, "this address", status, kind, body, "busy", "64 requests of this client")
	r = request(t, "GET", url+"/v1/jobs/x/results", "Authorization: "+honest)
	status, kind, body = send(t, r)
	wantProblem(t, "this address with a token that nobody reads", status, kind, body, "busy",
		"64 requests of this client")
}
