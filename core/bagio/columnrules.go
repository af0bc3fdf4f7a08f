package bagio

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
)

// A columnRule is a rule of the caller or, if it is usual, of the model card.
type columnRule struct {
	core.ColumnRule
	usual bool
}

// many reports whether a rule is for all columns whose names begin alike.
func (r columnRule) many() bool { return strings.HasSuffix(r.Name, "*") }

// matches reports whether a rule is for column at, counted from 0.
func (r columnRule) matches(name string, at int) bool {
	if begin, ok := strings.CutSuffix(r.Name, "*"); ok {
		return len(name) >= len(begin) && strings.EqualFold(name[:len(begin)], begin)
	}
	return strings.EqualFold(r.Name, name) || r.Name == fmt.Sprintf("#%d", at+1)
}

// columnRules are the rules of a caller and a model card, in the order in which they count. Those
// of the card that are not followed are overridden by the caller's, or unused.
type columnRules struct{ list, overridden, unused []columnRule }

// columnRules returns the rules of BagBy, Columns and UsualColumns. The error is a
// *core.SettingError.
func (o Options) columnRules() (columnRules, error) {
	var out columnRules
	if o.BagBy != "" {
		out.list = append(out.list, columnRule{core.ColumnRule{Name: o.BagBy, Role: roleBag},
			false})
	}
	stated, err := core.ParseColumnRules(o.Columns)
	for _, r := range stated {
		out.list = append(out.list, columnRule{r, false})
	}
	for _, r := range o.UsualColumns {
		out.list = append(out.list, columnRule{r, true})
	}
	return out, err
}

// fitting removes rules of the card that a file cannot follow, because its columns cannot have the
// role or because it has no such column, and those of a role that the caller gives to another
// column.
func (c columnRules) fitting(roles []role, has func(columnRule) bool) columnRules {
	var out columnRules
	for _, r := range c.list {
		byCaller := func(other columnRule) bool {
			return !other.usual && other.Role == r.Role && !strings.EqualFold(other.Name, r.Name)
		}
		switch {
		case r.usual && (!slices.Contains(roles, r.Role) || !has(r)):
			out.unused = append(out.unused, r)
		case r.usual && r.Role.Single() && slices.ContainsFunc(c.list, byCaller):
			out.overridden = append(out.overridden, r)
		default:
			out.list = append(out.list, r)
		}
	}
	return out
}

// notes returns sentences about rules of the card that are not followed.
func (c columnRules) notes(file string) (notes []string) {
	if len(c.overridden) > 0 {
		notes = append(notes, msg.Sprintf("%s: columns and bag-by count before %s of the model "+
			"card", file, msg.List(ruleTexts(c.overridden))))
	}
	if len(c.unused) > 0 {
		notes = append(notes, msg.Sprintf("%s: the model card states %s, for which it has no "+
			"column", file, msg.List(ruleTexts(c.unused))))
	}
	return notes
}

// ruleTexts returns rules as the caller would state them, each once.
func ruleTexts(list []columnRule) (texts []string) {
	for _, r := range list {
		if text := (core.ColumnRules{r.ColumnRule}).String(); !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return texts
}
