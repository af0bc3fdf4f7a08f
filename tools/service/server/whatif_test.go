package server

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/tools/service/query"
)

// TestWhatIfs checks the answers of the three questions about the first example bag, whose
// instances 15 and 21 are 8s, and 16 and 17 are 9s. Every answer is compared with the document.
func TestWhatIfs(t *testing.T) {
	_, url := serve(t, Options{})
	ask := func(path, request string, to any) {
		t.Helper()
		status, _, body := post(t, url+path, "", digitParts(t, request)...)
		if status != http.StatusOK {
			t.Fatalf("%s: status %d, %s", path, status, body)
		}
		if err := json.Unmarshal(body, to); err != nil {
			t.Fatal(err)
		}
	}
	var sets query.SetsAnswer
	ask("/v1/sets", `{"several": 2, "curves": true}`, &sets)
	if sets.Class != 3 || len(sets.Necessary.Sets) != 2 || len(sets.Sufficient.Sets) != 2 ||
		len(sets.Curves.Kept) == 0 {
		t.Errorf("sets %+v", sets)
	}
	var pairs query.PairsAnswer
	ask("/v1/pairs", `{"interaction": "shapley", "class": "an 8 and a 9"}`, &pairs)
	if pairs.Interaction != "shapley" || len(pairs.Pairs) != 29*28/2 {
		t.Errorf("%s, %d pairs", pairs.Interaction, len(pairs.Pairs))
	}
	var turn query.TurnAnswer
	ask("/v1/whatif", `{}`, &turn)
	if !slices.Equal(turn.Fewest.Removed, []int{15, 21}) || !turn.Turned {
		t.Errorf("whatif %+v", turn)
	}
	var added query.TurnAnswer
	ask("/v1/whatif", `{"index": 3, "donor_index": 0, "class": "3"}`, &added)
	if len(added.Fewest.Added) != 2 || added.Donor.Instances != 29 || !added.Above {
		t.Errorf("whatif %+v", added.Fewest)
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
