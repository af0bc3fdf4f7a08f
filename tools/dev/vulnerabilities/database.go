package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// database is the module with the reports of Go's database of vulnerabilities.
const database = "golang.org/x/vulndb@latest"

// A report is what the index needs of a report in OSV (ossf.github.io/osv-schema).
type report struct {
	ID        string     `json:"id"`
	Modified  time.Time  `json:"modified"`
	Withdrawn *time.Time `json:"withdrawn"`
	Affected  []struct {
		Package struct {
			Name string `json:"name"`
		} `json:"package"`
	} `json:"affected"`
}

// An indexed is a report in the index of a module (go.dev/doc/security/vuln/database).
type indexed struct {
	ID       string    `json:"id"`
	Modified time.Time `json:"modified"`
}

// A module is an entry of the index.
type module struct {
	Path  string    `json:"path"`
	Vulns []indexed `json:"vulns"`
}

// writeDatabase downloads the database and writes it to a folder in the form that govulncheck
// reads. It returns the database's version, which has its date.
func writeDatabase(ctx context.Context, folder string) (version string, err error) {
	c := exec.CommandContext(ctx, "go", "mod", "download", "-json", database)
	c.Dir, c.Env = os.TempDir(), append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	out, err := c.Output()
	var got struct{ Version, Dir, Error string }
	if parsed := json.Unmarshal(out, &got); err != nil || parsed != nil || got.Error != "" {
		return "", fmt.Errorf("%s cannot be downloaded: %s (%v); "+
			"set GOPROXY to a proxy that has it", database, got.Error, err)
	}
	files, err := filepath.Glob(filepath.Join(got.Dir, "data", "osv", "*.json"))
	if err != nil {
		return "", err
	}
	if len(files) == 0 {
		return "", fmt.Errorf("%s %s has no reports in data/osv", database, got.Version)
	}
	return got.Version, writeReports(files, folder)
}

// writeReports writes reports with their index. Withdrawn reports are left out.
func writeReports(files []string, folder string) error {
	byPath := map[string]*module{}
	modules, newest := []*module{}, time.Time{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var r report
		if err := json.Unmarshal(text, &r); err != nil || r.ID == "" {
			return fmt.Errorf("%s is not a report: %v", file, err)
		}
		if r.Withdrawn != nil {
			continue
		}
		if r.Modified.After(newest) {
			newest = r.Modified
		}
		for _, a := range r.Affected {
			m := byPath[a.Package.Name]
			if m == nil {
				m = &module{Path: a.Package.Name}
				byPath[m.Path], modules = m, append(modules, m)
			}
			if n := len(m.Vulns); n == 0 || m.Vulns[n-1].ID != r.ID {
				m.Vulns = append(m.Vulns, indexed{r.ID, r.Modified})
			}
		}
		if err := write(text, folder, "ID", r.ID+".json"); err != nil {
			return err
		}
	}
	for name, value := range map[string]any{"modules": modules,
		"db": struct {
			Modified time.Time `json:"modified"`
		}{newest}} {
		text, err := json.Marshal(value)
		if err != nil {
			return err
		}
		if err := write(text, folder, "index", name+".json"); err != nil {
			return err
		}
	}
	return nil
}

// write writes a file and the folders above it.
func write(text []byte, path ...string) error {
	name := filepath.Join(path...)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o644)
}
