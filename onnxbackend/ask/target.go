package ask

import (
	"github.com/bagscope/bagscope/core"
)

// checkTarget returns a *core.SettingError for a question about all numbers of a vector: it is a
// question about a likeness without a target.
func (s *Settings) checkTarget(info core.ModelInfo) error {
	if s.Class != nil || s.Indices != nil || len(info.Heads) == 0 ||
		info.Heads[0].Kind != core.KindEmbedding {
		return nil
	}
	return wrong("target", "is missing: the model's output %q is a vector of %d numbers; alike to "+
		"what? Name a target, a file with a vector or with prototypes, or a class, one of its "+
		"numbers", info.Output, info.Heads[0].Classes)
}
