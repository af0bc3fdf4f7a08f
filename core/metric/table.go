package metric

import (
	"fmt"
	"strings"

	"github.com/bagscope/bagscope/core"
)

// The names of the metrics.
const (
	NameNDCG        = "ndcg"
	NameAOPCR       = "aopc-r"
	NameSRG         = "srg"
	NameInsertion   = "insertion"
	NameDeletion    = "deletion"
	NameAUPRC       = "auprc"
	NameR2          = "r2"
	NameMilletAOPCR = "millet-aopcr"
)

// Info is a row of the table of metrics.
type Info struct {
	Name    string // "aopc-r", the name on command lines
	Title   string // "AOPC-R"
	Summary string // one sentence
	Labels  bool   // whether the metric needs instance labels and a table of truth
	Lower   bool   // whether lower values are better
}

// Key returns the name in JSON files, such as "aopc_r".
func (i Info) Key() string { return strings.ReplaceAll(i.Name, "-", "_") }

// Metrics returns the table of metrics, in the order in which results are listed.
func Metrics() []Info {
	return []Info{
		{Name: NameNDCG, Title: "NDCG@n", Labels: true,
			Summary: "How early the n supporting instances are ranked; refuting instances count " +
				"against."},
		{Name: NameAOPCR, Title: "AOPC-R",
			Summary: "How much more the class's value drops if instances are removed by score " +
				"than in random order."},
		{Name: NameSRG, Title: "SRG",
			Summary: "How much more the value drops if the most relevant instances are removed " +
				"first than last."},
		{Name: NameInsertion, Title: "Insertion",
			Summary: "Area under the curve of the value as instances are added, most relevant " +
				"first."},
		{Name: NameDeletion, Title: "Deletion", Lower: true,
			Summary: "Area under the curve of the value as instances are removed, most relevant " +
				"first."},
		{Name: NameAUPRC, Title: "AUPRC", Labels: true,
			Summary: "Average precision of the scores against the supporting instances."},
		{Name: NameR2, Title: "R²",
			Summary: "Share of the variance of the sampled values that the surrogate explains."},
		{Name: NameMilletAOPCR, Title: "MILLET AOPCR",
			Summary: "AOPC-R of the predicted class as in MILLET: steps of 5 % up to half the " +
				"bag, three random orders."},
	}
}

// choose returns the set of requested metrics, all for nil. Names may have dashes or underscores.
// It returns a *core.SettingError for an unknown name.
func choose(names []string) (map[string]bool, error) {
	chosen, known := map[string]bool{}, []string{}
	for _, m := range Metrics() {
		known = append(known, m.Name)
		chosen[m.Name] = names == nil
	}
	for _, name := range names {
		dashed := strings.ReplaceAll(name, "_", "-")
		if _, ok := chosen[dashed]; !ok {
			return nil, &core.SettingError{Setting: "metrics",
				Reason: fmt.Sprintf("%q is not a metric; there are %s", name,
					strings.Join(known, ", "))}
		}
		chosen[dashed] = true
	}
	return chosen, nil
}
