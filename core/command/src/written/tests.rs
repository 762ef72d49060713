//! Lines that are worked out.

use super::{of_line, work_out};

#[test]
fn what_a_line_says_is_worked_out() {
    for (line, wanted) in [
        ("rm -rf \"$(echo /)\"", "rm -rf /"),
        ("rm -rf $(printf '%s' /)", "rm -rf /"),
        ("rm -rf `echo /`", "rm -rf /"),
        ("$(echo rm) -rf /", "rm -rf /"),
        ("\"$(echo r)m\" -rf /", "rm -rf /"),
        ("$(printf '\\162m') -rf /", "rm -rf /"),
        ("rm -rf $(dirname $HOME)", "rm -rf ~/.."),
        ("rm -rf ${HOME%/*}", "rm -rf ~/.."),
        ("rm -rf ${PATH:0:1}", "rm -rf /"),
        ("rm -rf ${x:-/}", "rm -rf /"),
        ("rm -rf ${x-/}", "rm -rf /"),
        ("x=a/b.c; rm -rf /${x%.c}", "rm -rf /a/b"),
        ("for d in a b /; do rm -rf \"$d\"; done", "rm -rf /"),
        ("for d in /*; do rm -rf \"$d\"; done", "rm -rf /*"),
        ("read x <<< /; rm -rf $x", "rm -rf /"),
        ("printf '%s\\n' a / | while read -r d; do rm -rf \"$d\"; done", "rm -rf /"),
        ("f() { rm -rf \"$1\"; }; f /", "rm -rf /"),
        ("f() { \"$@\"; }; f rm -rf /", "rm -rf /"),
        ("function f { $*; }; f rm -rf /", "rm -rf /"),
        ("set -- rm -rf /; \"$@\"", "rm -rf /"),
        ("sh -c 'rm -rf \"$1\"' x /", "rm -rf /"),
        ("echo 'rm -rf /' > x.sh; sh x.sh", "rm -rf /"),
        ("echo 'rm -rf /' > x.sh; chmod +x x.sh && ./x.sh", "rm -rf /"),
        ("cat > x.sh <<'E'\nrm -rf /\nE\nbash x.sh", "rm -rf /"),
        ("cat > x.sh <<E\nrm -rf /\nE\n. ./x.sh", "rm -rf /"),
        ("printf 'rm -rf /' | sh", "rm -rf /"),
        ("rm -rf $(echo Lw== | base64 -d)", "rm -rf /"),
        ("bash -c \"$(echo cm0gLXJmIC8= | base64 --decode)\"", "rm -rf /"),
        ("printf 'a:\\n\\trm -rf /\\n' | make -f -", "rm -rf /"),
        ("echo / | xargs rm -rf", "rm -rf /"),
        ("cd / && for d in *; do rm -rf $d; done", "cd / && rm -rf *"),
        ("X='rm -rf'; $X /", "rm -rf /"),
        ("rm${IFS}-rf${IFS}/", "rm -rf /"),
        ("rm$IFS-rf$IFS/", "rm -rf /"),
        ("a=(rm -rf /); \"${a[@]}\"", "rm -rf /"),
        ("a=(rm -rf); a+=(/); ${a[*]}", "rm -rf /"),
        ("a=(x /); rm -rf ${a[1]}", "rm -rf /"),
        ("a=(/); (a=(x)); rm -rf $a", "rm -rf /"),
        ("a=(x); eval \"$(echo rm -rf /)\"", "rm -rf /"),
        ("for f in x; do echo a > /etc/$f; done", "echo a >/etc/x"),
    ] {
        let written = of_line(line);
        assert!(written.lines.iter().any(|line| line == wanted), "{line}: {:?}", written.lines);
        assert!(!written.is_cut, "{line}");
    }
}

#[test]
fn what_a_line_does_not_say_stays_as_it_is() {
    for (line, wanted) in [
        ("rm -rf \"$(mktemp -d)\"", &[][..]),
        ("rm -rf $(git rev-parse --show-toplevel)/build", &[]),
        ("rm -rf \"$X\"/*", &[]),
        ("old=$IFS; IFS=,; read -r a b; IFS=$old", &[]),
        ("build() { cargo build; }; build", &[]),
        ("for f in *.o; do rm \"$f\"; done", &["rm *.o"]),
        ("echo 'npm test' > run.sh; sh run.sh", &["npm test"]),
    ] {
        assert_eq!(of_line(line).lines, wanted, "{line}");
    }
}

#[test]
fn work_is_bounded() {
    let values = |count: usize| "a ".repeat(count);
    let loops = format!("for a in {0}; do for b in {0}; do rm $a$b; done; done", values(500));
    assert!(of_line(&loops).is_cut);
    let numbers: Vec<String> = (0..400).map(|number: u32| number.to_string()).collect();
    let many = of_line(&format!("for a in {}; do rm $a; done", numbers.join(" ")));
    assert!(many.is_cut && many.lines.len() <= super::MAX_LINES);
    let doubled = format!("x=aaaaaaaa; {} rm $x", "x=$x$x; ".repeat(40));
    assert!(of_line(&doubled).is_cut);
    of_line("f() { f; f; f; }; f");
    of_line(&format!("echo {}x{}", "$(".repeat(500), ")".repeat(500)));
}

#[test]
fn a_small_stack_bears_every_nesting() {
    let works_out = || {
        for (open, close) in [
            ("(", ")"),
            ("{ ", "; }"),
            ("$(", ")"),
            ("if a; then ", "; fi"),
            ("\"$(", ")\""),
            ("eval ", ""),
            ("${x:-", "}"),
            ("echo '", "' | sh"),
        ] {
            for times in 1..40 {
                let nested = format!("{}f $x{}", open.repeat(times), close.repeat(times));
                work_out(&nested);
                work_out(&format!("f() {{ {nested}; }}; f $y"));
            }
        }
    };
    let thread = std::thread::Builder::new().stack_size(1024 * 1024).spawn(works_out).unwrap();
    thread.join().unwrap();
}

proptest::proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "[a-z $`'\"\\\\(){}\\[\\]<>|&;#=!*?~%:/@\n\t,.0-9-]{0,80}", any in "\\PC{0,60}") {
        work_out(&text);
        work_out(&any);
    }
}
