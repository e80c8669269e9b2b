# What .ci/run and the campaigns of .ci/long share. Sourced from the root of the
# module, with set -euo pipefail.

STATICCHECK=honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOVULNCHECK=golang.org/x/vuln/cmd/govulncheck@v1.8.0
APIDIFF=golang.org/x/exp/cmd/apidiff@v0.0.0-20261014143641-f0251eb4aa3e
REDOCLY=@redocly/cli@2.77.0
ESLINT=eslint@9.39.1

step() { printf '\n== %s (after %d s)\n' "$*" "$SECONDS"; }
fail() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }

# need COMMAND PACKAGE: installs a Debian package where the command is missing.
need() { command -v "$1" >/dev/null || install "$2"; }

# install PACKAGE ...: installs Debian packages. Processes of one run wait for each other.
install() {
	flock "$work/apt" sh -c 'apt-get -qq update && apt-get -qq install -y "$@" >/dev/null' apt "$@"
}

# need_postgres finds a PostgreSQL server, or installs one, and has its tests fail
# instead of being skipped. Debian keeps the server outside of PATH, where the tests
# find it.
need_postgres() {
	if ! command -v postgres >/dev/null && ! ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1; then
		install postgresql
	fi
	need ps procps
	export SHOPAPI_REQUIRE_POSTGRES=1
}

# need_browser finds Node.js and Chromium, or installs them, and has the tests of pages fail
# instead of being skipped.
need_browser() {
	need npm npm
	need chromium-headless-shell chromium-headless-shell
	export SHOPAPI_REQUIRE_CHROMIUM=1
}

# need_pgbouncer does the same for PgBouncer.
need_pgbouncer() {
	[ -x /usr/sbin/pgbouncer ] || need pgbouncer pgbouncer
	export SHOPAPI_REQUIRE_PGBOUNCER=1
}

# quiet COMMAND ...: shows what the command prints only where it fails.
quiet() {
	"$@" >"$work/quiet.log" 2>&1 || { cat "$work/quiet.log"; fail "$*"; }
}

# fuzz TIME CORPORA [FLAG]: runs every fuzz target of both modules for so long, beginning
# with what earlier runs left in the folder CORPORA, and fails unless each of them tried
# something. The test binary of a package is linked once, with the flag, two packages at a
# time, unless .ci/exec has kept it: -fuzz=. has everything compiled again so that the targets
# are led by what they reach.
fuzz() {
	local module package dir binary target targets time ran=0 all
	for module in . bench; do
		go -C "$module" list -f "$module {{.ImportPath}} {{.Dir}}" ./...
	done >"$work/packages"
	mkdir -p "$work/fuzz"
	while read -r module package dir; do
		binary=$(fuzz_binary "$dir")
		! grep -qsE '^func Fuzz' "$dir"/*_test.go || [ -e "$binary" ] || echo "$module $package $binary"
	done <"$work/packages" | FLAG=$3 xargs -P 2 -L 1 sh -c 'go -C "$0" test -c -vet=off $FLAG -o "$2" "$1"' || fail "the fuzz targets are not built"
	while read -r module package dir; do
		targets=$(find "$dir" -maxdepth 1 -name '*_test.go' -exec sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' {} +)
		[ -n "$targets" ] || continue
		binary=$(fuzz_binary "$dir")
		for target in $targets; do
			for time in "$1" 1m; do # where the machine is too busy to get beyond the seeds
				(cd "$dir" && quiet "$binary" -test.run '^$' -test.fuzz "^$target\$" -test.fuzztime "$time" \
					-test.fuzzminimizetime 1x -test.fuzzcachedir "$2/$package")
				! grep -qE 'execs: [1-9]' "$work/quiet.log" || break
			done
			grep -oE 'execs: [1-9][0-9]*' "$work/quiet.log" | tail -1 >"$work/execs" || { cat "$work/quiet.log"; fail "$target tried nothing"; }
			echo "$package $target: $(cat "$work/execs")"
			ran=$((ran + 1))
		done
	done <"$work/packages"
	all=$(grep -rhE '^func Fuzz' --include='*_test.go' . | wc -l)
	[ "$ran" -eq "$all" ] || fail "$ran of $all fuzz targets ran"
	echo "all $all fuzz targets ran"
}

fuzz_binary() { echo "$work/fuzz/$(echo "$1" | tr / _)"; } # DIRECTORY

# start COMMAND ...: starts a server in the background, waits until it has printed
# its address, and sets server (a process id).
start() {
	"$@" >"$work/server.log" 2>&1 &
	server=$!
	for _ in $(seq 300); do
		grep -q 'http://127' "$work/server.log" && return
		kill -0 "$server" 2>/dev/null || break
		sleep 0.1
	done
	cat "$work/server.log"
	fail "$1 did not start"
}

# ask URL WANT [CURL OPTION ...]: the answer must be 2xx and hold WANT.
ask() {
	local url=$1 want=$2
	shift 2
	curl -fsS --max-time 10 "$@" "$url" >"$work/answer" || fail "$url"
	grep -qF "$want" "$work/answer" || fail "$url answered $(head -c 300 "$work/answer")"
	echo "ok $url"
}

# stop_while_answering URL BODY WANT [CURL OPTION ...]: sends half of the body, then
# SIGTERM to the server, then the other half once the server takes no connections any
# more. The request must be answered 2xx with WANT, and the server end with exit code
# 0.
stop_while_answering() {
	local url=$1 body=$2 want=$3 half client
	shift 3
	half=$((${#body} / 2))
	rm -f "$work/body" "$work/client.log"
	mkfifo "$work/body"
	curl -fsS -v --max-time 30 --expect100-timeout 20 -H 'Content-Type: application/json' -H 'Expect: 100-continue' -X POST -T "$work/body" "$@" "$url" \
		>"$work/answer" 2>"$work/client.log" &
	client=$!
	exec 3<>"$work/body" # both ways, so that neither side waits for the other to open it
	printf '%s' "${body:0:half}" >&3
	for _ in $(seq 100); do
		grep -qs '^< HTTP/1.1 100' "$work/client.log" && break # the server asks for the body
		sleep 0.1
	done
	kill -TERM "$server"
	for _ in $(seq 100); do
		curl -s --max-time 2 -o "$work/refused" "$url" || break
		sleep 0.1
	done
	printf '%s' "${body:half}" >&3
	exec 3>&-
	wait "$client" || { grep -v Authorization "$work/client.log"; fail "a request in flight was not answered"; }
	grep -qF "$want" "$work/answer" || fail "a request in flight was answered $(head -c 300 "$work/answer")"
	wait "$server" || { cat "$work/server.log"; fail "the server did not stop cleanly"; }
	server=""
	echo "ok $url, answered after SIGTERM"
}

work=$(mktemp -d)
server=""
cleanup() {
	local job
	for job in $(jobs -p); do
		pkill -P "$job" || true
		kill "$job" 2>/dev/null || true
	done
	rm -rf "$work"
}
trap cleanup EXIT
