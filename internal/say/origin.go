package say

import (
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/hub"
)

// unmeasured says how sure rates are that no measurement stands behind: those of disks that are simulated from specifications.
// It is empty for all others.
func unmeasured(a *analysis.Analysis) string {
	if hub.Source(a.ProfileOrigin) != hub.Specified {
		return ""
	}
	return "How sure: that is not known. The disks are simulated, and the figures are " + hub.Specified.Text() +
		". An interval here is only the model's own noise."
}

// modelled says of other simulated disks what their intervals are about.
func modelled(a *analysis.Analysis) string {
	origin := hub.Source(a.ProfileOrigin).Text()
	if origin == "" {
		return ""
	}
	return " The disks are simulated, with figures that were " + origin + ": what is known is what the model gives, not what real disks do."
}
