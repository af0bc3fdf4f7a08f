package bagio

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
)

// A role is what a column of a table holds, in the words of [Options].Columns.
type role = core.ColumnRole

const (
	roleNone         role = "" // not decided
	roleBag               = core.ColumnBag
	roleName              = core.ColumnName
	roleLabel             = core.ColumnLabel
	roleInstance          = core.ColumnInstance
	roleInstanceName      = core.ColumnTitle
	roleX                 = core.ColumnX
	roleY                 = core.ColumnY
	roleWidth             = core.ColumnWidth
	roleHeight            = core.ColumnHeight
	roleFeature           = core.ColumnFeature
	roleSkip              = core.ColumnSkip

	// Roles that names give, and options cannot.
	roleCorner    role = "corner"
	roleFact      role = "fact"
	roleCovariate role = "covariate"
)

// state sets the roles that the caller and the model card state. The error is a *FormatError for a
// name of the caller that no column has, and for two columns of one role.
func (c *columns) state(file string, o Options) error {
	rules, err := o.columnRules()
	if err != nil {
		return err
	}
	rules = rules.fitting(core.ColumnRoles(), func(r columnRule) bool {
		for at, name := range c.names {
			if r.matches(name, at) {
				return true
			}
		}
		return r.many()
	})
	by := make([]columnRule, len(c.names))
	for _, r := range rules.list {
		found := false
		for at, name := range c.names {
			switch {
			case !r.matches(name, at):
				continue
			case c.roles[at] == roleNone:
				c.roles[at], by[at], c.stated = r.Role, r, true
			case r.usual && !r.many() && !by[at].usual && by[at].Role != r.Role:
				rules.overridden = append(rules.overridden, r)
			}
			found = true
		}
		if !found && !r.many() {
			return bad(file, "it has no column %q; its columns are %s", r.Name,
				msg.List(c.names))
		}
	}
	for _, r := range core.ColumnRoles() {
		if at := c.having(r); r.Single() && len(at) > 1 {
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
	c.unused = rules.notes(file)
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
