package cli

import (
	_ "embed"
	"runtime/debug"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
)

//go:generate go run ../../../dev/stamp
//go:embed version.txt
var versionFile string

// Version returns the version of this build, such as 0.1.0.
func Version() string { return strings.TrimSpace(versionFile) }

// A Source names the sources of a build. Fields are empty if the build does not know them, as in
// one without Git.
type Source struct {
	Commit   string `json:"commit,omitempty"`   // hash in full
	Date     string `json:"date,omitempty"`     // time of the commit, RFC 3339, UTC
	Modified bool   `json:"modified,omitempty"` // files differed from the commit
	Module   string `json:"module,omitempty"`   // version that go install fetched
}

// BuildSource returns what the Go command recorded in this program. Equal sources give equal
// records: the date is that of the commit.
func BuildSource() Source {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Source{}
	}
	return sourceOf(info)
}

// sourceOf reads the record of a program. A program that go install fetched has the version of its
// module instead of a commit.
func sourceOf(info *debug.BuildInfo) Source {
	var s Source
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			s.Commit = setting.Value
		case "vcs.time":
			s.Date = setting.Value
		case "vcs.modified":
			s.Modified = setting.Value == "true"
		}
	}
	if s.Commit == "" && info.Main.Version != "(devel)" {
		s.Module = info.Main.Version
	}
	return s
}

// String returns the source in words, such as "commit 0123456789ab of 2026-11-23T15:36:18Z".
func (s Source) String() string {
	switch {
	case s.Commit != "" && s.Modified:
		return msg.Sprintf("commit %.12s of %s with changes", s.Commit, s.Date)
	case s.Commit != "":
		return msg.Sprintf("commit %.12s of %s", s.Commit, s.Date)
	case s.Module != "":
		return "module version " + s.Module
	}
	return "unknown commit"
}
