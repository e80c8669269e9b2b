package fasttest

import (
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The test binary runs itself with settings of the environment, and prints what the process has
// and what its children get.
func TestSettings(t *testing.T) {
	if os.Getenv("FASTTEST_PRINTS") != "" {
		fmt.Printf("has %d, gives %s, %s\n", debug.SetGCPercent(100), os.Getenv("GOGC"), os.TempDir())
		return
	}
	memory, ok := memoryDir()
	if !ok {
		memory = "/tmp"
	}
	for _, tc := range []struct{ gogc, tmpdir, want string }{
		{"", "", "has 900, gives 900, " + memory},
		{"50", "", "has 50, gives 50, " + memory},
		{"", "/var/tmp", "has 900, gives 900, /var/tmp"},
	} {
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestSettings$")
		child.Env = append(os.Environ(), "FASTTEST_PRINTS=yes", "GOGC="+tc.gogc, "TMPDIR="+tc.tmpdir)
		out, err := child.Output()
		if err != nil {
			t.Fatal(err)
		}
		got, _, _ := strings.Cut(string(out), "\n")
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("GOGC=%s TMPDIR=%s: %s", tc.gogc, tc.tmpdir, diff)
		}
	}
}
