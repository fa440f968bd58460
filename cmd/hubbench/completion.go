package main

import "github.com/spf13/cobra"

// describeCompletion adds the command that cobra makes, and says how to use it.
func describeCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	if c, _, err := root.Find([]string{"completion"}); err == nil {
		c.Short = "Set up your shell so that Tab completes"
		c.Long = `Print a script that lets Tab complete commands, flags, formats and files. The packages for Linux and
Homebrew install it; otherwise add the line of your shell to its start-up file:

    bash (~/.bashrc)                   source <(hubbench completion bash)
    zsh (~/.zshrc, after compinit)     source <(hubbench completion zsh)
    fish (~/.config/fish/config.fish)  hubbench completion fish | source
    PowerShell ($PROFILE)              hubbench completion powershell | Out-String | Invoke-Expression`
		c.Example = "  hubbench completion bash > " +
			"~/.local/share/bash-completion/completions/hubbench"
	}
}
