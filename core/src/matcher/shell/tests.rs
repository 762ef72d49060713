//! Command lines, and what is found in them.

use super::*;

fn texts(line: &str) -> Vec<String> {
    let line = parse(line).unwrap_or_else(|| panic!("{line} is parsed"));
    line.commands.into_iter().flat_map(|command| command.texts).collect()
}

#[test]
fn every_simple_command_is_found() {
    assert_eq!(texts("A=1 B=2 git push && (ls | wc -l); { rm x; }"), ["git push", "ls", "wc -l", "rm x"]);
    assert_eq!(texts("if a; then b; else c; fi; for i in x; do d; done"), ["a", "b", "c", "d"]);
    assert_eq!(texts("case x in y) e;; esac\nf() { g; }"), ["e", "g"]);
    assert_eq!(texts("[[ -n $(h) ]] && cat <(i) <<< `j`")[..1], ["h".to_owned()]);
}

#[test]
fn substituted_commands_are_found_at_every_depth() {
    let found = texts("echo \"$(git push $(rm -rf /))\" `ls`");
    for command in ["rm -rf /", "ls"] {
        assert!(found.iter().any(|text| text == command), "{found:?}");
    }
    let found = texts("cat <<EOF\n$(git push)\nEOF\n");
    assert!(found.contains(&"git push".to_owned()), "{found:?}");
    assert!(!texts("cat <<'EOF'\n$(git push)\nEOF\n").contains(&"git push".to_owned()));
    assert!(texts("X=$(git push)").contains(&"git push".to_owned()));
    assert!(texts("cat > $(git push)").contains(&"git push".to_owned()));
}

#[test]
fn quotes_do_not_hide_a_command() {
    for line in ["g\"i\"t 'push'", "\\git push", "git  'pu'sh", "sudo -u me git push", "timeout 5 git push"] {
        assert!(texts(line).contains(&"git push".to_owned()), "{line}: {:?}", texts(line));
    }
}

#[test]
fn what_is_filled_in_later_is_said() {
    assert!(parse("$CMD push").is_some_and(|line| line.is_dynamic && line.commands[0].is_nameless));
    assert!(parse("git $X").is_some_and(|line| line.is_dynamic && !line.commands[0].is_nameless));
    assert!(parse("git '$X'").is_some_and(|line| !line.is_dynamic));
    assert_eq!(parse("echo ${X:-$(git push)}"), None);
}

#[test]
fn what_cannot_be_parsed_is_said_and_takes_no_time() {
    assert_eq!(parse("echo 'unclosed"), None);
    assert_eq!(parse("if true"), None);
    for open in
        ["(", "( ", "{ ", "$(", "${", "`", "[[ ( ", "if ", "! ", "case x in y) ", "\"$(", "<(", "$((", "[", "\\`"]
    {
        for times in [3, 40, 4000] {
            let _ = parse(&open.repeat(times));
        }
    }
    assert_eq!(parse(&"a ".repeat(MAX_LENGTH)), None);
}
