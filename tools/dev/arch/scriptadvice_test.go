package arch

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// proposes matches a text in TypeScript or Python that states something and then proposes a way
// out, by a verb.
var proposes = regexp.MustCompile(`(?s)[;.,] ((?i:add|allow|call|choose|` +
	`close|convert|copy|correct|drop|enter|explain|export|fill|increase|install|leave|load|` +
	`lower|make|name|omit|open|pass|raise|reload|remove|rename|save|set|start|state|` +
	`take|turn|unset|use|write)\b[^…]{0,24})`)

// scripts are the sources of the npm package, of the page and of the Python package whose texts
// state problems with files, models and settings. Those of bagscope.export, which need PyTorch and
// Keras, have tests of their own.
var scripts = regexp.MustCompile(`^(wasm/npm/src/.*\.ts|www/src/look/.*\.(ts|svelte)|` +
	`www/src/strings/en/(look/files|look/page|read|tiling)\.ts|` +
	`tools/python/src/bagscope/[^/]*\.py)$`)

// generated matches files that declare options: their texts describe and do not propose.
var generated = regexp.MustCompile(`^(wasm/npm/src/(readoptions|methods|options)\.ts|` +
	`wasm/npm/src/element/style\.ts|tools/python/src/bagscope/_tables\.py)$`)

// scriptAdvice returns the texts of scripts that propose a way out.
func scriptAdvice(t *testing.T) (texts []string) {
	for _, name := range trackedFiles(t) {
		if !scripts.MatchString(name) || generated.MatchString(name) {
			continue
		}
		source := must.Get(os.ReadFile("../../../" + name))(t)
		for _, text := range syntaxOf(name).literals(string(source)) {
			if proposes.MatchString(text) {
				texts = append(texts, strings.ReplaceAll(text, "\n", `\n`))
			}
		}
	}
	return texts
}

// quotesAdvice reports whether a file of tests quotes what a text proposes. Tests in TypeScript and
// Python have no book: the words are in the case that follows them.
func quotesAdvice(t *testing.T, file, text string) bool {
	source, err := os.ReadFile("../../../" + file)
	found := proposes.FindStringSubmatchIndex(text)
	if err != nil || found == nil {
		return false
	}
	words := strings.TrimSpace(text[found[2]:found[3]])
	if len(words) < 8 { // hardly more than the verb
		words = text[strings.LastIndex(text[:found[2]], "…")+1 : found[3]]
	}
	quoted := append(syntaxOf(file).literals(string(source)), string(source))
	return slices.ContainsFunc(quoted, func(q string) bool { return strings.Contains(q, words) })
}

// TestLiterals checks which strings are found, and how they are joined.
func TestLiterals(t *testing.T) {
	for _, c := range []struct {
		source string
		file   string
		want   []string
	}{
		{`a = "one " + 'two' // "none"`, "a.ts", []string{"one two"}},
		{"x(`the ${f({ a: 1 })} is ` + `bad`, \"it's\")", "a.ts", []string{"the … is bad", "it's"}},
		{`if (/["']/.test(a)) b = a / 2 + 'c' / 3`, "a.ts", []string{"c"}},
		{`/* "none" */ f('a\'b')`, "a.ts", []string{"a'b"}},
		{`x = f"a {b['c']} " "d"  # "none"`, "a.py", []string{"a … d"}},
		{"\"\"\"Not \"this\".\"\"\"\nf('x', \"\"\"nor this\"\"\")", "a.py", []string{"x"}},
		{`f"{{a}} {b}" ; 'c'`, "a.py", []string{"{a} …", "c"}},
	} {
		must.Equal(t, strings.Join(syntaxOf(c.file).literals(c.source), "|"),
			strings.Join(c.want, "|"), c.source)
	}
}
