package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/hubbench/hubbench/pkg/trace"
)

// judgeAwake takes why the machine may go to sleep; nil if it does not.
func judgeAwake(why error) trace.Check {
	if why != nil {
		return warn("not kept awake: "+why.Error(), "The computer may go to sleep in a long run, which takes disks off their ports.", "turn sleep off in the system's settings while measuring")
	}
	return pass("kept awake on request", "The computer does not go to sleep during a run.")
}

// priority is this process's priority.
type priority struct {
	nice       int  // above zero: after others
	background bool // the system holds back its processor or its requests to disks
	how        string
}

func judgePriority(p priority) trace.Check {
	switch {
	case p.background:
		return fail(p.how, "The system holds this program back: disks look slower than they are.", "start hubbench from a terminal in the foreground, not as a background service, and without ionice")
	case p.nice > 0:
		return warn(p.how, "Other programs have priority: on a busy machine disks look slower than they are.", "start hubbench without nice")
	}
	return pass(p.how, "The program runs at normal priority.")
}

// power is what limits the machine's speed.
type power struct {
	battery, known bool
	saving         string
}

func (o Options) power(ctx context.Context) (p power) {
	if o.Battery != nil {
		p.battery, p.known = o.Battery(ctx)
	}
	if o.Saving != nil {
		p.saving = o.Saving(ctx)
	}
	return p
}

func judgePower(p power) trace.Check {
	source := "power source not known"
	if p.known {
		source = map[bool]string{true: "on battery", false: "on mains"}[p.battery]
	}
	var doubts []string
	if p.battery {
		doubts = append(doubts, "plug the computer in")
	}
	measured := source + ", the processor is not held back"
	if p.saving != "" {
		doubts = append(doubts, "choose performance in the system's power settings")
		measured = fmt.Sprintf("%s, the processor is held back (%s)", source, p.saving)
	}
	if len(doubts) > 0 {
		return warn(measured, "The processor and the ports may be slowed down to save power, and disks with them.", strings.Join(doubts, "; "))
	}
	return pass(measured, "No power saving slows the computer down, as far as the system reports.")
}
