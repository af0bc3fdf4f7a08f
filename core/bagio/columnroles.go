package bagio

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
)

// A role is what a column of a table holds, in the words of [Options].Columns.
type role string

const (
	roleNone     role = "" // not decided
	roleBag      role = "bag"
	roleName     role = "name"
	roleLabel    role = "label"
	roleInstance role = "instance_label"
	roleX        role = "x"
	roleY        role = "y"
	roleWidth    role = "width"
	roleHeight   role = "height"
	roleFeature  role = "feature"
	roleSkip     role = "skip"

	// Roles that names give, and options cannot.
	roleCorner    role = "corner"
	roleFact      role = "fact"
	roleCovariate role = "covariate"
)

// statedRoles are the roles that an option can give.
var statedRoles = []role{roleBag, roleName, roleLabel, roleInstance, roleX, roleY, roleWidth,
	roleHeight, roleFeature, roleSkip}

// A columnRule gives the columns with a name a role. A name that ends with an asterisk is that of
// all columns that begin so, and "#3" is the third column.
type columnRule struct {
	name string
	role role
}

// parseColumnRules reads Options.Columns. The error is a *core.SettingError.
func parseColumnRules(text string) ([]columnRule, error) {
	var rules []columnRule
	ends := func(r rune) bool { return r == ';' || r == '\n' }
	for _, part := range strings.FieldsFunc(text, ends) {
		if strings.TrimSpace(part) == "" {
			continue
		}
		at := strings.LastIndexByte(part, '=')
		rule := columnRule{}
		if at >= 0 {
			rule.name = strings.TrimSpace(part[:at])
			rule.role = role(strings.ToLower(strings.TrimSpace(part[at+1:])))
		}
		if rule.name == "" || !slices.Contains(statedRoles, rule.role) {
			return nil, &core.SettingError{Setting: "columns", Reason: msg.Sprintf("%q does not "+
				"say what a column holds; write its name, = and one of %s, such as slide=bag; "+
				"id=skip", strings.TrimSpace(part), rolesText())}
		}
		rules = append(rules, rule)
	}
	return rules, nil
}

// rolesText lists the roles that an option can give.
func rolesText() string {
	var words []string
	for _, r := range statedRoles {
		words = append(words, string(r))
	}
	return strings.Join(words, ", ")
}

// matches reports whether a rule is for column at, counted from 0.
func (r columnRule) matches(name string, at int) bool {
	if begin, ok := strings.CutSuffix(r.name, "*"); ok {
		return len(name) >= len(begin) && strings.EqualFold(name[:len(begin)], begin)
	}
	return strings.EqualFold(r.name, name) || r.name == fmt.Sprintf("#%d", at+1)
}

// once lists roles that one column can have.
var once = []role{roleBag, roleName, roleLabel, roleInstance, roleX, roleY, roleWidth, roleHeight}

// state sets the roles that the caller states. The error is a *FormatError for a name that no
// column has, and for two columns of one role.
func (c *columns) state(file string, o Options) error {
	rules, err := parseColumnRules(o.Columns)
	if err != nil {
		return err
	}
	if o.BagBy != "" {
		rules = append([]columnRule{{o.BagBy, roleBag}}, rules...)
	}
	for _, r := range rules {
		found := false
		for at, name := range c.names {
			if !r.matches(name, at) {
				continue
			}
			found = true
			if c.roles[at] == roleNone {
				c.roles[at] = r.role
			}
		}
		if !found && !strings.HasSuffix(r.name, "*") {
			return bad(file, "it has no column %q; its columns are %s", r.name,
				msg.List(c.names))
		}
	}
	for _, r := range once {
		if at := c.having(r); len(at) > 1 {
			return bad(file, "%s and %s are both stated as %s, which one column can be",
				c.label(at[0]), c.label(at[1]), string(r))
		}
	}
	if (len(c.having(roleX)) == 0) != (len(c.having(roleY)) == 0) ||
		(len(c.having(roleWidth)) == 0) != (len(c.having(roleHeight)) == 0) ||
		len(c.having(roleWidth)) > len(c.having(roleX)) {
		return bad(file, "x and y of places are stated by two columns, and so are width and "+
			"height beside them; state all of them, or none")
	}
	c.stated = len(rules) > 0
	return nil
}

// longestLabel is the number of bytes of the names that answers of questions have.
const longestLabel = 48

// label returns the name of a column for texts and options: its number if its name is empty or
// long, is that of another column too, or cannot stand in an option.
func (c *columns) label(at int) string {
	name := c.names[at]
	same := 0
	for _, other := range c.names {
		if strings.EqualFold(other, name) {
			same++
		}
	}
	if name == "" || same > 1 || strings.ContainsAny(name, ";\n*") || name[0] == '#' ||
		len(name) > longestLabel {
		return fmt.Sprintf("#%d", at+1)
	}
	return name
}

// labels returns the labels of columns.
func (c *columns) labels(list []int) []string {
	var out []string
	for _, at := range list {
		out = append(out, c.label(at))
	}
	return out
}

// having returns the columns of a role.
func (c *columns) having(r role) (list []int) {
	for at := range c.roles {
		if c.roles[at] == r {
			list = append(list, at)
		}
	}
	return list
}

// only returns the column of a role, or -1.
func (c *columns) only(r role) int { return slices.Index(c.roles, r) }
