use super::{Language, write};
use crate::memo::read_as;

#[track_caller]
fn says(line: &str, wanted: &str) {
    let said = write(line, Language::PowerShell);
    assert!(said.is_whole && said.text.contains(wanted), "{line}: {said:?}");
}

#[test]
fn commands_of_powershell_are_those_of_a_shell() {
    for (line, wanted) in [
        ("Remove-Item -Recurse -Force C:\\", "rm -rf /"),
        ("ri -r -fo 'C:\\*', x", "rm -rf /* x"),
        ("rm -rf /", "rm -rf /"),
        ("Remove-Item x -Recurse:$false", "; rm x"),
        ("gc .env | sls KEY", "cat .env; } | "),
        ("Set-Content a\\b 'x y'", "echo 'x y' > a/b"),
        ("cp a -Destination b -Recurse", "cp -r a b"),
        ("iwr https://x -OutFile a.zip", "curl -o a.zip https://x"),
        ("Get-Process | kill", "kill -9 -1"),
        ("ls src -r *.pyc | ri", "rm src/*.pyc"),
        ("Start-Process git 'push -f'", "git push -f"),
        ("$d = 'C:\\'; rm $d", "v_d=/\n"),
        ("foreach ($x in 'a', 'b') { ni $x }", "for v_x in a b; do"),
        ("$x = @{ rm = 1; b = (git push) }", "git push"),
        ("[IO.File]::ReadAllText(\"$HOME\\.env\")", "cat ~/.env"),
        ("git commit -m \"a `\"b`\" $(git log)\"", "'a \"b\" '\"$(git log)\""),
        ("echo @'\nrm 'x'\n'@", "echo 'rm '\\''x'\\'''"),
        ("a.exe --% /x \"y z\" | more", "a /x 'y z'"),
        ("‘rm’ + 'x'", "echo rmx"),
        ("Get-Item \\\\server\\share\\x", "//server/share/x"),
        ("npm test 2>&1 > $null", "npm test > /dev/null"),
    ] {
        says(line, wanted);
    }
}

#[test]
fn what_is_not_read_to_its_end_is_not_understood() {
    for line in ["echo 'a", "a (b", "a { b", "a <# b", "@'\nx", "@{ a = 1", "$x.Invoke()", "class X { }", ") a"] {
        assert!(!write(line, Language::PowerShell).is_whole, "{line}");
    }
    for line in ["echo \"a", "(a"] {
        assert!(!write(line, Language::Cmd).is_whole, "{line}");
    }
}

#[test]
fn no_line_is_too_long_or_too_deep() {
    for part in [
        "if a ",
        "if exist a ",
        "call ",
        "start ",
        "else ",
        "for %i in (a) do ",
        "return ",
        "$a=",
        "[a]",
        "!",
        "a=@{b=",
        "iex 'iex ",
        "'a'.b(",
        "function a {",
        "a &",
        "a | ? { ",
        "cmd /c ",
        "pwsh -c ",
        "@",
        "^",
        "%a",
        "a;b,",
        "\n|",
        "(",
        "$(",
        "{",
        "@(",
        "@{a=",
        "\"$(",
        "& ",
        ". ",
        "[",
        "a.b(",
        "rm (",
        "if (",
        "%x:",
        "$x+",
        "a|",
        "'",
        "`",
        "-",
    ] {
        for line in [part.repeat(20_000), part.repeat(64 * 1024), format!("{}x", part.repeat(12))] {
            for language in [Language::PowerShell, Language::Cmd] {
                read_as(&line, language);
            }
        }
    }
}

proptest::proptest! {
    #[test]
    fn no_text_makes_it_panic(
        text in "[a-z $`'\"@\\\\(){}\\[\\]<>|&;#=!*?~%^:/,.0-9+\n\t-]{0,80}",
        known in "(rm|iex|&|\\$\\(|@\\{|@'\n|if|for|foreach|%|-enc|-c|cmd /c|pwsh|\\\"|\\)|\\}|\n'@|;|\\|| ){0,20}",
        any in "\\PC{0,60}",
    ) {
        for text in [text, known, any] {
            for language in [Language::PowerShell, Language::Cmd] {
                write(&text, language);
            }
        }
    }
}
