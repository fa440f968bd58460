package device

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
)

// A disk that is held back, by a question to the person, is waited for and said; no worker's time runs meanwhile.
func TestNotifyIfSlow(t *testing.T) { synctest.Test(t, notifiesIfSlow) }

func notifiesIfSlow(t *testing.T) {
	if err := NotifyIfSlow(func(text string) { t.Errorf("said %q", text) }, "disk A", func() error { return nil }); err != nil {
		t.Errorf("at once: %v", err)
	}
	answered, said := make(chan struct{}), ""
	err := NotifyIfSlow(func(text string) { said = text; close(answered) }, "disk A (/Volumes/A)", func() error {
		<-answered
		return errors.New("refused")
	})
	if err == nil || err.Error() != "refused" {
		t.Errorf("after a refusal: %v", err)
	}
	if !strings.Contains(said, "waiting for disk A (/Volumes/A)") {
		t.Errorf("said %q", said)
	}
}
