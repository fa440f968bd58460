#!/usr/bin/env bash
# Measures every claim that the README and the manual make of hubbench's numbers, for those who doubt them, on their own
# machine, and prints a table of what is true, what was measured, and whether it holds. make proof starts it:
#
#	[SHORT=1|FULL=1] testdata/proof/proof.sh [CLAIM...]
#
# claims.txt lists the claims, and for each the tests that measure it. They run one after the other, so that none disturbs
# another; bin/proof.log has all that they say. A test that crashes, takes too long or reports nothing is a claim that
# fails; what can't be measured here is left out, with the reason. It exits with 1 if a claim fails, and with 130 if it was
# interrupted.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
[[ -z ${SHORT-} || -z ${FULL-} ]] || { echo 'proof: give SHORT=1 or FULL=1, not both' >&2; exit 2; }
command -v column >/dev/null || { echo 'proof: install column (on Debian in bsdextrautils)' >&2; exit 2; }
set=1 # 0 short, 1 usual, 2 full
[[ -z ${SHORT-} ]] || set=0
[[ -z ${FULL-} ]] || set=2
list=testdata/proof/claims.txt
for claim; do
	grep -q "^$claim " "$list" || { echo "proof: no claim $claim; $list lists them" >&2; exit 2; }
done
mkdir -p bin
log=${LOG:-bin/proof.log} results=$(mktemp)
: >"$log"
trap 'rm -f "$results"' EXIT
interrupted=
trap interrupted=1 INT TERM

printf '%s, %s, %s processor cores, user %s\n' \
	"$(git describe --tags --always --dirty 2>/dev/null)" "$(uname -sm)" "$(getconf _NPROCESSORS_ONLN)" "$(id -un)"
echo "CLAIM|TRUTH|MEASURED|WANTED|HOLDS|CASE" | tr '|' '\t' >"$results"

# findings takes from what go test -v says the lines of the table: what tests report, and why they were skipped. A test
# that fails without a finding that does, or says nothing at all, is a line too.
findings() {
	awk -v OFS='\t' -v claim="$1" -v status="$2" '
		{ sub(/\r$/, "") }
		match($0, /^=== ATTR +[^ ]+ hubbench-finding /) {
			row = substr($0, RLENGTH + 1); print row; n++
			if (split(row, cell, "\t") && cell[5] == "no") bad++
			next
		}
		/^=== (RUN|CONT|NAME) / { test = $3; next }
		/^ *--- SKIP: / { # parts of one test are mostly left out for one reason
			n++
			name = $3; sub("/.*", "", name)
			if (!told[name, said[$3]]++) print claim, "-", "-", "-", "left out", name ": " said[$3]
			next
		}
		/^ *--- FAIL: / { if (said[$3] != "" && wrong == "") wrong = $3 ": " said[$3]; next }
		match($0, /^ +[^ ]+\.go:[0-9]+: /) { said[test] = substr($0, RLENGTH + 1); next }
		/^(panic: |.*\.go:[0-9]+:[0-9]+: )/ { if (crash == "") crash = $0 }
		END {
			if (crash == "" && wrong == "") crash = "go test ended with " status
			if (status && !bad) print claim, "-", "-", "-", "no", (wrong != "" ? wrong : crash)
			else if (!n) print claim, "-", "-", "-", "no", "the tests report nothing"
		}' | tee -a "$results" | awk -F'\t' '$5 == "no" {print "  fails: " $6 ($3 == "-" ? "" : ": " $3 "; want " $4)}'
}

while IFS= read -r line; do
	case $line in
	[a-z]*) claim=${line%% *} && continue ;;
	'    by '*) ;;
	*) continue ;;
	esac
	read -r _ from minutes line <<<"$line"
	IFS=';' read -r command short usual full <<<"$line"
	case $from in short) from=0 ;; usual) from=1 ;; *) from=2 ;; esac
	extra=("$short" "$usual" "$full")
	((set == 2)) && minutes=$((minutes * 20))
	[[ -z $interrupted ]] && [[ $# == 0 || " $* " == *" $claim "* ]] || continue
	read -ra args <<<"$command ${extra[set]-}"
	if ((from > set)); then
		printf '%s\t-\t-\t-\tleft out\tgo test %s: %s\n' "$claim" "${args[*]}" "$(
			((from == 2)) && echo 'with FULL=1 alone' || echo 'SHORT=1 leaves it out'
		)" >>"$results"
		continue
	fi
	printf '%s: go test %s\n' "$claim" "${args[*]}"
	printf -- '-- %s: go test %s\n' "$claim" "${args[*]}" >>"$log"
	go test -v -count=1 -timeout="${minutes}m" "${args[@]}" </dev/null 2>&1 | tee -a "$log" >"$results.one"
	status=${PIPESTATUS[0]}
	[[ -n $interrupted ]] || findings "$claim" "$status" <"$results.one"
	rm -f "$results.one"
done <"$list"

echo
column -t -s $'\t' <"$results"
awk -F'\t' -v interrupted="$interrupted" '
	NR > 1 { if (!($1 in held)) order[++n] = $1; held[$1] += $5 == "yes"; failed[$1] += $5 == "no" }
	END {
		for (i = 1; i <= n; i++) {
			if (failed[order[i]]) fails = fails (bad++ ? ", " : "") order[i]
			else if (held[order[i]]) good++
			else out = out (left++ ? ", " : "") order[i]
		}
		if (interrupted) printf "Interrupted. "
		printf "%d of %d claims hold.", good, good + bad
		if (bad) printf " These fail: %s.", fails
		if (left) printf " Not measured here: %s.", out
		print ""
		exit interrupted ? 130 : bad > 0
	}' "$results"
