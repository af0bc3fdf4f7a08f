package arch

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// nouns are the words in -ing that name a thing, so that a file may have them as its name.
var nouns = []string{"binding", "encoding", "listing", "meaning", "ranking", "sampling",
	"string", "tiling"}

// lastWord matches a source file whose name ends with a word in -ing.
var lastWord = regexp.MustCompile(
	`([A-Z]?[a-z]*ing)(_test)?(\.test|\.svelte)*\.(go|ts|svelte|py|mjs)$`)

// TestFileNames finds source files that are named by what they do, such as opening.ts, and not by
// what they hold.
func TestFileNames(t *testing.T) {
	for _, file := range trackedFiles(t) {
		if word := gerund(file); word != "" {
			t.Errorf("%s is named by what it does; name it by what it holds. If %q is a thing, "+
				"add it to nouns", file, word)
		}
	}
}

// gerund returns the last word of a source file's name if it is a verb in -ing, else "".
func gerund(file string) string {
	m := lastWord.FindStringSubmatch(file)
	if m == nil || slices.Contains(nouns, strings.ToLower(m[1])) {
		return ""
	}
	return m[1]
}

// TestGerund names files by verbs and by nouns.
func TestGerund(t *testing.T) {
	for file, want := range map[string]string{
		"www/src/opening.ts":          "opening",
		"www/src/opening.svelte.ts":   "opening",
		"www/tests/opening.test.ts":   "opening",
		"a/Removing.svelte":           "Removing",
		"a/batching_test.go":          "batching",
		"a/test_opening.py":           "opening",
		"a/patch_cutting.go":          "cutting",
		"a/OpeningBar.svelte":         "",
		"a/opening/bar.go":            "",
		"a/query_string.go":           "",
		"a/Listing.svelte":            "",
		"www/docs/choosing.md":        "",
		"tools/src/_encoding.py":      "",
		"www/tests/tiling.test.ts":    "",
		"www/tests/rebinding.test.ts": "rebinding",
	} {
		must.Equal(t, gerund(file), want, file)
	}
}
