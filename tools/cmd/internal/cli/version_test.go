package cli

import (
	"runtime/debug"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestSource reads records as the Go command writes them.
func TestSource(t *testing.T) {
	stamp := []debug.BuildSetting{{Key: "vcs", Value: "git"},
		{Key: "vcs.revision", Value: "81ca35322f0c5b1b7b0f9a6f7c1b0a5d4e3f2a1b"},
		{Key: "vcs.time", Value: "2026-11-23T15:36:18Z"}, {Key: "vcs.modified", Value: "false"}}
	changed := append(stamp[:3:3], debug.BuildSetting{Key: "vcs.modified", Value: "true"})
	for _, c := range []struct {
		name, module string
		settings     []debug.BuildSetting
		want         string
	}{
		{"clean clone", "v0.1.0", stamp, "commit 81ca35322f0c of 2026-11-23T15:36:18Z"},
		{"changed clone", "(devel)", changed,
			"commit 81ca35322f0c of 2026-11-23T15:36:18Z with changes"},
		{"go install", "v0.1.0", nil, "module version v0.1.0"},
		{"no Git", "(devel)", nil, "unknown commit"},
		{"test", "", nil, "unknown commit"},
	} {
		t.Run(c.name, func(t *testing.T) {
			info := &debug.BuildInfo{Main: debug.Module{Version: c.module}, Settings: c.settings}
			must.Equal(t, sourceOf(info).String(), c.want)
		})
	}
}
