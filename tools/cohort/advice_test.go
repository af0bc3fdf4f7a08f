package cohort

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/bagscope/bagscope/internal/advice"
	"github.com/bagscope/bagscope/internal/must"
)

// TestFollowedFolders gives the options that errors about job folders name. Cohorts of buckets are
// not run: their options are then valid.
func TestFollowedFolders(t *testing.T) {
	book := advice.Of(t)
	job, model := trident(t), repo(t, featureModel)
	clam := jobFolder(t, map[string]string{"pt_files/a.pt": "f32.pt"})
	chosen := Options{Folder: Folder{Trident: job, Model: model, Features: "features_uni_v1"}}
	bucket := Options{Manifest: "gs://b/m.jsonl", Out: "gs://b/out", Runner: "dataflow"}
	for words, c := range map[string]struct{ wrong, right Options }{
		"choose one by --features": {Options{Folder: Folder{Trident: job, Model: model}}, chosen},
		"--job_dir of TRIDENT":     {Options{Folder: Folder{Trident: clam, Model: model}}, chosen},
		"--feat_dir of CLAM": {Options{Folder: Folder{Clam: job, Model: model}},
			Options{Folder: Folder{Clam: clam, Model: model}}},
		"by --trident or --clam": {Options{}, chosen},
		"write a --manifest":     {Options{Folder: Folder{Clam: "s3://b/x", Model: model}}, bucket},
		"use --manifest with": {Options{Folder: Folder{Clam: clam, Model: model},
			Runner: "dataflow"}, bucket},
		"use --manifest and --out": {Options{Manifest: "m.jsonl", Runner: "dataflow"}, bucket},
	} {
		t.Run(words, func(t *testing.T) {
			c.wrong.Out = filepath.Join(t.TempDir(), "out")
			_, err := Run(t.Context(), c.wrong)
			must.Fail(t, err)
			book.Read(t, err.Error(), words)
			if c.right.Out != "" {
				must.Do(t, c.right.checkFiles())
				must.Do(t, c.right.checkRunner())
				return
			}
			c.right.Out = filepath.Join(t.TempDir(), "out")
			c.right.Request = json.RawMessage(`{"methods":["single"]}`)
			if s := run(t, c.right); s.Finished == 0 || s.Failed != 0 {
				t.Errorf("%+v", s)
			}
		})
	}
}
