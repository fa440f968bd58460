package report

import "github.com/hubbench/hubbench/pkg/analysis"

// Cost is what the hub costs a disk that was measured alone on the hub and on its own port.
type Cost struct {
	analysis.HubCost
	Key  Key
	Verb string
}
