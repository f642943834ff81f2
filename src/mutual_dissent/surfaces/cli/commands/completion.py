"""`dissent completion`: the script that makes a shell complete our commands."""

from __future__ import annotations

import click

from mutual_dissent.surfaces.cli.options import examples

WHERE = {
    "bash": '~/.bash_completion.d/dissent, or: eval "$(dissent completion bash)" in ~/.bashrc',
    "zsh": '_dissent in a folder of $fpath, or: eval "$(dissent completion zsh)" in ~/.zshrc',
    "fish": "~/.config/fish/completions/dissent.fish",
}


@click.command(
    "completion",
    epilog=examples(
        'eval "$(dissent completion bash)"',
        'eval "$(dissent completion zsh)"',
        "dissent completion fish > ~/.config/fish/completions/dissent.fish",
    ),
)
@click.argument("shell", type=click.Choice(list(WHERE)))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the completion script for your shell.

    It goes into the file that your shell reads at its start.
    """
    from click.shell_completion import get_completion_class

    program = ctx.find_root().info_name or "dissent"
    kind = get_completion_class(shell)
    assert kind is not None
    variable = f"_{program}_COMPLETE".replace("-", "_").upper()
    completion = kind(ctx.find_root().command, {}, program, variable)
    click.echo(f"# For {shell}: {WHERE[shell]}")
    script = completion.source_template % completion.source_vars()
    # Click's script for fish takes the first comma of a value or its help for the end.
    click.echo(script.replace('string split ","', 'string split --max 1 ","'))
