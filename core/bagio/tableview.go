package bagio

import (
	"errors"
	"strings"

	"github.com/bagscope/bagscope/core"
)

// A TableView is how a table of text begins, and what its columns are taken for, so that a user can
// state other roles.
type TableView struct {
	Columns []ColumnView // the first ones, at most 512
	More    int          // number of the other columns
	// Problem is why the table is not read with these roles: a *QuestionError, a *FormatError or a
	// *core.SettingError; nil if it is, unless a later cell is wrong.
	Problem error
}

// A ColumnView is a column of a TableView.
type ColumnView struct {
	Name  string // the name of the header, at most 200 bytes
	Label string // the column's name in [Options].Columns, which may be its number, such as #3
	// Role is what the column is taken for: a role that can be stated, "corner", "fact" or
	// "covariate" if its name says so, or "" if the reader asks.
	Role  core.ColumnRole
	Cells []string // cells of the first three rows, at most 200 bytes each
}

// Bounds of a TableView.
const (
	viewedColumns = 512
	viewedRows    = 3
	viewedBytes   = 200
)

// errViewed ends the reading of a table that is only looked at.
var errViewed = errors.New("the table is only looked at")

// ViewTable reads the header and the first rows of a table of text, and as many rows more as are
// needed to decide what columns hold, by the same options as [ReadFiles]. Errors are those of
// ReadFiles, and a *FormatError for a file of another format.
func ViewTable(f File, o Options) (*TableView, error) {
	view := &TableView{}
	o.view = view
	_, err := ReadFiles([]File{f}, o)
	switch {
	case errors.Is(err, errViewed):
		return view, nil
	case err != nil:
		return nil, err
	}
	return nil, notText(f.Name)
}

// notText returns the error for a file that is no table of text.
func notText(file string) error {
	return bad(file, "it is no table of text, whose columns could be shown; open it as a bag")
}

// look fills a view with what is known after assign, which returned problem.
func (t *table) look(header, row []string, problem error, view *TableView) error {
	n := min(len(header), viewedColumns)
	view.Problem, view.More = problem, len(header)-n
	asked := askedColumns(problem)
	for at, name := range t.names[:n] {
		c := ColumnView{Name: cutText(name), Label: t.columns.label(at), Role: t.roles[at]}
		switch {
		case asked[c.Label]:
			c.Role = roleNone
		case c.Role == roleNone:
			c.Role = t.usualRole(at)
		}
		view.Columns = append(view.Columns, c)
	}
	for range viewedRows {
		if row == nil {
			break
		}
		for at := range view.Columns {
			cell := ""
			if at < len(row) {
				cell = cutText(strings.TrimSpace(row[at]))
			}
			view.Columns[at].Cells = append(view.Columns[at].Cells, cell)
		}
		var err error
		if row, err = t.next(); err != nil {
			return err
		}
	}
	return errViewed
}

// askedColumns returns the labels of columns to which the answers of a question give several roles.
func askedColumns(problem error) map[string]bool {
	asked, roles := map[string]bool{}, map[string]role{}
	var question *QuestionError
	if !errors.As(problem, &question) {
		return asked
	}
	for _, a := range question.Answers {
		rules, _ := core.ParseColumnRules(a.Value) // the package has written it
		for _, r := range rules {
			first, known := roles[r.Name]
			asked[r.Name] = asked[r.Name] || known && first != r.Role
			if !known {
				roles[r.Name] = r.Role
			}
		}
	}
	return asked
}

// usualRole returns what a column becomes that nothing decides but its rows.
func (t *table) usualRole(at int) role {
	if t.profile == nil || t.profile.columns[at] == nil {
		return roleNone
	}
	if t.profile.kind(at) >= kindWhole {
		return roleFeature
	}
	return roleSkip
}

// cutText returns the beginning of a text, in whole characters.
func cutText(text string) string {
	return strings.ToValidUTF8(strings.Clone(text[:min(len(text), viewedBytes)]), "")
}
