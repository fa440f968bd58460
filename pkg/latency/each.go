package latency

// Each calls f for every bucket that counted something in what Encode has written, by time: its least and greatest time,
// and how many. After an error, f may have been called for some of them.
func Each(text string, f func(lowNS, highNS, n int64)) error {
	_, _, err := scan(text, func(bucket int, count uint64) {
		low, high := bounds(bucket)
		f(low, high, int64(count))
	})
	return err
}
