//! Programs that run what the line says elsewhere: functions, shells, files that it writes.

use super::fields::Field;
use super::{Paper, prints};
use crate::code::is_interpreter;
use crate::line::{Word, behind_wrappers, is_shell, program_name};
use crate::windows::{self, Handed};

impl Paper {
    /// Runs a command on paper, and says what it prints where that is known.
    pub(super) fn run(&mut self, fields: &[Field], input: Option<&str>) -> Option<String> {
        let words: Vec<Word> = fields.iter().map(|field| Word::of(field.value.as_deref().unwrap_or("$_"))).collect();
        let fields = fields.get(behind_wrappers(&words)..).unwrap_or_default();
        let (first, args) = fields.split_first()?;
        let name = first.value.as_deref()?;
        if let Some(body) = self.functions.get(name).cloned() {
            return self.call(&body, args, input);
        }
        if let Some(handed) = windows_shell(name, args) {
            return self.hidden(&handed, input);
        }
        match program_name(name) {
            "cd" | "pushd" => self.change_folder(args),
            "set" => self.set(args),
            "shift" => self.arguments.iter_mut().for_each(|fields| {
                fields.drain(..usize::from(!fields.is_empty()));
            }),
            "export" | "declare" | "local" | "readonly" | "typeset" => self.declare(args),
            "unset" => args.iter().filter_map(|arg| arg.value.as_deref()).for_each(|name| {
                self.variables.remove(name);
            }),
            "read" => self.read(args, input),
            "printf" if args.first().is_some_and(|arg| arg.value.as_deref() == Some("-v")) => {
                let name = args.get(1)?.value.clone()?;
                let value =
                    prints::of("printf", args.get(2..)?, None).map_or_else(Field::unknown, |text| Field::of(&text));
                self.set_variable(&name, value);
            }
            "eval" => return self.eval(args, input),
            "." | "source" => return self.file_as_text(args.first()?, args.get(1..)?, input),
            "tee" => {
                for file in args.iter().filter_map(|arg| arg.value.clone()) {
                    self.write(&file, input.map(str::to_owned), false);
                }
                return input.map(str::to_owned);
            }
            "cp" | "mv" => self.copy(args),
            "cat" if !args.is_empty() => {
                let texts: Option<Vec<String>> = args.iter().map(|arg| self.file(arg).cloned()).collect();
                return texts.map(|texts| texts.concat());
            }
            "make" | "gmake" => self.make(args, input),
            "xargs" => self.xargs(args, input),
            program if is_shell(program) => return self.shell(args, input),
            program if is_interpreter(program) => self.interpreter(first, args),
            _ if name.contains('/') => return self.file_as_text(first, args, input),
            _ => {}
        }
        prints::of(program_name(name), args, input)
    }

    fn change_folder(&mut self, args: &[Field]) {
        if let Some(folder) = args.last().filter(|_| self.folders.len() < 256) {
            self.folders.extend(["cd ", &folder.source, " && "]);
        }
    }

    /// `set -- a b`.
    fn set(&mut self, args: &[Field]) {
        let is_end = |arg: &Field| arg.value.as_deref() == Some("--");
        if let Some(at) = args.iter().position(is_end) {
            self.arguments = args.get(at + 1..).map(<[Field]>::to_vec);
        } else if args.first().is_some_and(|arg| !arg.source.starts_with(['-', '+'])) {
            self.arguments = Some(args.to_vec());
        }
    }

    fn declare(&mut self, args: &[Field]) {
        for value in args.iter().filter_map(|arg| arg.value.as_deref()) {
            if let Some((name, value)) = value.split_once('=') {
                self.set_variable(name, Field::of(value));
            }
        }
    }

    /// The first line of what is read, a word for each name and the rest for the last one.
    fn read(&mut self, args: &[Field], input: Option<&str>) {
        let names: Vec<&str> =
            args.iter().filter_map(|arg| arg.value.as_deref()).filter(|name| !name.starts_with('-')).collect();
        let line = input.map(|input| input.lines().next().unwrap_or_default());
        let mut rest = line.map(str::trim);
        for (at, name) in names.iter().enumerate() {
            let value = if at + 1 == names.len() {
                rest
            } else {
                let (word, behind) = rest.map(|rest| rest.split_once([' ', '\t']).unwrap_or((rest, ""))).unzip();
                rest = behind.map(str::trim_start);
                word
            };
            self.set_variable(name, value.map_or_else(Field::unknown, Field::of));
        }
    }

    fn eval(&mut self, args: &[Field], input: Option<&str>) -> Option<String> {
        let words: Option<Vec<&str>> = args.iter().map(|arg| arg.value.as_deref()).collect();
        self.hidden(&words?.join(" "), input)
    }

    /// `sh -c TEXT`, `sh FILE`, and a shell that reads its input.
    fn shell(&mut self, args: &[Field], input: Option<&str>) -> Option<String> {
        let mut args = args.iter();
        let mut is_text = false;
        let mut first = None;
        while let Some(arg) = args.next() {
            let word = arg.value.as_deref()?;
            if word == "-" || word == "/dev/stdin" || !word.starts_with(['-', '+']) {
                first = Some(arg).filter(|_| word != "-" && word != "/dev/stdin");
                break;
            }
            is_text |= !word.starts_with("--") && word.contains('c');
            if matches!(word, "-o" | "+o" | "-O" | "+O" | "--rcfile" | "--init-file") {
                args.next();
            }
        }
        let behind: Vec<Field> = args.cloned().collect();
        match first {
            Some(text) if is_text => {
                let text = text.value.clone()?;
                self.with_arguments(behind.get(1..).unwrap_or_default(), |paper| paper.hidden(&text, input))
            }
            Some(file) => self.file_as_text(file, &behind, input),
            None => self.hidden(input?, None),
        }
    }

    /// Runs a file that the line writes.
    fn file_as_text(&mut self, file: &Field, args: &[Field], input: Option<&str>) -> Option<String> {
        let text = self.file(file)?.clone();
        let first = text.lines().next().filter(|line| line.starts_with("#!")).unwrap_or_default();
        let program = first.trim_start_matches("#!").split_whitespace().map(program_name).find(|name| *name != "env");
        if let Some(program) = program.filter(|program| is_interpreter(program)) {
            self.put(&format!("{program} -c {}", Field::of(&text).source));
            return None;
        }
        self.with_arguments(args, |paper| paper.hidden(&text, input))
    }

    fn with_arguments(&mut self, args: &[Field], go: impl FnOnce(&mut Self) -> Option<String>) -> Option<String> {
        let before = self.arguments.replace(args.to_vec());
        let output = go(self);
        self.arguments = before;
        output
    }

    /// The code in a file that the line writes.
    fn interpreter(&mut self, program: &Field, args: &[Field]) {
        let Some(text) = args.iter().find_map(|arg| self.file(arg)) else { return };
        let line = format!("{} -c {}", program.source, Field::of(text).source);
        self.put(&line);
    }

    fn copy(&mut self, args: &[Field]) {
        if let [.., from, to] = args
            && let (Some(text), Some(to)) = (self.file(from).cloned(), &to.value)
        {
            self.write(to, Some(text), false);
        }
    }

    /// The recipes of a file that the line writes.
    fn make(&mut self, args: &[Field], input: Option<&str>) {
        let is_option = |arg: &Field| matches!(arg.value.as_deref(), Some("-f" | "--file" | "--makefile"));
        let named = args.iter().position(is_option).and_then(|at| args.get(at + 1));
        let text = match named {
            Some(file) if file.value.as_deref() == Some("-") => input.map(str::to_owned),
            Some(file) => self.file(file).cloned(),
            None => ["Makefile", "makefile", "GNUmakefile"].iter().find_map(|name| self.files.get(*name)).cloned(),
        };
        let recipes: Vec<&str> =
            text.iter().flat_map(|text| text.lines()).filter_map(|line| line.strip_prefix('\t')).collect();
        for recipe in recipes {
            self.hidden(&recipe.trim_start_matches(['@', '-', '+']).replace("$$", "$"), None);
        }
    }

    /// What `xargs` runs with the words that it reads.
    fn xargs(&mut self, args: &[Field], input: Option<&str>) {
        let Some(input) = input else { return };
        let text = |arg: &Field| arg.value.clone().unwrap_or_default();
        let mut at = 0;
        let mut mark = None;
        while let Some(option) = args.get(at).map(text).filter(|option| option.starts_with('-')) {
            let takes_more = matches!(option.as_str(), "-I" | "-n" | "-P" | "-L" | "-d" | "-s" | "-a" | "-E");
            mark = if option == "-I" { args.get(at + 1).map(text) } else { mark };
            mark = option.strip_prefix("-I").filter(|mark| !mark.is_empty()).map(str::to_owned).or(mark);
            at += if takes_more { 2 } else { 1 };
        }
        let run =
            args.get(at..).unwrap_or_default().iter().map(|field| field.source.as_str()).collect::<Vec<_>>().join(" ");
        if run.is_empty() {
            return;
        }
        let words: Vec<String> = input
            .split(['\n', '\0', ' ', '\t'])
            .filter(|word| !word.is_empty())
            .map(|word| Field::of(word).source)
            .collect();
        match mark {
            Some(mark) => words.iter().for_each(|word| {
                if self.step().is_some() {
                    self.put(&run.replace(&mark, word));
                }
            }),
            None => self.put(&format!("{run} {}", words.join(" "))),
        }
    }
}

/// The line that is handed to a shell of Windows, as another one says it.
fn windows_shell(program: &str, args: &[Field]) -> Option<String> {
    let words: Vec<Option<&str>> = args.iter().map(|arg| arg.value.as_deref()).collect();
    match windows::handed(program, &words)? {
        Handed::Line(line, language) => Some(windows::write(&line, language).text),
        Handed::Nothing | Handed::Unknown => None,
    }
}
