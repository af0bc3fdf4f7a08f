package server

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/onnxbackend/ask"
)

// TestWhatIfs checks the answers of the three questions about the first example bag, whose
// instances 15 and 21 are 8s, and 16 and 17 are 9s. Every answer is compared with the document.
func TestWhatIfs(t *testing.T) {
	_, url := serve(t, Options{})
	post := asker(t, url)
	var sets ask.SetsAnswer
	post("/v1/sets", `{"several": 2, "curves": true}`, &sets)
	if sets.Class != 3 || len(sets.Necessary.Sets) != 2 || len(sets.Sufficient.Sets) != 2 ||
		len(sets.Curves.Kept) == 0 {
		t.Errorf("sets %+v", sets)
	}
	var pairs ask.PairsAnswer
	post("/v1/pairs", `{"interaction": "shapley", "class": "an 8 and a 9"}`, &pairs)
	if pairs.Interaction != "shapley" || len(pairs.Pairs) != 29*28/2 {
		t.Errorf("%s, %d pairs", pairs.Interaction, len(pairs.Pairs))
	}
	var turn ask.TurnAnswer
	post("/v1/whatif", `{}`, &turn)
	if !slices.Equal(turn.Fewest.Removed, []int{15, 21}) || !turn.Turned {
		t.Errorf("whatif %+v", turn)
	}
	var added ask.TurnAnswer
	post("/v1/whatif", `{"index": 3, "donor_index": 0, "class": "3"}`, &added)
	if len(added.Fewest.Added) != 2 || added.Donor.Instances != 29 || !added.Above {
		t.Errorf("whatif %+v", added.Fewest)
	}
}

// asker returns a function that sends a request about the example bags and decodes the answer.
func asker(t *testing.T, url string) func(path, request string, to any) {
	return func(path, request string, to any) {
		t.Helper()
		status, _, body := post(t, url+path, "", digitParts(t, request)...)
		if status != http.StatusOK {
			t.Fatalf("%s: status %d, %s", path, status, body)
		}
		if err := json.Unmarshal(body, to); err != nil {
			t.Fatal(err)
		}
	}
}

// TestInsideGroupsAndCheck checks these routes with a sent model.
func TestInsideGroupsAndCheck(t *testing.T) {
	_, url := serve(t, Options{})
	post := asker(t, url)
	var in ask.InsideAnswer
	post("/v1/inside", `{"instance": 15, "cell": 7, "samples": 60}`, &in)
	if in.Rows != 4 || in.Columns != 4 || len(in.Evident) != 16 || in.Samples != 60 {
		t.Errorf("%d by %d cells, %d sets", in.Rows, in.Columns, in.Samples)
	}
	var alike ask.GroupsAnswer
	post("/v1/groups", `{"class": "1"}`, &alike)
	if len(alike.Groups) == 0 || alike.Class != 1 {
		t.Errorf("%d groups, class %d", len(alike.Groups), alike.Class)
	}
	var check ask.CheckAnswer
	post("/v1/check", `{"method": "one_removed"}`, &check)
	if check.Method != "one_removed" || check.Layers == nil || len(check.Layers.Steps) != 3 {
		t.Errorf("%s, %+v", check.Method, check.Layers)
	}
}

// TestWhatIfMistakes checks the problems of wrong requests.
func TestWhatIfMistakes(t *testing.T) {
	_, url := serve(t, Options{Limits: Limits{Budget: 100}})
	for _, c := range []struct {
		name, path, request string
		status              int
	}{
		{"an unknown key", "/v1/sets", `{"size": 2}`, http.StatusBadRequest},
		{"a wrong kind", "/v1/sets", `{"kind": "large"}`, http.StatusBadRequest},
		{"a wrong level", "/v1/sets", `{"level": 1}`, http.StatusBadRequest},
		{"a wrong class", "/v1/pairs", `{"class": "a 3"}`, http.StatusBadRequest},
		{"the budget of the server", "/v1/pairs", `{"budget": 100000000}`,
			http.StatusUnprocessableEntity},
		{"nothing to add", "/v1/whatif", `{"moves": "add"}`, http.StatusBadRequest},
		{"no such instance", "/v1/inside", `{"instance": 29}`, http.StatusBadRequest},
		{"a wrong share", "/v1/check", `{"marked": 2}`, http.StatusBadRequest},
		{"no such donor", "/v1/whatif", `{"donor_index": 99}`, http.StatusBadRequest},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, _, body := post(t, url+c.path, "", digitParts(t, c.request)...)
			if status != c.status {
				t.Errorf("status %d, want %d: %s", status, c.status, body)
			}
		})
	}
}

// TestBudgetOfServer: a request cannot raise the server's budget, whatever it asks.
func TestBudgetOfServer(t *testing.T) {
	_, url := serve(t, Options{Limits: Limits{Budget: 3}})
	for _, path := range []string{"/v1/explain", "/v1/sets", "/v1/pairs", "/v1/whatif",
		"/v1/inside", "/v1/check"} {
		t.Run(path, func(t *testing.T) {
			status, kind, body := post(t, url+path, "", digitParts(t, `{"budget": 1000000000}`)...)
			wantProblem(t, path, status, kind, body, "budget", "budget of 3 ")
		})
	}
	for _, path := range []string{"/v1/inside", "/v1/check"} { // they explain several bags
		t.Run(path+" that begins", func(t *testing.T) {
			_, url := serve(t, Options{Limits: Limits{Budget: 60}})
			status, kind, body := post(t, url+path, "", digitParts(t, `{"budget": 1000000000}`)...)
			wantProblem(t, path, status, kind, body, "budget", "")
		})
	}
}
