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

// stage fills a folder with what runs in the browser: the page, the npm package, ONNX Runtime and the site
// where they are there, models and bags. It returns the subjects whose files are at hand, and a sentence
// for each that is left out. With public, nothing is written that may not be shown to others.
func stage(ctx context.Context, root, shared, folder string, list []*Subject, public bool) (staged []*Subject, skipped []string, err error) {
	data := filepath.Join(folder, "data")
	if err := os.MkdirAll(data, 0o755); err != nil {
		return nil, nil, err
	}
	plans := []planned{}
	for _, s := range list {
		if public && s.private {
			skipped = append(skipped, s.ID+": what it was trained on is for research only")
			continue
		}
		err := s.stage(ctx, shared, data, public)
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
	more, err := copyPrograms(root, folder)
	return staged, append(skipped, more...), err
}

// planOf lists what the page measures with a subject.
func planOf(ctx context.Context, s *Subject) (planned, error) {
	p := planned{Subject: s}
	for _, task := range s.tasks {
		if !inBrowser(s, task) {
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

// copyPrograms copies what was built or installed, and tells what was not.
func copyPrograms(root, folder string) (skipped []string, err error) {
	ort := "tools/bench/node_modules/onnxruntime-web/dist/"
	for _, c := range []struct{ from, to, without string }{
		{"tools/bench/page", ".", ""},
		{"wasm/npm/dist", "bagscope", "the npm package is not built: run make wasm"},
		{"www/dist", "site", "the site is not built: run make www"},
		{ort + "ort.wasm.min.mjs", "ort/ort.wasm.min.mjs", "onnxruntime-web is not installed: run npm ci --ignore-scripts in tools/bench"},
		{ort + "ort-wasm-simd-threaded.mjs", "ort/ort-wasm-simd-threaded.mjs", ""},
		{ort + "ort-wasm-simd-threaded.wasm", "ort/ort-wasm-simd-threaded.wasm", ""},
	} {
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
