package core

import (
	"fmt"
	"slices"
	"strings"
)

// DefaultMethod is the name of the method that explains where none is asked for. It has no settings
// that a user would have to know.
const DefaultMethod = "consensus"

// MethodInfo is a row of the table of methods, which feeds the command line, the page and the
// documentation.
type MethodInfo struct {
	Name    string   // "one_removed"
	Title   string   // "One Removed"
	Summary string   // one sentence
	Cost    string   // model evaluations, as a formula in k and n
	Options []string // names of the options that it takes, as in MethodOptions
	New     func(Options) Method
}

var (
	sampled = []string{"samples", "paired", "repeats", "coalitions", "preset"}
	guidedO = []string{"samples", "paired", "coalitions", "preset"}
)

// Methods is the table of all methods, the paper's nine in its order, then ours.
func Methods() []MethodInfo {
	return []MethodInfo{
		{"inherent", "Inherent", "What the model itself says of its instances: attention, " +
			"instance probabilities, cluster weights.", "1", nil,
			func(Options) Method { return Inherent{} }},
		{"single", "Single", "The prediction for each instance alone.", "k", nil,
			func(Options) Method { return Single{} }},
		{"one_removed", "One Removed", "What the prediction loses without the instance.", "k + 1",
			nil,
			func(Options) Method { return OneRemoved{} }},
		{"combined", "Combined", "The mean of Single and One Removed.", "2k + 1", nil,
			func(Options) Method { return Combined{} }},
		{"random_shap", "Random SHAP",
			"An additive surrogate of random coalitions under the Shapley kernel.", "n",
			slices.Concat(sampled, []string{"efficiency"}),
			func(o Options) Method { return RandomSHAP{o.sampling(), o.Efficiency} }},
		{"guided_shap", "Guided SHAP", "The same surrogate of the smallest and largest coalitions.",
			"n", slices.Concat(guidedO, []string{"efficiency"}),
			func(o Options) Method { return GuidedSHAP{o.sampling(), o.Efficiency} }},
		{"random_lime", "Random LIME",
			"An additive surrogate of random coalitions, weighted by nearness to the bag.", "n",
			slices.Concat(sampled, []string{"mean-bag", "distance"}),
			func(o Options) Method { return RandomLIME{o.sampling(), o.lime()} }},
		{"guided_lime", "Guided LIME", "The same surrogate of the largest coalitions.", "n",
			slices.Concat(guidedO, []string{"mean-bag", "distance"}),
			func(o Options) Method { return GuidedLIME{o.sampling(), o.lime()} }},
		{"milli", "MILLI", "An additive surrogate of coalitions drawn by how instances rank alone.",
			"k + n", slices.Concat(sampled, []string{"alpha", "beta", "rank"}),
			func(o Options) Method { return MILLI{o.sampling(), o.Alpha, o.Beta, o.Rank} }},
		{"consensus", "Consensus", "The expected marginal contribution to the log-odds, over " +
			"random contexts. It needs no settings: it stops by itself.", "up to 450k + 449",
			[]string{"precise"},
			func(o Options) Method { return Consensus{Precise: o.Precise} }},
	}
}

// FindMethod returns the row of a method by its name, and whether there is one.
func FindMethod(name string) (MethodInfo, bool) {
	table := Methods()
	at := slices.IndexFunc(table, func(row MethodInfo) bool { return row.Name == name })
	if at < 0 {
		return MethodInfo{}, false
	}
	return table[at], true
}

func (o Options) sampling() Sampling {
	return Sampling{Samples: o.Samples, Paired: o.Paired, Repeats: o.Repeats,
		Coalitions: o.Coalitions, Preset: o.Preset}
}

func (o Options) lime() LIMEKernel { return LIMEKernel{o.MeanBag, o.Distance} }

// NewMethods makes methods by name, each once, in the order given; "all" stands for the whole
// table. Dashes and underscores are one. An unknown name is a *SettingError that lists the known
// ones.
func NewMethods(names []string, o Options) ([]Method, error) {
	var out []Method
	seen := map[string]bool{}
	for _, name := range names {
		rows := Methods()
		if name != "all" {
			row, ok := FindMethod(strings.ReplaceAll(strings.ToLower(name), "-", "_"))
			if !ok {
				return nil, &SettingError{Setting: "method",
					Reason: fmt.Sprintf("%q is unknown; use one of %s, all", name, methodNames())}
			}
			rows = []MethodInfo{row}
		}
		for _, row := range rows {
			if !seen[row.Name] {
				seen[row.Name] = true
				out = append(out, row.New(o))
			}
		}
	}
	return out, nil
}

// methodNames returns the names of all methods for a message.
func methodNames() string {
	var names []string
	for _, row := range Methods() {
		names = append(names, row.Name)
	}
	return strings.Join(names, ", ")
}
