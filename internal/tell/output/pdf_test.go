package output

import (
	"bytes"
	"io"
	"os"
	"testing"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/test/check"
)

// A PDF is the page as an installed browser prints it; without one a person is told what to do.
func TestPDF(t *testing.T) {
	page := func(w io.Writer) error {
		_, err := io.WriteString(w, "<!doctype html><title>page</title><p>page")
		return err
	}
	if Browser(os.Getenv) != "" {
		var out bytes.Buffer
		encode, err := asPDF(page, os.Getenv)
		check.Must(t, err)
		check.Must(t, encode(&out))
		if !bytes.HasPrefix(out.Bytes(), []byte("%PDF-")) {
			t.Errorf("%.20q is no PDF", out.Bytes())
		}
	}
	t.Setenv("PATH", t.TempDir())
	if Browser(os.Getenv) != "" {
		t.Skip("this system's browser is not on PATH")
	}
	_, err := asPDF(page, os.Getenv)
	if code, _ := exit.Mistakes(err); code != exit.Misuse {
		t.Errorf("without a browser: %v, want exit code %d", err, exit.Misuse)
	}
}
