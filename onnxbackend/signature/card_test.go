package signature

import (
	"os"
	"regexp"
	"testing"
)

// TestCardsOfReadme reads every card that the README shows.
func TestCardsOfReadme(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	cards := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllSubmatch(text, -1)
	if len(cards) == 0 {
		t.Fatal("the README shows no card")
	}
	for _, c := range cards {
		var card Card
		if err := card.Read(c[1], "README.md"); err != nil {
			t.Error(err)
		}
		if card.Output == "" || card.InstanceAxis == nil || card.Preprocess == nil ||
			card.Patch == nil || len(card.Truth) != 2 || len(card.Inputs) != 4 {
			t.Errorf("%+v", card)
		}
	}
}
