package main

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"go/ast"
	"go/token"
	"hash/fnv"
	"path"
	"slices"
	"strings"
)

// A mutant is a package with one change.
type mutant struct {
	id       int
	file     *sourceFile
	function *ast.FuncDecl
	change   change
	// reach is the first position of the block with the change, where the test program notes that
	// a test reaches it.
	reach token.Pos
	line  int
	// key identifies the mutant without its line, so that it is the same after edits elsewhere.
	key string
}

// candidates returns all mutants of a package, those that do not compile included. Generated files,
// main, init and functions that call recover have none.
func candidates(p *sourcePackage) []*mutant {
	var list []*mutant
	seen := map[string]int{}
	for _, f := range p.files {
		if ast.IsGenerated(f.syntax) {
			continue
		}
		for _, d := range f.syntax.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil || fn.Name.Name == "_" || recovers(fn) ||
				fn.Recv == nil && (fn.Name.Name == "main" || fn.Name.Name == "init") {
				continue
			}
			for _, m := range f.mutants(fn) {
				m.key = numbered(seen, fmt.Sprintf("%s %s %s\n%s", path.Join(p.folder, f.name),
					f.nameOf(fn), m.change.operator, f.shown(m.change)))
				list = append(list, m)
			}
		}
	}
	return list
}

// numbered returns a key, with a number if it was seen before.
func numbered(seen map[string]int, key string) string {
	if seen[key]++; seen[key] > 1 {
		return fmt.Sprintf("%s (%d)", key, seen[key])
	}
	return key
}

// mutants returns the mutants of a function.
func (f *sourceFile) mutants(fn *ast.FuncDecl) []*mutant {
	add := func(list []*mutant, c change, reach token.Pos) []*mutant {
		line := f.set.Position(c.shown.Pos()).Line
		return append(list, &mutant{file: f, function: fn, change: c, reach: reach, line: line})
	}
	open := fn.Body.Lbrace + 1
	var list []*mutant
	if len(fn.Body.List) > 0 {
		list = add(list, change{"early return", open, fn.Body.Rbrace, f.zeroReturn(fn), fn.Name},
			open)
	}
	ast.PreorderStack(fn.Body, nil, func(n ast.Node, stack []ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && isMessage(call, f.text) {
			return false
		}
		if len(stack) == 0 {
			return true
		}
		parent := stack[len(stack)-1]
		for _, c := range changes(n, parent, f.text) {
			if c.operator == "constant" && (unused(fn, parent) || same(parent, c.text, f.text)) {
				continue
			}
			if _, whole := parent.(ast.Expr); whole && c.operator == "constant" {
				c.shown = parent
			}
			list = add(list, c, blockStart(stack))
		}
		return true
	})
	return list
}

// unused reports whether a statement returns an error or false as the last result of a function:
// nobody may use the results before it.
func unused(fn *ast.FuncDecl, n ast.Node) bool {
	r, ok := n.(*ast.ReturnStmt)
	if !ok || fn.Type.Results == nil || len(r.Results) < 2 {
		return false
	}
	results := fn.Type.Results.List
	of, named := results[len(results)-1].Type.(*ast.Ident)
	last, isName := r.Results[len(r.Results)-1].(*ast.Ident)
	return isName && last.Name == "false" ||
		named && of.Name == "error" && !(isName && last.Name == "nil")
}

// same reports whether a call does the same with a number in place of another: math.Inf and
// math.IsInf read the sign, and strconv.ParseFloat takes all sizes but 32 as 64.
func same(n ast.Node, number string, text func(ast.Node) string) bool {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return false
	}
	last := text(call.Args[len(call.Args)-1])
	switch text(call.Fun) {
	case "math.Inf":
		return last != "0" || number != "0"
	case "math.IsInf":
		return last != "0" && number != "0"
	case "strconv.ParseFloat":
		return last == "64" && number != "32"
	}
	return false
}

// zeroReturn returns a statement that returns the zero values of a function's results.
func (f *sourceFile) zeroReturn(fn *ast.FuncDecl) string {
	if fn.Type.Results == nil {
		return " return "
	}
	var values []string
	for _, field := range fn.Type.Results.List {
		for range max(1, len(field.Names)) {
			values = append(values, "*new("+f.text(field.Type)+")")
		}
	}
	return " return " + strings.Join(values, ", ") + " "
}

// blockStart returns where a statement can be inserted that runs whenever the innermost block does.
func blockStart(stack []ast.Node) token.Pos {
	for i := len(stack) - 1; i >= 0; i-- {
		switch n := stack[i].(type) {
		case *ast.CaseClause:
			if i+1 == len(stack) || n.Colon < stack[i+1].Pos() {
				return n.Colon + 1
			}
		case *ast.CommClause:
			if i+1 == len(stack) || n.Colon < stack[i+1].Pos() {
				return n.Colon + 1
			}
		case *ast.BlockStmt:
			if i > 0 && choice(stack[i-1]) {
				continue
			}
			return n.Lbrace + 1
		}
	}
	return token.NoPos // cannot happen: the first node is the function's body
}

// choice reports whether the block of a statement has clauses only.
func choice(n ast.Node) bool {
	switch n.(type) {
	case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		return true
	}
	return false
}

// recovers reports whether a function calls recover itself, which has no effect in a copy of it.
func recovers(fn *ast.FuncDecl) (found bool) {
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			name, ok := call.Fun.(*ast.Ident)
			found = found || ok && name.Name == "recover"
		}
		return !found
	})
	return found
}

// sample returns up to size mutants, without those that check returns as invalid. Their order, and
// so the choice, comes from hashes of the seed and the keys: a change of one function does not
// choose others elsewhere. At most a quarter of them, rounded up, has the same operator.
func sample(all []*mutant, size int, seed uint64,
	check func([]*mutant) ([]*mutant, error)) ([]*mutant, error) {
	rank := make(map[*mutant]uint64, len(all))
	for _, m := range all {
		h := fnv.New64a()
		h.Write(binary.LittleEndian.AppendUint64(nil, seed))
		h.Write([]byte(m.key))
		rank[m] = mix(h.Sum64())
	}
	slices.SortFunc(all, func(a, b *mutant) int { return cmp.Compare(rank[a], rank[b]) })
	invalid := map[*mutant]bool{}
	for {
		var chosen []*mutant
		of := map[string]int{}
		for _, m := range all {
			if len(chosen) == size {
				break
			}
			if !invalid[m] && of[m.change.operator] < (size+3)/4 {
				of[m.change.operator]++
				chosen = append(chosen, m)
				m.id = len(chosen)
			}
		}
		bad, err := check(chosen)
		if err != nil || len(bad) == 0 {
			return chosen, err
		}
		for _, m := range bad {
			invalid[m] = true
		}
	}
}

// mix makes all bits of a hash depend on all others (the finaliser of MurmurHash3).
func mix(h uint64) uint64 {
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
