package core

import (
	"slices"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
)

// A ColumnRole is what a column of a table of instances holds.
type ColumnRole string

// Roles of columns that a caller or a model card can state.
const (
	ColumnBag      ColumnRole = "bag"            // the id of the bag
	ColumnName     ColumnRole = "name"           // the name of the bag, if it is not its id
	ColumnLabel    ColumnRole = "label"          // the class of the bag
	ColumnInstance ColumnRole = "instance_label" // the label of the instance
	ColumnTitle    ColumnRole = "instance_name"  // the name of the instance
	ColumnX        ColumnRole = "x"              // the place of the instance
	ColumnY        ColumnRole = "y"
	ColumnWidth    ColumnRole = "width"
	ColumnHeight   ColumnRole = "height"
	ColumnFeature  ColumnRole = "feature"
	ColumnSkip     ColumnRole = "skip" // nothing that a model takes
)

// ColumnRoles returns the roles that can be stated, in the order of messages.
func ColumnRoles() []ColumnRole {
	return []ColumnRole{ColumnBag, ColumnName, ColumnLabel, ColumnInstance, ColumnTitle,
		ColumnX, ColumnY, ColumnWidth, ColumnHeight, ColumnFeature, ColumnSkip}
}

// Single reports whether one column of a table can have the role.
func (r ColumnRole) Single() bool { return r != ColumnFeature && r != ColumnSkip }

// A ColumnRule gives the columns with a name a role. A name that ends with an asterisk is that of
// all columns that begin so, and "#3" is the third column.
type ColumnRule struct {
	Name string
	Role ColumnRole
}

// ColumnRules are the roles of columns; the first rule that fits a column counts.
type ColumnRules []ColumnRule

// ParseColumnRules reads names of columns with their roles, such as "slide=bag; stain*=skip". Rules
// end with semicolons or lines. It returns a *SettingError for other texts.
func ParseColumnRules(text string) (ColumnRules, error) {
	var rules ColumnRules
	ends := func(r rune) bool { return r == ';' || r == '\n' }
	for _, part := range strings.FieldsFunc(text, ends) {
		if strings.TrimSpace(part) == "" {
			continue
		}
		at := strings.LastIndexByte(part, '=')
		rule := ColumnRule{}
		if at >= 0 {
			rule.Name = strings.TrimSpace(part[:at])
			rule.Role = ColumnRole(strings.ToLower(strings.TrimSpace(part[at+1:])))
		}
		if rule.Name == "" || !slices.Contains(ColumnRoles(), rule.Role) {
			return nil, &SettingError{Setting: "columns", Reason: msg.Sprintf("%q does not say "+
				"what a column holds; write its name, = and one of %s, such as slide=bag; id=skip",
				strings.TrimSpace(part), rolesText())}
		}
		rules = append(rules, rule)
	}
	return rules, nil
}

// rolesText lists the roles that can be stated.
func rolesText() string {
	var words []string
	for _, r := range ColumnRoles() {
		words = append(words, string(r))
	}
	return strings.Join(words, ", ")
}

// String returns the rules in the form that ParseColumnRules reads, "" for none.
func (rules ColumnRules) String() string {
	var parts []string
	for _, r := range rules {
		parts = append(parts, r.Name+"="+string(r.Role))
	}
	return strings.Join(parts, "; ")
}
