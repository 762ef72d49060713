//! Command lines, and what is found in them.

use std::cell::Cell;

use proptest::prelude::*;

use super::*;

/// What a line is that is understood whole.
fn parse(text: &str) -> Option<Line> {
    let parsed = super::parse(text);
    parsed.is_whole.then_some(parsed.line)
}

thread_local! {
    /// Whether lines are read as by a parser that panics.
    pub(super) static PANICS: Cell<bool> = const { Cell::new(false) };
}

fn texts(line: &str) -> Vec<String> {
    let line = parse(line).unwrap_or_else(|| panic!("{line} is understood"));
    line.commands.into_iter().flat_map(|command| command.texts).collect()
}

/// The programs of a line's commands with their words, those behind another that starts them too.
fn runs(line: &str) -> Vec<String> {
    let line = parse(line).unwrap_or_else(|| panic!("{line} is understood"));
    let joined = |(program, args, _): (&str, &[Word], bool)| {
        [program].into_iter().chain(args.iter().map(|word| word.plain.as_str())).collect::<Vec<_>>().join(" ")
    };
    line.commands.iter().flat_map(|command| command.runs().map(joined)).collect()
}

#[test]
fn what_starts_programs_hides_none() {
    for (line, wanted) in [
        ("A=b make x", &["env A=b make x", "make x"][..]),
        ("X=1; A=$X B='c d' make", &["env A=1 B=c d make", "make"]),
        ("npx -y prisma reset", &["npx -y prisma reset", "prisma reset"]),
        ("yarn prisma reset", &["yarn prisma reset", "prisma reset"]),
        ("yarn --version", &["yarn --version"]),
        ("bundle exec rails x", &["bundle exec rails x", "rails x"]),
        ("poetry run python3 -m twine y", &["poetry run python3 -m twine y", "python3 -m twine y", "twine y"]),
        ("python3.12 -u manage.py flush", &["python3.12 -u manage.py flush", "manage.py flush"]),
        ("python3 -c x y", &["python3 -c x y"]),
        ("A=b", &[]),
    ] {
        assert_eq!(runs(line), wanted, "{line}");
    }
}

#[test]
fn every_simple_command_is_found() {
    assert_eq!(texts("A=1 B=2 git push && (ls | wc -l); { rm x; }"), ["git push", "ls", "wc -l", "rm x"]);
    assert_eq!(texts("if a; then b; else c; fi; for i in x; do d; done"), ["a", "b", "c", "d"]);
    assert_eq!(texts("case x in y) e;; esac\nf() { g; }"), ["e", "g"]);
    assert_eq!(texts("[[ -n $(h) ]] && cat <(i) <<< `j`")[..3], ["h", "i", "j"]);
    assert_eq!(texts("( ( a ); b ); ((c))"), ["c", ":", "a", "b", ":"]);
}

#[test]
fn substituted_commands_are_found_at_every_depth() {
    let found = texts("echo \"$(git push $(rm -rf /))\" `ls`");
    for command in ["rm -rf /", "ls"] {
        assert!(found.iter().any(|text| text == command), "{found:?}");
    }
    for line in
        ["cat <<EOF\n$(git push)\nEOF\n", "cat <<EOF\n'$(git push)' \"\nEOF", "X=$(git push)", "cat > $(git push)"]
    {
        assert!(texts(line).contains(&"git push".to_owned()), "{line:?}");
    }
    assert!(!texts("cat <<'EOF'\n$(git push)\nEOF\n").contains(&"git push".to_owned()));
    assert_eq!(
        texts("git commit -m \"$(cat <<'EOF'\nIt's (done) `x` \"q $(y)\nEOF\n)\""),
        ["cat", "git commit -m \"${_}\"", "git commit -m ${_}"]
    );
}

#[test]
fn quotes_do_not_hide_a_command() {
    for line in [
        "g\"i\"t 'push'",
        "\\git push",
        "git  'pu'sh",
        "sudo -u me git push",
        "timeout 5 git push",
        "gi\\\nt push",
        "/usr/bin/git push",
        "sh -c 'git push'",
        "bash -euo pipefail -c \"git push\"",
        "eval git push",
        "env -S 'git push'",
        "env -S'git push'",
        "find . -exec git push \\;",
        "xargs -n 1 git push",
        "trap 'git push' EXIT",
    ] {
        assert!(texts(line).iter().any(|text| text.starts_with("git push")), "{line}: {:?}", texts(line));
    }
}

#[test]
fn what_is_filled_in_later_is_said() {
    assert!(parse("$CMD push").is_some_and(|line| line.is_dynamic && line.commands[0].is_nameless));
    assert!(parse("git $X").is_some_and(|line| line.is_dynamic && !line.commands[0].is_nameless));
    assert!(parse("git '$X'").is_some_and(|line| !line.is_dynamic));
    assert!(parse("g?t x").is_some_and(|line| line.commands[0].is_nameless));
    assert!(parse("{git,x}").is_some_and(|line| line.commands[0].is_nameless));
    assert!(parse("git a*").is_some_and(|line| line.commands[0].words[1].is_patterned));
    assert_eq!(parse("echo ${X:-$(git push)}"), None);
}

#[test]
fn everyday_lines_are_understood() {
    for line in [
        "cd src && cargo test --all-features 2>&1 | tail -20",
        "git log --oneline -5 # what was last",
        "for f in *.rs; do echo \"$f\"; done",
        "i=0; while [ $i -lt 3 ]; do i=$((i+1)); done",
        "find . -name '*.py' -not -path './x/*' | xargs grep -l 'foo(' | head",
        "awk '{print $1}' < in.txt | sort -u > out.txt",
        "curl -s \"https://x.example/a?b=c&d=e\" -H 'A: b' | jq -r '.a[] | .b'",
        "cat > a.txt <<'EOF'\nit's \"text\" with $x and `y`\n\\\nEOF\necho done",
        "docker run --rm -v \"$PWD\":/w -w /w image sh -c 'ls -la && pwd'",
        "[[ -f x && $a == b* ]] && echo \"${a%.*} ${#b} ${c:-none}\" || true",
        "python3 - <<'PY'\nprint('a')\nPY",
        "a=(1 2 3); echo \"${a[@]}\" \"${a[0]}\"",
        "function f() { local x=1; echo \"$x\"; }; f",
        "case \"$1\" in a|b) echo x;; *) echo y;; esac",
        "git stash show -p stash@{0}; git show HEAD^",
        "echo a \\\n  b \\\n  && ls",
        "npm run test:unit -- --grep 'a (b)'",
        "sudo apt-get install -y x",
        "nohup ./server --port 80 > log 2>&1 &",
        "export PATH=\"$HOME/bin:$PATH\"",
        "diff <(sort a) <(sort b)",
    ] {
        assert!(parse(line).is_some(), "{line}");
    }
}

#[test]
fn what_a_shell_reads_once_more_is_not_understood() {
    let lines: Vec<String> = serde_json::from_str(include_str!("tests/evaluated_again.json")).unwrap();
    for line in &lines {
        assert_eq!(parse(line), None, "{line}");
    }
}

#[test]
fn arithmetic_that_sets_a_variable_does_more() {
    for line in
        ["git $((PATH=1))", "git $((x += 1))", "git $((x<<=1))", "git $((x++))", "git $((--x))", "LC_ALL[x=1]=y git"]
    {
        assert!(parse(line).is_some_and(|line| line.does_more), "{line}");
    }
    for line in ["git $((x + 1))", "git $((x<=1))", "git $((x >= 1 && x != 2 || x == 3))", "git $((x << 1 - 1))"] {
        assert!(parse(line).is_some_and(|line| !line.does_more), "{line}");
    }
}

#[test]
fn plain_numbers_and_texts_are_understood_side_by_side() {
    for line in [
        "x='a[b]'; RANDOM=5; echo $x",
        "i=$((BASH_LINENO + i))",
        "echo 'a[$(b)]' $((i + 1))",
        "for i in 1 2 3; do echo $((i)); done; [[ $i -eq 3 && $# -gt 0 && ${#a} -lt 2 && ${#b[@]} -eq 0 ]]",
        "f() { local x=$1; export Y=$x; }; a=(1 $2); declare -a b=($x)",
        "PS4='+ '; set -x; ENV=test make; COLUMNS=80 ls 'a[$(b)]'",
        "env A='x[$y]' B=2 make",
        "env B=2 make; x=my_var; echo $((x))",
    ] {
        assert!(parse(line).is_some(), "{line}");
    }
}

#[test]
fn what_cannot_be_parsed_is_said_and_takes_no_time() {
    assert_eq!(parse("echo 'unclosed"), None);
    assert_eq!(parse("if true"), None);
    for open in [
        "(",
        "( ",
        "((",
        "{ ",
        "$(",
        "${",
        "`",
        "[[ ( ",
        "if ",
        "! ",
        "case x in y) ",
        "\"$(",
        "<(",
        "$((",
        "[",
        "\\`",
        "<<A\n",
        "{a,",
        "sh -c '",
    ] {
        for times in [3, 40, 4000, 50_000] {
            let _ = parse(&open.repeat(times));
        }
    }
    assert_eq!(parse(&"a ".repeat(MAX_LENGTH)), None);
    let long = format!("cat <<'A'\n{}\nA\nls", "x".repeat(MAX_LENGTH - 20));
    assert_eq!(texts(&long), ["cat", "ls"]);
}

#[test]
fn a_small_stack_bears_every_nesting() {
    let reads = || {
        for (open, close) in
            [("(", ")"), ("{ ", "; }"), ("$(", ")"), ("if a; then ", "; fi"), ("\"$(", ")\""), ("eval ", "")]
        {
            for times in 1..40 {
                let _ = parse(&format!("{}ls{}", open.repeat(times), close.repeat(times)));
            }
        }
        let quoted = (0..9).fold("ls".to_owned(), |line, _| format!("sh -c '{}'", line.replace('\'', "'\\''")));
        let _ = parse(&quoted);
    };
    let reader = std::thread::Builder::new().stack_size(1024 * 1024).spawn(reads).unwrap();
    reader.join().unwrap();
}

proptest::proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(text in "[a-z $`'\"\\\\(){}\\[\\]<>|&;#=!*?~\n\t,.0-9-]{0,80}", any in "\\PC{0,60}") {
        let _ = parse(&text);
        let _ = parse(&any);
    }
}

/// What lines are made of: what opens, closes, quotes and joins, and letters that parsers trip over.
const PIECES: &[&str] = &[
    "(",
    ")",
    "((",
    "))",
    "{",
    "}",
    "{ ",
    "; }",
    "[",
    "]",
    "[[ ",
    " ]]",
    "$(",
    "${",
    "$((",
    "$'",
    "$\"",
    "$[",
    "$",
    "`",
    "\\`",
    "<(",
    ">(",
    "'",
    "\"",
    "\\",
    "\\\n",
    "\n",
    "\t",
    " ",
    " ",
    " ",
    ";",
    ";;",
    "&",
    "&&",
    "|",
    "||",
    "|&",
    "!",
    "#",
    "<",
    ">",
    "<<",
    "<<-",
    "<<<",
    ">>",
    "&>",
    "2>&1",
    ">|",
    "<>",
    "{fd}>",
    "<<A\n",
    "\nA\n",
    "if ",
    "then ",
    "else ",
    "elif ",
    "fi",
    "for ",
    "in ",
    "do ",
    "done",
    "case ",
    "esac",
    "while ",
    "until ",
    "select ",
    "function ",
    "coproc ",
    "time ",
    "a",
    "git",
    "x=",
    "x+=",
    "a[",
    "=(",
    "@(",
    "?(",
    "*(",
    "+(",
    "!(",
    "*",
    "?",
    "~",
    "~+",
    "-",
    "--",
    ":",
    "=",
    "==",
    "=~",
    "-v ",
    "-eq ",
    "%",
    "##",
    "@",
    "^",
    ",",
    "..",
    "{1..",
    "{a,",
    "0",
    "9999999999999999999",
    "08",
    "-1",
    "16#",
    "é",
    "\u{202e}",
    "\u{feff}",
    "\u{10ffff}",
    "\u{301}",
    "\0",
    "\r",
    "\x1b",
    "${x:",
    "${x/",
    "${!",
    "${#",
    "@Q}",
    ":-1}",
    "sh -c '",
    "eval ",
    "trap ",
    "env -S ",
    "xargs ",
    "find . -exec ",
];

fn cases() -> u32 {
    std::env::var("HOOKWEAVE_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(1_000)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever a line is made of, it is read or not understood; the parser neither panics nor takes its time.
    #[test]
    fn no_line_makes_the_parser_panic(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..24),
        times in 1..12_usize,
        closes in any::<bool>(),
    ) {
        let line = pieces.concat();
        let closing: String = pieces.iter().rev().map(|piece| match piece.chars().last() {
            Some('(') => ")", Some('{') => "}", Some('[') => "]", Some('\'') => "'", Some('"') => "\"", Some('`') => "`", _ => "",
        }).collect();
        let _ = read_whole(&line);
        let _ = read_whole(&line.repeat(times));
        if closes {
            let _ = read_whole(&format!("{line}ls{closing}"));
            let _ = read_whole(&format!("{}ls{}", line.repeat(times), closing.repeat(times)));
        }
    }
}

#[test]
fn where_find_searches_is_no_command() {
    for line in ["find .", "find . -name x -delete", "find . . -exec ls {} +"] {
        assert!(parse(line).is_some_and(|line| !line.does_more), "{line}");
    }
    assert!(parse("find . -exec sh -c ls ;").is_none());
    let line = parse("N=a.o; find . -name \"$N\" -delete").unwrap();
    assert!(line.commands.iter().any(|command| command.texts.iter().any(|text| text == "find . -name a.o -delete")));
}

#[test]
fn a_chain_is_commands_that_all_must_work() {
    let is_chain = |line: &str| parse(line).is_some_and(|line| line.is_chain);
    for line in ["a && b", "cd 'x; y' && b > c && d", "a 2>/dev/null && b", "a 2>&1 && b # c || d", "a &&\nb"] {
        assert!(is_chain(line), "{line}");
    }
    for line in [
        "a",
        "a; b",
        "a && b; c",
        "a && b &",
        "a || b && c",
        "a | b && c",
        "! a && b",
        "(a) && b",
        "a > x && b",
        "a\nb",
        "bash -c 'cd a' && b",
    ] {
        assert!(!is_chain(line), "{line}");
    }
}

#[test]
fn a_line_on_which_the_parser_panics_is_not_understood() {
    PANICS.set(true);
    assert_eq!(parse("ls"), None);
    PANICS.set(false);
    assert!(parse("ls").is_some());
    for line in ["9999999999999999999<<<x rm -rf /", "rm -rf / 9999999999999999999>x", "echo \"$(4294967296<x rm)\""] {
        assert!(!read_whole(line).is_whole, "{line}");
    }
    assert!(parse("rm 123456789>x; echo 99999999999 > x; echo '99999999999' >x").is_some());
}
