package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// A planned tells the page what to measure with a subject.
type planned struct {
	*Subject
	Tasks []plannedTask `json:"tasks"`
}

type plannedTask struct {
	Task       string  `json:"task"`
	Coalitions int     `json:"coalitions,omitempty"`
	Sample     [][]int `json:"sample,omitempty"`
}

// pageSample is how many coalitions of a loop the page measures.
const pageSample = 5

// stage writes models and bags to a folder, and programs beside them. It returns the subjects whose
// files are at hand, and a sentence for each that is left out and for programs that are not there.
func stage(
	ctx context.Context, root, shared, folder string, list []*Subject, programs []program,
) (staged []*Subject, skipped []string, err error) {
	data := filepath.Join(folder, "data")
	if err := os.MkdirAll(data, 0o755); err != nil {
		return nil, nil, err
	}
	plans := []planned{}
	for _, s := range list {
		err := s.stage(ctx, shared, data)
		if absent := (*absentError)(nil); errors.As(err, &absent) {
			skipped = append(skipped, s.ID+": "+err.Error())
			continue
		} else if err != nil {
			return nil, nil, err
		}
		staged = append(staged, s)
		if s.alone {
			continue // the page shows engines beside each other
		}
		p, err := planOf(ctx, s)
		if err != nil {
			return nil, nil, err
		}
		plans = append(plans, p)
	}
	text, err := json.Marshal(plans)
	if err != nil {
		return nil, nil, err
	}
	if err := os.WriteFile(filepath.Join(data, "subjects.json"), text, 0o644); err != nil {
		return nil, nil, err
	}
	more, err := copyPrograms(root, folder, programs)
	return staged, append(skipped, more...), err
}

// planOf lists what the page measures with a subject.
func planOf(ctx context.Context, s *Subject) (planned, error) {
	p := planned{Subject: s}
	for _, task := range s.tasks {
		if !inBrowser(task) || !hasLoop(task) {
			continue
		}
		t := plannedTask{Task: task}
		z, err := loopOf(ctx, s, task)
		if err != nil {
			return p, err
		}
		if task != taskForward {
			t.Coalitions, t.Sample = z.Len(), sample(z, pageSample)
		}
		p.Tasks = append(p.Tasks, t)
	}
	return p, nil
}

// A program is a file or folder of what runs in the browser.
type program struct{ from, to, without string }

const ort = "tools/dev/bench/node_modules/onnxruntime-web/dist/"

// onPage is what the page needs that anybody can open.
var onPage = []program{
	{"www/bench", ".", ""},
	{"wasm/npm/dist", "bagscope", "the npm package is not built: run make wasm"},
	{ort + "ort.wasm.min.mjs", "ort/ort.wasm.min.mjs",
		"onnxruntime-web is not installed: run npm ci --ignore-scripts in tools/dev/bench"},
	{ort + "ort-wasm-simd-threaded.mjs", "ort/ort-wasm-simd-threaded.mjs", ""},
	{ort + "ort-wasm-simd-threaded.wasm", "ort/ort-wasm-simd-threaded.wasm", ""},
}

// forColdStarts is what a start from nothing is measured on besides.
var forColdStarts = []program{
	{"tools/dev/bench/cold", ".", ""},
	{"www/dist", "site", "the site is not built: run make www"},
}

// copyPrograms copies what was built or installed, and tells what was not.
func copyPrograms(root, folder string, programs []program) (skipped []string, err error) {
	for _, c := range programs {
		err := copyAll(filepath.Join(root, c.from), filepath.Join(folder, c.to))
		if errors.Is(err, fs.ErrNotExist) {
			if c.without != "" {
				skipped = append(skipped, c.without)
			}
		} else if err != nil {
			return nil, err
		}
	}
	return skipped, nil
}

// copyAll copies a file, or a folder with all in it.
func copyAll(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rest, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rest)
		if d.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		return os.WriteFile(target, data, 0o644)
	})
}
