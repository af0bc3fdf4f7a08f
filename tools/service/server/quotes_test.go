package server

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/tools/service/jobs"
)

// mostAnswer bounds the JSON of a problem in bytes: its detail and its lists have msg.Whole bytes
// each, before quotes and backslashes are escaped.
const mostAnswer = 4 * msg.Whole

// hostileParts returns requests whose problems quote a giant token.
func hostileParts(t *testing.T) map[string][]part {
	giant := strings.Repeat("\x01", 8<<20)
	escaped := strings.Repeat(`\u0001`, 1<<17)
	model, bag := part{name: "model", data: []byte("model")}, part{"bag", "a.csv",
		[]byte("bag,f1\na,1\n")}
	sent := func(request string) []part {
		return []part{model, bag, {name: "request", data: []byte(request)}}
	}
	return map[string][]part{
		"cell of a CSV":   {model, {"bag", "a.csv", []byte("bag,f1\na," + giant)}},
		"name of a model": {{name: "model", data: []byte(giant)}, bag},
		"name of a part":  {model, bag, {name: strings.Repeat("n", 4<<20), data: []byte("x")}},
		"name of a file":  {model, {"bag", strings.Repeat("n", 4<<20) + ".csv", bag.data}},
		"card": {{"model", "m.onnx", load(t, digitModel)}, bag,
			{name: "card", data: []byte(`{"` + escaped + `":`)}},
		"key of a request":     sent(`{"` + escaped + `":1}`),
		"repeated key":         sent(`{"methods":{"` + escaped + `":1,"` + escaped + `":1}}`),
		"text of a request":    sent(`{"methods":["` + escaped + `"]}`),
		"number of a request":  sent(`{"samples":` + strings.Repeat("9", 1<<19) + `}`),
		"JSON that has no end": sent(`{"methods":["` + escaped),
		"adjacency of patches": sent(`{"adjacency":"` + escaped + `"}`),
		"class of a request":   sent(`{"classes":["` + escaped + `"]}`),
		"array of a request":   sent(`{"array":"` + escaped + `"}`),
		"two files of a model": {{"model", strings.Repeat("m", 1<<20), []byte(giant)}, bag},
		"control characters":   {model, {"bag", "a\u202eb.csv", []byte("bag,f1\na,\x1b[2J")}},
	}
}

// TestProblemsAreShort: whatever a request holds, the answer with its problem is small.
func TestProblemsAreShort(t *testing.T) {
	_, url := serve(t, Options{})
	for name, parts := range hostileParts(t) {
		t.Run(name, func(t *testing.T) {
			status, _, body := post(t, url+"/v1/explain", "", parts...)
			if status < 400 || len(body) > mostAnswer || bytes.ContainsAny(body, "\x1b\u202e") {
				t.Errorf("status %d and %d bytes: %.300s", status, len(body), body)
			}
			t.Logf("%.200s", body)
		})
	}
}

// TestProblemsOfJobsAreShort: the store of a job takes little more than its bags, whatever their
// errors quote.
func TestProblemsOfJobsAreShort(t *testing.T) {
	const bags = 60
	folder := t.TempDir()
	_, url, _ := keeping(t, folder, Options{}, jobs.Limits{})
	parts := []part{{name: "model", data: []byte("model")}}
	for i := range bags {
		parts = append(parts, part{"bag", fmt.Sprint(i, ".csv"),
			[]byte("bag,f1\na," + strings.Repeat("\x01", 1<<16))})
	}
	j := ended(t, url, addJob(t, url, parts...).ID)
	if j.Failed != bags {
		t.Fatalf("%d bags fail, want %d", j.Failed, bags)
	}
	_, _, body := get(t, url+"/v1/jobs/"+j.ID+"/results")
	if len(body) > bags*mostAnswer || len(body) < bags*100 {
		t.Errorf("the results have %d bytes", len(body))
	}
	stored := int64(0)
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			stored += info.Size()
		}
	}
	if most := int64(bags*(1<<16+mostAnswer)) * 2; err != nil || stored > most {
		t.Errorf("the store has %d bytes, want at most %d", stored, most)
	}
	t.Logf("%d bytes of results, %d bytes stored", len(body), stored)
}

// A problem lists as many nodes and files as fit, and counts the others.
func TestProblemListsWhatFits(t *testing.T) {
	names := make([]string, 80)
	for i := range names {
		names[i] = fmt.Sprint(strings.Repeat("n", 200), i)
	}
	found, more := listed(names, short, func(s string) int { return len(s) })
	if len(found)+more != len(names) || len(found) < 15 || len(found) > 25 {
		t.Errorf("%d are listed and %d are not", len(found), more)
	}
}
