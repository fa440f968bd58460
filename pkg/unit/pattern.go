package unit

// What ParseBytes, ParseRate, ParseDuration and ParsePercent accept as regular expressions, for a schema: in the syntax that Go,
// JavaScript and Python share, which has no classes of Unicode. They say nothing of what is too large, nor of a size that is not a whole number of bytes.
const (
	SizePattern    = `^` + space + number + space + `(?:` + sizeUnit + `)?` + space + `$`
	RatePattern    = `^` + space + number + space + `(?:(?:` + sizeUnit + `)?` + space + `/s)?` + space + `$`
	PercentPattern = `^` + space + number + space + `%` + space + `$`
	TimePattern    = `^` + space + `(?:` + number + space + `(?:ns|us|µs|ms|s|sec|m|min|h)` + space + `)+$`
)

const (
	space    = `[\s\v\x85` + "\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000" + `]*` // as unicode.IsSpace
	number   = `(?:[0-9]+\.?[0-9]*|\.[0-9]+)`
	sizeUnit = `[Bb]|[KMGTkmgt][Ii]?B|[kmgt][Ii]?b`
)
