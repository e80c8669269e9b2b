package console

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestBundle: the modules are joined after their imports, a module that is imported when it
// is needed is a file of its own, and other forms of import and export are refused.
func TestBundle(t *testing.T) {
	modules := map[string]string{
		"app.js": "// The pages.\n\nimport { html } from \"./vendor/lit.js\";\nimport { ask, user as who } from \"./session.js\";\n" +
			"import \"./part/picker.js\";\n\nconst show = () => import(\"./later.js\");\nshow(html, ask, who);\n",
		"session.js":     "let n = 0;\n\n// ask asks.\nexport async function ask() {\n  return n;\n}\n\nexport const user = () => `a\n  b`;\n",
		"part/picker.js": "import { ask } from \"../session.js\";\n\nexport class Picker {}\nask();\n",
		"later.js":       "export { list } from \"./list.js\";\n",
		"list.js":        "import { user } from \"./session.js\";\n\nexport function list() { return user(); }\n",
	}
	source := func(name string) (string, error) {
		text, ok := modules[name]
		if !ok {
			return "", fmt.Errorf("there is no %s", name)
		}
		return text, nil
	}
	got, err := bundle("app.js", source)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"app.js": `import * as $vendor_lit from "./vendor/lit.js";
const $session = (() => {
let n = 0;
async function ask() {
return n;
}
const user = () => ` + "`a\nb`" + `;
return { ask, user };
})();
const $part_picker = (() => {
const { ask } = $session;
class Picker {}
ask();
return { Picker };
})();
const $app = (() => {
const { html } = $vendor_lit;
const { ask, user: who } = $session;
const show = () => import("./later.js");
show(html, ask, who);
return {  };
})();
export { $session, $part_picker, $app };
`,
		"later.js": `import { $session, $part_picker, $app } from "./app.js";
const $list = (() => {
const { user } = $session;
function list() { return user(); }
return { list };
})();
const $later = (() => {
const { list } = $list;
return { list };
})();
const { list } = $later;
export { list };
`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for name, wrong := range map[string]string{
		"a default":        "export default {};\n",
		"a live binding":   "export let n = 0;\n",
		"everything":       "import * as all from \"./session.js\";\n",
		"a missing module": "import { show } from \"./nothing.js\";\n",
	} {
		modules["list.js"] = wrong
		if got, err := bundle("app.js", source); err == nil {
			t.Errorf("%s is taken: %s", name, got["later.js"])
		}
	}
	modules["session.js"] = "import { Picker } from \"./part/picker.js\";\n"
	if _, err := bundle("app.js", source); err == nil || !strings.Contains(err.Error(), "imports itself") {
		t.Errorf("a cycle: %v", err)
	}
}
