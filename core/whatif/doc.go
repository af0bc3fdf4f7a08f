// Package whatif answers questions beyond an explanation: which instances decide the answer
// ([SetsQuestion], [CurvesQuestion]), which act together ([PairsQuestion]), which changes turn the
// answer ([TurnQuestion]), which parts of an instance mattered ([InsideQuestion]), which instances
// are alike ([Groups]), and what the covariates of the bag change ([ProfileQuestion],
// [AddedQuestion]).
//
// A question is a struct whose zero value asks for the usual. Its Answer evaluates coalitions of a
// [core.Game], which keeps their values for the next question.
//
//	game, err := core.NewGame(evaluator, core.GameOptions{})
//	sets, err := whatif.SetsQuestion{Class: 1}.Answer(ctx, game)
//
// The promise of compatibility is that of package core.
package whatif
