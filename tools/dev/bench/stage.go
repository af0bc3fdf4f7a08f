package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// A pagePlan lists the tasks that the page measures with a subject.
type pagePlan struct {
	*Subject
	Tasks []pageTask `json:"tasks"`
}

// A pageTask is a task with the number of its coalitions and a sample of them.
type pageTask struct {
	Task       string  `json:"task"`
	Coalitions int     `json:"coalitions,omitempty"`
	Sample     [][]int `json:"sample,omitempty"`
}

// pageSample is the number of coalitions of a loop that the page measures.
const pageSample = 5

// stage writes models, bags and programs to a folder. It returns the subjects whose files exist,
// and a sentence for each subject and program that is missing. Files are relative to the
// repository's root; those of restricted subjects are relative to the folder in BAGSCOPE_SHARED.
func stage(
	ctx context.Context, root, folder string, list []*Subject, programs []program,
) (staged []*Subject, skipped []string, err error) {
	data := filepath.Join(folder, "data")
	if err := os.MkdirAll(data, 0o755); err != nil {
		return nil, nil, err
	}
	plans := []pagePlan{}
	for _, s := range list {
		from := root
		if s.restricted {
			if from = os.Getenv("BAGSCOPE_SHARED"); from == "" {
				skipped = append(skipped, s.ID+": its model and bags may not be shipped; set "+
					"BAGSCOPE_SHARED to the folder that holds them")
				continue
			}
		}
		if err := s.stage(ctx, from, data); errors.Is(err, fs.ErrNotExist) {
			skipped = append(skipped, s.ID+": a file is missing: "+err.Error())
			continue
		} else if err != nil {
			return nil, nil, err
		}
		staged = append(staged, s)
		if s.withoutPeers {
			continue // the page compares engines
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

// planOf returns the tasks that the page measures with a subject.
func planOf(ctx context.Context, s *Subject) (pagePlan, error) {
	p := pagePlan{Subject: s}
	for _, task := range s.tasks {
		if !inBrowser(task) || !hasLoop(task) {
			continue
		}
		t := pageTask{Task: task}
		z, err := coalitionsOf(ctx, s, task)
		if err != nil {
			return p, err
		}
		// A forward pass is one coalition, which needs no sample.
		if task != taskForward {
			t.Coalitions, t.Sample = z.Len(), sample(z, pageSample)
		}
		p.Tasks = append(p.Tasks, t)
	}
	return p, nil
}

// A program is a file or folder that the browser loads. If it is missing and without is not "", the
// report states the sentence without.
type program struct{ from, to, without string }

// ort is the folder of onnxruntime-web.
const ort = "tools/dev/bench/node_modules/onnxruntime-web/dist/"

// onPage lists the programs of the page that measures a visitor's browser.
var onPage = []program{
	{"www/bench", ".", ""},
	{"wasm/npm/dist", "bagscope", "the npm package is not built: run make wasm"},
	{ort + "ort.wasm.min.mjs", "ort/ort.wasm.min.mjs",
		"onnxruntime-web is not installed: run npm ci --ignore-scripts in tools/dev/bench"},
	{ort + "ort-wasm-simd-threaded.mjs", "ort/ort-wasm-simd-threaded.mjs", ""},
	{ort + "ort-wasm-simd-threaded.wasm", "ort/ort-wasm-simd-threaded.wasm", ""},
}

// forColdStarts lists the additional programs for cold starts.
var forColdStarts = []program{
	{"tools/dev/bench/cold", ".", ""},
	{"www/dist", "site", "the site is not built: run make www"},
}

// copyPrograms copies the programs that exist, and returns a sentence for each that is missing.
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

// copyAll copies a file, or a folder with its content. It replaces existing files, because -page
// may write to the same folder again.
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
