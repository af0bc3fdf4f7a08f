package signature

import (
	"os"
	"regexp"
	"strings"
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

// A key that occurs twice has no single meaning, wherever it lies in the card.
func TestRepeatedCardKeysAreRejected(t *testing.T) {
	for _, text := range []string{
		`{"classes":["a"],"classes":["b"]}`,
		`{"negative":0,"n\u0065gative":1}`,
		`{"patch":{"size":28,"size":14}}`,
		`{"truth":[{"support":[1],"support":[2]}]}`,
	} {
		var card Card
		err := card.Read([]byte(text), "the card")
		if err == nil || !strings.Contains(err.Error(), "occurs twice in one object") {
			t.Errorf("%s gives %v", text, err)
		}
	}
}
