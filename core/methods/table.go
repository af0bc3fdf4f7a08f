package methods

import (
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
)

// Default is the name of the method that explains most models if the caller names none, see
// [DefaultFor]. It works without settings.
const Default = "consensus"

// DefaultFor returns the name of the method that explains a bag if the caller names none, and a
// note if it is not Default. Models that take multiples of a number of instances are explained by
// Random SHAP, because no single instance can be removed.
func DefaultFor(t core.Task) (name, note string) {
	if t.Step > 1 {
		return "random_shap", "Random SHAP explains this model, because Consensus removes single " +
			"instances"
	}
	return Default, ""
}

// Info is a row of the table of methods, which feeds the command line, the page and the
// documentation.
type Info struct {
	Name    string   // "one_removed"
	Title   string   // "One Removed"
	Summary string   // one sentence
	Cost    string   // model evaluations, as a formula in k and n
	Options []string // names of the options that it takes, as in MethodOptions
	// NoErrors says why scores have no standard errors, or why these are unknown; "" for a method
	// that estimates them.
	NoErrors string
	New      func(Options) core.Method
}

// The options of methods with a sampler. Guided samplers never draw a coalition twice, so that they
// have no option repeats.
var (
	randomOptions = []string{"samples", "paired", "repeats", "coalitions", "preset"}
	guidedOptions = []string{"samples", "paired", "coalitions", "preset"}
)

// nothingDrawn is why methods that draw no coalitions have no standard errors.
const nothingDrawn = "nothing is drawn: equal bags have equal scores, whatever the seed"

// All returns the table of all methods: the nine of the paper in its order, then Consensus and
// Shapley. To add a method, implement [core.Method], add a row here and run make generate.
func All() []Info {
	return []Info{
		{"inherent", "Inherent", "The model's own scores of instances: attention, instance " +
			"probabilities, cluster weights.", "1", nil, nothingDrawn,
			func(Options) core.Method { return Inherent{} }},
		{"single", "Single", "The prediction for each instance alone.", "k", nil, nothingDrawn,
			func(Options) core.Method { return Single{} }},
		{"one_removed", "One Removed", "The decrease of the prediction without the instance.",
			"k + 1", nil, nothingDrawn, func(Options) core.Method { return OneRemoved{} }},
		{"combined", "Combined", "The mean of Single and One Removed.", "2k + 1", nil, nothingDrawn,
			func(Options) core.Method { return Combined{} }},
		{"random_shap", "Random SHAP",
			"An additive surrogate of random coalitions under the Shapley kernel.", "n",
			slices.Concat(randomOptions, []string{"efficiency"}), "",
			func(o Options) core.Method { return RandomSHAP{o.sampling(), o.Efficiency} }},
		{"guided_shap", "Guided SHAP", "The same surrogate of the smallest and largest coalitions.",
			"n", slices.Concat(guidedOptions, []string{"efficiency"}), chosenNote,
			func(o Options) core.Method { return GuidedSHAP{o.sampling(), o.Efficiency} }},
		{"random_lime", "Random LIME",
			"An additive surrogate of random coalitions, weighted by nearness to the bag.", "n",
			slices.Concat(randomOptions, []string{"mean-bag", "distance"}), "",
			func(o Options) core.Method { return RandomLIME{o.sampling(), o.lime()} }},
		{"guided_lime", "Guided LIME", "The same surrogate of the largest coalitions.", "n",
			slices.Concat(guidedOptions, []string{"mean-bag", "distance"}), chosenNote,
			func(o Options) core.Method { return GuidedLIME{o.sampling(), o.lime()} }},
		{"milli", "MILLI", "An additive surrogate of coalitions drawn by how instances rank alone.",
			"k + n", slices.Concat(randomOptions, []string{"alpha", "beta", "rank"}), "",
			func(o Options) core.Method { return MILLI{o.sampling(), o.Alpha, o.Beta, o.Rank} }},
		{"consensus", "Consensus", "What the instance adds, on average, to bags of the less " +
			"suspicious others. Nothing is drawn, and it needs no settings.", "38k + 36", nil,
			nothingDrawn,
			func(Options) core.Method { return Consensus{} }},
		{"shapley", "Shapley", "The mean marginal contribution over coalitions of all sizes. " +
			"Without samples it stops by itself.", "n, or up to 8194k + 8193",
			[]string{"samples", "efficiency"}, "",
			func(o Options) core.Method { return Shapley{o.Samples, o.Efficiency} }},
	}
}

// Find returns the row of a method by its name, and whether there is one.
func Find(name string) (Info, bool) {
	table := All()
	at := slices.IndexFunc(table, func(row Info) bool { return row.Name == name })
	if at < 0 {
		return Info{}, false
	}
	return table[at], true
}

// sampling returns the options of the sampler.
func (o Options) sampling() Sampling {
	return Sampling{Samples: o.Samples, Paired: o.Paired, Repeats: o.Repeats,
		Coalitions: o.Coalitions, Preset: o.Preset}
}

// lime returns the options of LIME's kernel.
func (o Options) lime() LIMEKernel { return LIMEKernel{o.MeanBag, o.Distance} }

// New returns the methods with the given names, each once, in the given order. "all" means
// the whole table. Names may have dashes or underscores. An unknown name is a *SettingError that
// lists all names.
func New(names []string, o Options) ([]core.Method, error) {
	var out []core.Method
	seen := map[string]bool{}
	for _, name := range names {
		rows := All()
		if name != "all" {
			row, ok := Find(strings.ReplaceAll(strings.ToLower(name), "-", "_"))
			if !ok {
				return nil, &core.SettingError{Setting: "method",
					Reason: msg.Sprintf("%q is unknown; use one of %s, all", name, methodNames())}
			}
			rows = []Info{row}
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
	for _, row := range All() {
		names = append(names, row.Name)
	}
	return strings.Join(names, ", ")
}
