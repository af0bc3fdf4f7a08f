package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/tools/service/jobs"
)

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
			if status < 400 || len(body) > msg.Whole || bytes.ContainsAny(body, "\x1b\u202e") {
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
	must.Equal(t, j.Failed, bags)
	_, _, body := get(t, url+"/v1/jobs/"+j.ID+"/results")
	must.Equal(t, len(body) <= bags*2*msg.Whole, true, len(body))
	must.Equal(t, len(body) >= bags*100, true, len(body))
	stored := int64(0)
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			stored += info.Size()
		}
	}
	if most := int64(bags*(1<<16+4*msg.Whole)) * 2; err != nil || stored > most {
		t.Errorf("the store has %d bytes, want at most %d", stored, most)
	}
	t.Logf("%d bytes of results, %d bytes stored", len(body), stored)
}

// A problem has at most 4 kB, whatever its parts, and counts the nodes and files that do not fit.
func TestProblemsFit(t *testing.T) {
	for what, unit := range map[string]string{"letters": "n", "quotes": `"`, "backslashes": `\`,
		"hidden characters": "\u202e"} {
		giant := strings.Repeat(unit, 1<<16)
		unsupported, missing := &onnxbackend.UnsupportedError{}, &onnxbackend.MissingError{}
		for range 200 {
			unsupported.Nodes = append(unsupported.Nodes, onnxbackend.UnsupportedNode{Node: giant,
				Op: giant, Domain: giant, Reason: "it is unknown"})
			missing.Files = append(missing.Files, giant)
		}
		for kind, err := range map[string]error{
			"nodes": unsupported, "files": missing,
			"setting": &core.SettingError{Setting: giant, Reason: giant},
			"detail":  &core.BagError{Bag: giant, Reason: giant},
		} {
			t.Run(kind+" of "+what, func(t *testing.T) {
				p := asProblem(err)
				p.Instance, p.ProtocolError = "urn:bagscope:request:1234", p.Detail
				data := p.encode()
				if len(data) > msg.Whole || len(data) < 500 || !json.Valid(data) {
					t.Errorf("%d bytes: %.200s", len(data), data)
				}
				must.Equal(t, p.Detail, p.ProtocolError)
				must.Equal(t, p.Detail != "", true, p.Detail, p.ProtocolError)
				if n := len(p.Nodes) + len(p.Files); p.More > 0 && n+p.More != 200 {
					t.Errorf("%d are listed and %d are not", n, p.More)
				}
			})
		}
	}
	gap := asProblem(&onnxbackend.UnsupportedError{Nodes: []onnxbackend.UnsupportedNode{
		{Node: "n", Op: "Odd", Domain: "d", Opset: 7, Reason: "it is unknown"}}})
	must.EqualSlices(t, gap.Nodes, []Gap{{"n", "Odd", "d", 7, "it is unknown"}})
	small := asProblem(&onnxbackend.MissingError{Files: []string{"a", "b"}})
	if small.encode(); len(small.Files) != 2 || small.More != 0 {
		t.Errorf("of a short list, %v is listed", small.Files)
	}
}

// A line of the log has at most 4 kB and no hidden character, whatever its text.
func TestLogLinesAreShort(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{ReplaceAttr: ShortAttr}))
	for _, unit := range []string{"n", `"`, `\`, "\n", "\x01", "\u202e", "\xff", "<", "ü"} {
		giant := strings.Repeat(unit, 1<<16)
		for name, write := range map[string]func(){
			"error":   func() { log.Error("failure", "job", "1234", "item", 7, "error", giant) },
			"message": func() { slog.NewLogLogger(log.Handler(), slog.LevelWarn).Print(giant) },
		} {
			out.Reset()
			write()
			line := strings.TrimSuffix(out.String(), "\n")
			if len(line) > msg.Whole || len(line) < 80 || msg.Line(line) != line {
				t.Errorf("the line with an %s of %q has %d bytes: %.200q", name, unit, len(line),
					line)
			}
		}
	}
}
