#!/usr/bin/env bash
# Makes the files of a release out of the commit that is checked out, in bin/release: an archive for each system with the
# program, its manual, completions and the licences of everything in it; deb and rpm packages, a Homebrew formula and a
# Scoop manifest, a list of what is inside (CycloneDX), and SHA256SUMS; and bin/release.md, what is new.
#
#	testdata/release/release.sh v0.1.0 [linux/amd64]    (the version, and one system alone; make release starts it)
#
# The same commit gives the same bytes in any folder, at any time, with the same Go: times are the commit's, and nothing
# else of the machine enters. Needs bin/hubbench and the charts (make build with npm), and GNU's tar, cp and touch, gzip
# and zip. If HUBBENCH_SIGN is a command, it is called with each program, package and archive, which it may change.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
umask 022
tag=${1-} only=${2-}
version=${tag#v} out=$PWD/bin/release homepage=https://github.com/hubbench/hubbench
targets=(darwin/amd64 darwin/arm64 linux/amd64 linux/arm64 windows/amd64)
html=internal/tell/report/html
maxBytes=25500000 # of a program; more than that is looked into before it is released

fail() { printf 'release: %s\n' "$*" >&2; exit 1; }
[[ -n $tag ]] || fail 'name the version, as git describe --tags does'
[[ -z $(git status --porcelain) ]] || fail "commit or remove what git status shows first: $(git status --short)"
[[ -z $only || " ${targets[*]} " == *" $only "* ]] || fail "$only is none of ${targets[*]}"
[[ -s $html/dist/echarts.js.gz && -d $html/node_modules/echarts ]] ||
	fail "no live charts: remove $html/dist/echarts.js.gz and run make build with npm"

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
# Nothing that a person has set changes what is built or how it is packed.
export TZ=UTC LC_ALL=C CGO_ENABLED=0 GOAMD64=v1 GOARM64=v8.0 GOFLAGS= GOEXPERIMENT= GOWORK=off GOENV=off GOFIPS140=off
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
nfpm=$(go tool -modfile=.tools/go.mod -n nfpm)
cyclonedx=$(go tool -modfile=.tools/go.mod -n cyclonedx-gomod)

sign() { [[ -z ${HUBBENCH_SIGN-} ]] || sh -c "$HUBBENCH_SIGN \"\$1\"" sh "$1"; }

# even gives a folder's files the commit's time, and modes that do not depend on the one who checked them out.
even() {
	chmod -R u=rwX,go=rX "$1"
	find "$1" -exec touch -hd "@$SOURCE_DATE_EPOCH" {} +
}

# sortable is the version as dpkg and rpm order versions: what is before a release sorts before it, what is after it after.
sortable() {
	sed -E 's/-([0-9]+)-g([0-9a-f]+)$/+\1.g\2/; s/-/~/g; /\./!s/^/0~g/' <<<"$version"
}

# licences copies the texts of what is linked into the programs or bundled with the charts.
licences() {
	{
		for target; do
			GOOS=${target%/*} GOARCH=${target#*/} go list -deps \
				-f '{{with .Module}}{{if not .Main}}{{.Path}}@{{.Version}}:{{.Dir}}{{end}}{{end}}' ./cmd/hubbench
		done
		echo "std@$(go env GOVERSION | sed 's/^go//'):$(go env GOROOT)"
		(cd "$html" && npm ls --omit=dev --all --long --parseable) | sed -nE 's/^([^:]*node_modules[^:]*):([^:]*).*/\2:\1/p'
	} | sort -u | while IFS=: read -r name dir; do
		mkdir -p "$stage/doc/licenses/$name"
		(
			cd "$dir"
			legal='licen[sc]es?|copying|notice|patents|unlicense|copyrightnotice|third_party_licenses'
			[[ $name == std@* ]] && depth=1 || depth=9
			find . -maxdepth "$depth" -type f ! -name '*.go' ! -path '*/testdata/*' ! -path '*/node_modules/*' |
				{ grep -iE "/($legal)([-._][^/]*)?(/[^/]*)?\$" || true; } | xargs -rd '\n' cp --parents -t "$stage/doc/licenses/$name"
		)
		[[ -n $(ls "$stage/doc/licenses/$name") ]] || fail "$name has no licence in $dir: a person looks at it first"
	done
}

# documents gathers what goes beside the program everywhere.
documents() {
	mkdir -p "$stage/doc/completions"
	bin/hubbench man "$stage/man"
	bin/hubbench man "$stage/doc/manual" --format md
	for section in 1 7; do
		mkdir -p "$stage/doc/man/man$section"
		mv "$stage"/man/*."$section" "$stage/doc/man/man$section/"
	done
	bin/hubbench completion bash >"$stage/doc/completions/hubbench.bash"
	bin/hubbench completion zsh >"$stage/doc/completions/_hubbench"
	bin/hubbench completion fish >"$stage/doc/completions/hubbench.fish"
	bin/hubbench completion powershell >"$stage/doc/completions/hubbench.ps1"
	git ls-files -z 'configs/*.yaml' 'configs/*.md' 'configs/*.sql' 'configs/*.json' | xargs -0 cp --parents -t "$stage/doc"
	cp LICENSE .github/CHANGELOG.md "$stage/doc/"
	# What the README links to is not in archives.
	sed "s,](\.github/,]($homepage/blob/main/.github/,g; s,](testdata/,]($homepage/raw/main/testdata/,g" README.md >"$stage/doc/README.md"
}

# system builds the program for a system and packs it.
system() {
	local os=${1%/*} arch=${1#*/} base=hubbench_${version}_${1%/*}_${1#*/} program=hubbench
	[[ $os != windows ]] || program=hubbench.exe
	cp -r "$stage/doc" "$stage/$base"
	# Functions begin at multiples of 16 bytes also on amd64, where it is 32 by default: a hundredth less.
	GOOS=$os GOARCH=$arch go build -trimpath -buildvcs=false -ldflags="-s -w -funcalign=16 -X main.version=$tag" \
		-o "$stage/$base/$program" ./cmd/hubbench
	sign "$stage/$base/$program"
	local bytes
	bytes=$(wc -c <"$stage/$base/$program")
	echo "$1: $bytes bytes"
	((bytes <= maxBytes)) || fail "the program has more than $maxBytes bytes: see what was linked in"
	even "$stage/$base"
	if [[ $os != linux ]]; then # a zip is what Windows opens, and what Apple's notary takes
		(cd "$stage" && find "$base" | sort | zip -q9X "$out/$base.zip" -@)
		return
	fi
	tar --sort=name --format=gnu --owner=root:0 --group=root:0 -C "$stage" -c "$base" | gzip -9n >"$out/$base.tar.gz"
	rm -rf "$stage/man"
	cp -r "$stage/doc/man" "$stage/man"
	gzip -9n "$stage"/man/*/*
	gzip -9nc .github/CHANGELOG.md >"$stage/changelog.gz"
	even "$stage"
	for kind in deb rpm; do
		DIR=$stage/$base STAGE=$stage ARCH=$arch VERSION=$(sortable) \
			"$nfpm" package --config testdata/release/nfpm.yaml --packager "$kind" --target "$out/$base.$kind"
	done
}

rm -rf "$out"
mkdir -p "$out"
title="## $tag"
[[ $tag == v* && ! $tag =~ -[0-9]+-g[0-9a-f]+$ ]] || title='## Unreleased' # a commit between releases
awk -v title="$title" '/^## /{on = $0 == title; next} on' .github/CHANGELOG.md | sed '/./,$!d' >"$out.md"
grep -q . "$out.md" || fail ".github/CHANGELOG.md says nothing under \"$title\": write there what is new"
documents
licences ${only:-"${targets[@]}"}
for target in ${only:-"${targets[@]}"}; do system "$target"; done
# The program for Windows holds what the others do. What a tool says of itself differs from one build of it to the next.
GOOS=windows "$cyclonedx" app -json -licenses -std -noserial -notimestamp -main cmd/hubbench . 2>"$stage/cyclonedx.log" |
	sed '/^    "tools": \[/,/^    \],/d' >"$out/hubbench_$version.cdx.json" || { cat "$stage/cyclonedx.log"; exit 1; }
for file in "$out"/*.{zip,tar.gz,deb,rpm}; do [[ ! -e $file ]] || sign "$file"; done
if [[ -z $only ]]; then
	fill=(-e "s,@VERSION@,$version,g" -e "s,@HOME@,$homepage,g" -e "s,@URL@,$homepage/releases/download/$tag/,g")
	for file in "$out"/*.{zip,tar.gz}; do
		name=${file#"$out/hubbench_${version}_"}
		fill+=(-e "s,@SHA_${name%%.*}@,$(sha256sum <"$file" | cut -d' ' -f1),g")
	done
	for name in hubbench.rb hubbench.json; do sed "${fill[@]}" "testdata/release/$name.in" >"$out/$name"; done
fi
(cd "$out" && sha256sum -- * >"$stage/SHA256SUMS" && mv "$stage/SHA256SUMS" .)
sign "$out/SHA256SUMS"
