module github.com/hubbench/hubbench

go 1.26.0

require (
	codeberg.org/go-fonts/liberation v0.5.0 // the face of pictures, as wide as Arial
	github.com/HdrHistogram/hdrhistogram-go v1.4.0 // histograms of request latency
	github.com/chromedp/cdproto v0.159.3 // tests: the browser protocol, for input and media types
	github.com/chromedp/chromedp v0.23.0 // tests: pages in a browser
	github.com/go-echarts/go-echarts/v2 v2.6.7 // options of the live charts
	github.com/goccy/go-yaml v1.19.2 // scenarios with line and column of every mistake
	github.com/google/go-cmp v0.7.0 // tests: differences of values
	github.com/hanwen/go-fuse/v2 v2.12.1 // tests: a file system that hangs, fails or lies
	github.com/klauspost/compress v1.20.4 // traces and events kept compressed (zstd)
	github.com/parquet-go/parquet-go v0.25.1 // the catalogue of runs; v0.26 and later link protobuf and geometry, 3 MB more
	github.com/rogpeppe/go-internal v1.16.0 // tests: testscript, a script for each behaviour
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3 // tests: the published schema against good and bad scenarios
	github.com/spf13/cobra v1.10.2 // commands, help and completion
	github.com/spf13/pflag v1.0.10 // types of flags, which cobra exposes; 1.1.0 prints [=true|false] behind each
	go.uber.org/goleak v1.3.0 // tests: goroutines left behind
	go.uber.org/zap v1.28.0 // the log of a run
	golang.org/x/image v0.48.0 // outlines of fonts, for pictures
	golang.org/x/sys v0.50.0 // system calls of macOS, Linux and Windows
	golang.org/x/term v0.48.0 // whether an output is a terminal, and its size
	golang.org/x/text v0.44.0 // width, direction and normal form of Unicode names
	gonum.org/v1/gonum v0.17.0 // distributions, linear algebra, optimisation
	gonum.org/v1/plot v0.17.0 // drawing of static charts
	howett.net/plist v1.0.1 // property lists, which diskutil and ioreg print
)

require (
	codeberg.org/go-latex/latex v0.2.0 // indirect
	git.sr.ht/~sbinet/gg v0.7.0 // indirect
	github.com/ajstarks/svgo v0.0.0-20211024235047-1546f124cd8b // indirect
	github.com/andybalholm/brotli v1.1.1 // indirect
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
	github.com/golang/freetype v0.0.0-20170609003504-e2365dfdc4a0 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/pierrec/lz4/v4 v4.1.21 // indirect
	go.uber.org/multierr v1.10.0 // indirect
	golang.org/x/tools v0.52.0 // indirect
)
