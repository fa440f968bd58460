package unit

// What ParseBytes, ParseRate, ParseDuration and ParsePercent accept as regular expressions, for a schema: in the syntax that Go and
// JavaScript share. They say nothing of what is too large, nor of a size that is not a whole number of bytes.
const (
	SizePattern    = `^` + space + number + space + `(?:` + sizeUnit + `)?` + space + `$`
	RatePattern    = `^` + space + number + space + `(?:(?:` + sizeUnit + `)?` + space + `/s)?` + space + `$`
	PercentPattern = `^` + space + number + space + `%` + space + `$`
	TimePattern    = `^` + space + `(?:` + number + space + `(?:ns|us|µs|ms|s|sec|m|min|h)` + space + `)+$`
)

const (
	space    = `[\s\v\x85\p{Z}]*`
	number   = `(?:[0-9]+\.?[0-9]*|\.[0-9]+)`
	sizeUnit = `[Bb]|[KMGTkmgt][Ii]?B|[kmgt][Ii]?b`
)
