package main

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/machine/mount"
	"github.com/hubbench/hubbench/internal/measure/interrupt"
	"github.com/hubbench/hubbench/internal/measure/prepare"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

type mountOptions struct {
	scale   float64
	backing string
	faults  []string
}

func newMount(p program) *cobra.Command {
	var opts mountOptions
	cmd := &cobra.Command{
		Use:   "mount PROFILE DIR",
		Short: "Mount folders that are as fast as the disks of a hub",
		Long: `Mount a folder in DIR for each disk of a hub profile. The folders hold real files, and reading and
writing them takes as long as on the profile's hub, including its caches and recovery times: any
program can use them. Ctrl-C unmounts them. This needs Linux with FUSE, or macOS with macFUSE.
hubbench devices lists the folders as disks, and hubbench init --disks A,B finds them.

The files are only as fast as the folder behind them: --scale 0.2 slows all rates down to a fifth,
and caches shrink as much, so that everything takes as long as before with a fifth of the bytes.
The profile's noise and its dependence on file size (knee, per_file) are left out.

A fault is DISK:KIND, followed by @2GB or @30s if it begins only after that many bytes or that time: eio (I/O errors), enospc (the disk is full), stall=3s (it stops responding, once), vanish
(the disk is gone), short (reads return half; with io_uring, Linux then returns wrong data), corrupt
(a wrong bit in each read, silently), slowsync=500ms (each flush takes longer).`,
		Example: `  hubbench mount goshen-ridge /tmp/hub --scale 0.2
  hubbench mount my-hub.yaml /tmp/hub --fault B:eio@2GB --fault C:stall=3s@30s`,
		Args: takes(2, 2),
		RunE: func(_ *cobra.Command, args []string) error { return runMount(p, args[0], args[1], opts) },
	}
	f := cmd.Flags()
	f.Float64Var(&opts.scale, "scale", 1, "scale all rates by this `FACTOR`, above 0 and up to 1")
	f.StringVar(&opts.backing, "backing", "", "`FOLDER` that holds the files, and keeps them (default a temporary one beside DIR)")
	f.StringArrayVar(&opts.faults, "fault", nil, "inject a fault, `DISK:KIND[@WHEN]`; repeatable")
	return cmd
}

func runMount(p program, name, dir string, opts mountOptions) error {
	profile, err := prepare.LoadProfile(name)
	if err != nil {
		return usage(err)
	}
	scaled, err := mount.Slowed(profile, opts.scale)
	if err != nil {
		return usage(fmt.Errorf("--scale %g: %w", opts.scale, err))
	}
	if dir == "" {
		return usage(errors.New("mount: DIR is empty; give a folder"))
	}
	what := mount.Options{Profile: scaled, Dir: dir, Backing: opts.backing}
	mistakes := []error{what.Check()}
	for _, text := range opts.faults {
		fault, err := mount.ParseFault(text, profile.Names())
		mistakes = append(mistakes, err)
		what.Faults = append(what.Faults, fault)
	}
	if err := errors.Join(mistakes...); err != nil {
		return usage(err)
	}
	ctx, asked, release := interrupt.Catch(context.Background())
	defer release()
	signal.Reset(syscall.SIGQUIT) // it prints stacks, as of any Go program
	asked.Answer(func() { sayf(p.stderr, "hubbench: unmounting; a second Ctrl-C ends this at once\n") })
	return asked.UntilKilled(2*time.Second, func() error {
		mounted, err := mount.Mount(what)
		if err != nil {
			return err
		}
		for i := range what.Profile.Disks {
			sayf(p.stdout, "%s\n", describeMounted(&what.Profile.Disks[i], dir))
		}
		sayf(p.stderr, "hubbench: mounted; Ctrl-C unmounts\n")
		<-ctx.Done()
		return mounted.Unmount(asked.Killed())
	})
}

// describeMounted is the line of a mounted disk.
func describeMounted(d *hub.Disk, dir string) string {
	rate := func(op trace.Role) string { return unit.FormatRate(d.Side(op).Hub) }
	return fmt.Sprintf("%s: alone it reads %s and writes %s", filepath.Join(dir, d.Name), rate(trace.Read), rate(trace.Write))
}
