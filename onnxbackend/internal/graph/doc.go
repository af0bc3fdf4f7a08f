// Package graph turns a decoded model into a graph with numbered values. It checks that the names
// of values are defined before use, looks up each node's operator in the table of package ops,
// builds its function, and computes nodes of constant inputs. Operators that the engine does not
// support are collected, so that one error names all of them.
//
//	graph.go    Graph and its builder
//	order.go    nodes of a file in the order in which they run
//	body.go     graphs inside of nodes: the bodies of If, Loop and Scan
//	fold.go     nodes of constant inputs; half.go 16-bit floats as float32
//	rewrite.go  changes of a graph, for package passes
//	between.go  the nodes between two sets of values
package graph
