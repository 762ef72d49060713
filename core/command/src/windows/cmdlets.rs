//! What PowerShell's commands are to rules: their own names in one spelling, and the words of a shell for the same.

use super::words::{Style, Word, quoted};
use super::{Language, at_depth, behind, group, shells};

/// What a command does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Does {
    /// Deletes files.
    Remove,
    /// Prints files.
    Read,
    /// Prints what of files has a pattern.
    Search,
    /// Writes files, with what is put behind `>`.
    Write(&'static str),
    /// Writes what it is piped.
    Save,
    Copy,
    Move,
    Make,
    /// Changes a key of the registry.
    Key,
    /// Lists a folder.
    List,
    /// Hands on the files that it names.
    Get,
    /// Fetches or sends.
    Fetch,
    /// Runs a text.
    Evaluate,
    End,
    /// Lists processes.
    Processes,
    Start,
    Enter,
    Print,
    /// Hands on some of what it is piped.
    Choose,
    /// Hands on all of what it is piped.
    Sort,
    /// The same as this of a shell.
    Is(&'static str),
    /// Nothing that a shell has a word for.
    Own,
}

/// A command.
struct Cmdlet {
    name: &'static str,
    aliases: &'static [&'static str],
    /// Its parameters, those with a value marked by `=`; other names of one behind commas.
    parameters: &'static str,
    /// Those that take the words without a name, in order.
    positional: &'static [&'static str],
    does: Does,
}

const fn cmdlet(
    name: &'static str,
    aliases: &'static [&'static str],
    parameters: &'static str,
    positional: &'static [&'static str],
    does: Does,
) -> Cmdlet {
    Cmdlet { name, aliases, parameters, positional, does }
}

/// One of which only its name counts.
const fn own(name: &'static str) -> Cmdlet {
    cmdlet(name, &[], "", &[], Does::Own)
}

/// Parameters that every command has.
const COMMON: &str = "Verbose,vb Debug,db ErrorAction=,ea WarningAction=,wa InformationAction=,infa ErrorVariable=,ev \
    WarningVariable=,wv OutVariable=,ov OutBuffer=,ob PipelineVariable=,pv ProgressAction=,proga WhatIf,wi Confirm,cf";

const FILES: &str = "Path= LiteralPath=,PSPath,LP Filter= Include= Exclude= Force Credential=";

const WEB: &str = "Uri= Method= Body= InFile= OutFile= Form= Headers= UserAgent= ContentType= Credential= Token= Proxy= \
    Authentication= TimeoutSec= OperationTimeoutSeconds= ConnectionTimeoutSeconds= MaximumRedirection= \
    MaximumRetryCount= RetryIntervalSec= WebSession= SessionVariable= CustomMethod= Certificate= \
    CertificateThumbprint= SslProtocol= TransferEncoding= HttpVersion= ProxyCredential= ResponseHeadersVariable= \
    StatusCodeVariable= UseBasicParsing UseDefaultCredentials ProxyUseDefaultCredentials DisableKeepAlive PassThru \
    Resume SkipCertificateCheck SkipHttpErrorCheck SkipHeaderValidation NoProxy AllowUnencryptedAuthentication \
    PreserveAuthorizationOnRedirect FollowRelLink MaximumFollowRelLink=";

const CMDLETS: &[Cmdlet] = &[
    cmdlet("Remove-Item", &["del", "erase", "rd", "ri", "rm", "rmdir"], "Recurse Stream=", &["Path"], Does::Remove),
    cmdlet(
        "Get-Content",
        &["cat", "gc", "type"],
        "Raw Tail=,Last TotalCount=,First,Head ReadCount= Wait Encoding= Delimiter= AsByteStream Stream=",
        &["Path"],
        Does::Read,
    ),
    cmdlet("Import-Csv", &["ipcsv"], "Delimiter= UseCulture Header= Encoding=", &["Path"], Does::Read),
    cmdlet("Import-Clixml", &[], "", &["Path"], Does::Read),
    cmdlet("Format-Hex", &["fhx"], "Encoding= Count= Offset= Raw InputObject=", &["Path"], Does::Read),
    cmdlet(
        "Select-String",
        &["sls"],
        "Pattern= AllMatches CaseSensitive SimpleMatch List NotMatch Raw NoEmphasis Context= Encoding= \
         InputObject= Culture=",
        &["Pattern", "Path"],
        Does::Search,
    ),
    cmdlet(
        "Set-Content",
        &["sc"],
        "Value= Encoding= NoNewline PassThru AsByteStream Stream=",
        &["Path", "Value"],
        Does::Write(">"),
    ),
    cmdlet(
        "Add-Content",
        &["ac"],
        "Value= Encoding= NoNewline PassThru AsByteStream Stream=",
        &["Path", "Value"],
        Does::Write(">>"),
    ),
    cmdlet("Clear-Content", &["clc"], "Stream=", &["Path"], Does::Write(">")),
    cmdlet(
        "Out-File",
        &[],
        "FilePath= Append Encoding= NoClobber NoNewline Width= InputObject=",
        &["FilePath", "Encoding"],
        Does::Save,
    ),
    cmdlet("Tee-Object", &["tee"], "FilePath= Append Variable= InputObject= Encoding=", &["FilePath"], Does::Save),
    cmdlet(
        "Export-Csv",
        &["epcsv"],
        "Delimiter= NoTypeInformation Append Encoding= InputObject= NoClobber UseQuotes= UseCulture",
        &["Path"],
        Does::Save,
    ),
    cmdlet(
        "Copy-Item",
        &["copy", "cp", "cpi"],
        "Destination= Recurse Container PassThru FromSession= ToSession=",
        &["Path", "Destination"],
        Does::Copy,
    ),
    cmdlet("Move-Item", &["mi", "move", "mv"], "Destination= PassThru", &["Path", "Destination"], Does::Move),
    cmdlet("Rename-Item", &["ren", "rni"], "NewName= PassThru", &["Path", "NewName"], Does::Move),
    cmdlet("New-Item", &["ni"], "Name= ItemType=,Type Value=,Target", &["Path"], Does::Make),
    cmdlet("Set-Item", &["si"], "Value= PassThru", &["Path", "Value"], Does::Key),
    cmdlet(
        "Set-ItemProperty",
        &["sp"],
        "Name=,PSProperty Value= Type= InputObject= PassThru",
        &["Path", "Name", "Value"],
        Does::Key,
    ),
    cmdlet("New-ItemProperty", &[], "Name=,PSProperty Value= PropertyType=,Type", &["Path", "Name"], Does::Key),
    cmdlet("Clear-ItemProperty", &["clp"], "Name= PassThru", &["Path", "Name"], Does::Key),
    cmdlet("Rename-ItemProperty", &["rnp"], "Name= NewName= PassThru", &["Path", "Name", "NewName"], Does::Key),
    cmdlet("Remove-ItemProperty", &["rp"], "Name=,PSProperty", &["Path", "Name"], Does::Remove),
    cmdlet(
        "Get-ChildItem",
        &["dir", "gci", "ls"],
        "Recurse,r,s Depth= Name Attributes= File,af Directory,ad,d Hidden,ah,h ReadOnly,ar System,as FollowSymlink",
        &["Path", "Filter"],
        Does::List,
    ),
    cmdlet("Get-Item", &["gi"], "Stream=", &["Path"], Does::Get),
    cmdlet("Invoke-WebRequest", &["curl", "iwr", "wget"], WEB, &["Uri"], Does::Fetch),
    cmdlet("Invoke-RestMethod", &["irm"], WEB, &["Uri"], Does::Fetch),
    cmdlet(
        "Start-BitsTransfer",
        &[],
        "Source= Destination= Asynchronous Description= DisplayName= Priority= TransferType= Dynamic",
        &["Source", "Destination"],
        Does::Fetch,
    ),
    cmdlet("Invoke-Expression", &["iex"], "Command=", &["Command"], Does::Evaluate),
    cmdlet("Stop-Process", &["kill", "spps"], "Id= Name= InputObject= PassThru", &["Id"], Does::End),
    cmdlet(
        "Get-Process",
        &["gps", "ps"],
        "Name= Id= InputObject= ComputerName=,Cn IncludeUserName Module FileVersionInfo",
        &["Name"],
        Does::Processes,
    ),
    cmdlet(
        "Start-Process",
        &["saps", "start"],
        "FilePath= ArgumentList=,Args Verb= WindowStyle= WorkingDirectory= Wait NoNewWindow,nnw PassThru LoadUserProfile \
         UseNewEnvironment Environment= RedirectStandardOutput=,RSO RedirectStandardError=,RSE RedirectStandardInput=,RSI",
        &["FilePath", "ArgumentList"],
        Does::Start,
    ),
    cmdlet("Invoke-Item", &["ii"], "", &["Path"], Does::Start),
    cmdlet("Set-Location", &["cd", "chdir", "sl"], "PassThru StackName=", &["Path"], Does::Enter),
    cmdlet("Push-Location", &["pushd"], "PassThru StackName=", &["Path"], Does::Enter),
    cmdlet("Write-Output", &["echo", "write"], "InputObject= NoEnumerate", &["InputObject"], Does::Print),
    cmdlet(
        "Write-Host",
        &[],
        "Object= NoNewline Separator= ForegroundColor= BackgroundColor=",
        &["Object"],
        Does::Print,
    ),
    cmdlet("Where-Object", &["?", "where"], "", &[], Does::Choose),
    cmdlet("Select-Object", &["select"], "", &[], Does::Choose),
    cmdlet("ForEach-Object", &["%", "foreach"], "", &[], Does::Own),
    cmdlet("Sort-Object", &["sort"], "", &[], Does::Sort),
    cmdlet("Stop-Computer", &[], "", &[], Does::Is("shutdown -h now")),
    cmdlet("Restart-Computer", &[], "", &[], Does::Is("reboot")),
    cmdlet("Clear-Disk", &[], "", &[], Does::Is("wipefs -a /dev/sda")),
    cmdlet("Initialize-Disk", &[], "", &[], Does::Is("wipefs -a /dev/sda")),
    cmdlet("Remove-Partition", &[], "", &[], Does::Is("wipefs -a /dev/sda")),
    cmdlet("Format-Volume", &[], "", &[], Does::Is("mkfs.ntfs /dev/sda")),
    // Rules know these by their names, which may be written in any case.
    own("Add-LocalGroupMember"),
    own("Add-MpPreference"),
    own("Clear-EventLog"),
    own("Clear-History"),
    own("Clear-RecycleBin"),
    own("Enable-PSRemoting"),
    own("Invoke-Command"),
    own("New-LocalUser"),
    own("New-Service"),
    own("Register-ScheduledJob"),
    own("Register-ScheduledTask"),
    own("Remove-LocalUser"),
    own("Restart-Service"),
    own("Set-ExecutionPolicy"),
    own("Set-LocalUser"),
    own("Set-MpPreference"),
    own("Set-NetFirewallProfile"),
    own("Set-Service"),
    own("Stop-Service"),
];

/// What a command hands on to the next in a pipeline.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum Passed {
    /// Nothing: it is the first.
    #[default]
    Nothing,
    /// Something else.
    Other,
    /// These paths, as a shell says them.
    Paths(Vec<String>),
    /// Processes of these names, or all.
    Processes(Vec<String>),
}

/// A command as it is written.
#[derive(Debug, Clone, Default)]
pub(super) struct Written {
    pub(super) name: Word,
    /// Each argument, a list as several words.
    pub(super) args: Vec<Vec<Word>>,
    /// What its script blocks run.
    pub(super) blocks: Vec<String>,
}

/// A command as a shell says it.
#[derive(Debug, Default)]
pub(super) struct Said {
    pub(super) text: String,
    pub(super) passed: Passed,
    /// All that it runs is known.
    pub(super) is_whole: bool,
}

/// The words of a command by their parameters.
#[derive(Default)]
struct Bound {
    values: Vec<(&'static str, Vec<Word>)>,
    switches: Vec<&'static str>,
}

impl Bound {
    fn has(&self, name: &str) -> bool {
        self.switches.contains(&name)
    }

    fn get(&self, name: &str) -> Option<&[Word]> {
        self.values.iter().find(|(known, _)| *known == name).map(|(_, words)| words.as_slice())
    }

    fn paths(&self) -> Vec<String> {
        let names = ["Path", "LiteralPath", "FilePath"];
        names.iter().filter_map(|name| self.get(name)).flatten().map(|word| word.say(Style::PATH)).collect()
    }

    fn said(&self, name: &str, style: Style) -> Vec<String> {
        self.get(name).unwrap_or_default().iter().map(|word| word.say(style)).collect()
    }
}

impl Cmdlet {
    fn parameters(&self) -> impl Iterator<Item = (&'static str, bool, &'static str)> {
        let own = self.parameters.split_whitespace();
        let files = matches!(self.positional.first(), Some(&"Path")) || self.positional.contains(&"Path");
        let files = if files { FILES } else { "Force" };
        own.chain(files.split_whitespace()).chain(COMMON.split_whitespace()).map(|text| {
            let (name, aliases) = text.split_once(',').unwrap_or((text, ""));
            let plain = name.trim_end_matches('=');
            (plain, plain.len() != name.len(), aliases)
        })
    }

    /// The parameter that a name means, written out or begun.
    fn parameter(&self, name: &str) -> Option<(&'static str, bool)> {
        let is = |text: &str| text.eq_ignore_ascii_case(name);
        let exact = self.parameters().find(|(known, _, aliases)| is(known) || aliases.split(',').any(is));
        if let Some((known, takes, _)) = exact {
            return Some((known, takes));
        }
        let begins = |known: &str| known.get(..name.len()).is_some_and(is);
        let mut all = self.parameters().filter(|(known, ..)| begins(known));
        let (known, takes, _) = all.next()?;
        all.next().is_none().then_some((known, takes))
    }

    /// Gives each word to its parameter; nothing where one of them is not known, unless the name is no program's.
    fn bind(&self, name: &str, args: &[Vec<Word>]) -> Option<Bound> {
        let mut bound = Bound::default();
        let is_own = !of_shell(&name.to_ascii_lowercase());
        let mut free = Vec::new();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let named = arg.first().and_then(Word::parameter);
            let Some((name, value)) = named else {
                free.push(arg.clone());
                continue;
            };
            let Some((known, takes)) = self.parameter(&name) else {
                // It has a parameter that is not known here.
                is_own.then_some(())?;
                continue;
            };
            if takes {
                let value = match value {
                    Some(first) => std::iter::once(first).chain(arg.iter().skip(1).cloned()).collect(),
                    None => args.next()?.clone(),
                };
                bound.values.push((known, value));
            } else {
                let value = value.map(|value| value.fixed().unwrap_or_default());
                let is_on = match value.as_deref() {
                    None | Some("$true") => true,
                    // In doubt nothing is only tried.
                    Some(value) => known != "WhatIf" && !matches!(value, "$false" | "0"),
                };
                bound.switches.extend(is_on.then_some(known));
            }
        }
        let mut open = self.positional.iter().filter(|name| bound.get(name).is_none()).copied().collect::<Vec<_>>();
        let has_path = bound.get("LiteralPath").is_some();
        open.retain(|name| *name != "Path" || !has_path);
        let mut open = open.into_iter();
        let mut last = self.positional.last().copied();
        for words in free {
            let name = open.next().or(last)?;
            last = Some(name);
            match bound.values.iter_mut().find(|(known, _)| *known == name) {
                Some((_, values)) => values.extend(words),
                None => bound.values.push((name, words)),
            }
        }
        Some(bound)
    }
}

/// The command of a name, and whether it is written by another one.
fn known(name: &str) -> Option<&'static Cmdlet> {
    // `Microsoft.PowerShell.Management\Remove-Item`
    let name = name.rsplit('\\').next().filter(|last| last.contains('-')).unwrap_or(name);
    let is = |text: &&str| text.eq_ignore_ascii_case(name);
    CMDLETS.iter().find(|cmdlet| is(&cmdlet.name) || cmdlet.aliases.iter().any(is))
}

/// Says a command.
pub(super) fn say(command: &Written, passed: &Passed, depth: usize) -> Said {
    let Some(name) = command.name.fixed() else { return nameless(command) };
    let cmdlet = known(&name);
    let bound = cmdlet.and_then(|cmdlet| Some((cmdlet, cmdlet.bind(&name, &command.args)?)));
    let is_loose = |cmdlet: &Cmdlet| matches!(cmdlet.does, Does::Choose | Does::Sort | Does::Own | Does::Is(_));
    let bound = bound.or_else(|| cmdlet.filter(|known| is_loose(known)).map(|known| (known, Bound::default())));
    let (own, does) = match (cmdlet, &bound) {
        (Some(cmdlet), Some((_, bound))) if cmdlet.does != Does::Own => {
            let meant = Meaning { bound, passed, depth }.of(cmdlet);
            (canonical(cmdlet, command, meant.is_some()), meant)
        }
        (Some(cmdlet), None) if cmdlet.does == Does::Evaluate => (Vec::new(), None),
        (Some(cmdlet), Some(_)) => (canonical(cmdlet, command, false), None),
        // Words that the command does not have are those of a program of its name.
        _ => return program(&name, command),
    };
    let is_evaluation = cmdlet.is_some_and(|cmdlet| cmdlet.does == Does::Evaluate);
    let is_whole = does.as_ref().map_or(!is_evaluation, |said| said.is_whole);
    let said = does.unwrap_or_default();
    let means = Some(said.text).filter(|text| !text.is_empty());
    let commands: Vec<String> = own.into_iter().chain(means).chain(command.blocks.iter().cloned()).collect();
    let is_sorted = cmdlet.is_some_and(|cmdlet| cmdlet.does == Does::Sort);
    let passed = match said.passed {
        _ if is_sorted => passed.clone(),
        Passed::Nothing => Passed::Other,
        said => said,
    };
    // No command in a word is left out, whatever the words mean.
    let outputs = command.args.iter().flatten().flat_map(Word::commands);
    let mut left: Vec<String> =
        outputs.filter(|output| !commands.iter().any(|said| said.contains(*output))).cloned().collect();
    left.extend(commands);
    let commands = left;
    Said { text: group(&commands), passed, is_whole }
}

/// Whether a command makes a name mean another command.
pub(super) fn rebinds(command: &Written) -> bool {
    let name = command.name.fixed().unwrap_or_default().to_ascii_lowercase();
    let is_table = |word: &Word| {
        let start = word.start().to_ascii_lowercase();
        start.starts_with("alias:") || start.starts_with("function:")
    };
    matches!(name.as_str(), "set-alias" | "new-alias" | "import-alias" | "sal" | "nal" | "ipal")
        || !name.starts_with("get-") && command.args.iter().flatten().any(is_table)
}

/// Whether a path is that of a key of the registry.
pub(super) fn is_key(path: &str) -> bool {
    let path = path.trim_start_matches('\'').to_ascii_lowercase();
    let path = path.strip_prefix("microsoft.powershell.core/").unwrap_or(&path);
    ["hklm:", "hkcu:", "hkcr:", "hku:", "registry::"].iter().any(|start| path.starts_with(start))
}

/// The folder or key of the registry to which a command changes; `None` where it stays, or goes on within one.
pub(super) fn enters(command: &Written) -> Option<String> {
    let cmdlet = known(&command.name.fixed()?).filter(|cmdlet| cmdlet.does == Does::Enter)?;
    let is_path = |path: &String| !path.starts_with('-');
    let path = command.args.iter().flatten().filter_map(Word::fixed).find(is_path)?;
    let is_relative = cmdlet.name == "Set-Location" && !path.contains(':') && !path.starts_with(['/', '~', '\\']);
    (!is_relative).then_some(path)
}

/// A command that deletes, with what it names from a key of the registry.
pub(super) fn within_key(command: &Written, key: &str) -> Option<Written> {
    known(&command.name.fixed()?).filter(|cmdlet| cmdlet.does == Does::Remove)?;
    let is_relative = |path: &String| !path.contains(':') && !path.starts_with(['-', '/', '~', '\\']);
    let mut within = command.clone();
    for word in within.args.iter_mut().flatten() {
        if let Some(path) = word.fixed().filter(is_relative) {
            *word = Word::of(&format!("{}\\{path}", key.trim_end_matches('\\')));
        }
    }
    Some(within)
}

/// Whether a command ends the processes that it is handed.
pub(super) fn ends_processes(name: &str) -> bool {
    known(name).is_some_and(|cmdlet| cmdlet.does == Does::End)
}

/// The command that does what a method of a process or of a file does.
pub(super) fn of_method(name: &str) -> Option<&'static str> {
    match name.to_ascii_lowercase().as_str() {
        "kill" => Some("Stop-Process"),
        "delete" => Some("Remove-Item"),
        _ => None,
    }
}

/// Whether a command runs its block for each thing that it is passed.
pub(super) fn runs_for_each(name: &str) -> bool {
    known(name).is_some_and(|cmdlet| cmdlet.name == "ForEach-Object")
}

/// A command by its own name, and by the other one that is written where a shell has no program of it.
fn canonical(cmdlet: &Cmdlet, command: &Written, is_said: bool) -> Vec<String> {
    let style = if is_said { Style::AGAIN } else { Style::WORD };
    let mut words = String::new();
    for arg in &command.args {
        let parameter = arg.first().and_then(Word::parameter).and_then(|(name, value)| {
            let (known, _) = cmdlet.parameter(&name)?;
            Some(value.map_or_else(|| format!("-{known}"), |value| format!("-{known} {}", value.say(style))))
        });
        let skipped = usize::from(parameter.is_some());
        for word in parameter.into_iter().chain(arg.iter().skip(skipped).map(|word| word.say(style))) {
            words.push(' ');
            words.push_str(&word);
        }
    }
    let written = command.name.fixed().unwrap_or_default().to_ascii_lowercase();
    let is_plain = written.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-');
    let is_other = !written.eq_ignore_ascii_case(cmdlet.name) && is_plain && !of_shell(&written);
    let again = is_other.then(|| format!("{written}{words}"));
    again.into_iter().chain(std::iter::once(format!("{}{words}", cmdlet.name))).collect()
}

/// Whether a shell has a program of this name, to which the words of PowerShell's are others.
fn of_shell(name: &str) -> bool {
    let names =
        ["cat", "cd", "cp", "curl", "echo", "kill", "ls", "mv", "ps", "rm", "rmdir", "sort", "tee", "wget", "write"];
    names.contains(&name) || matches!(name, "dir" | "foreach" | "pushd" | "select" | "type" | "where" | "start")
}

/// A command whose name is filled in.
fn nameless(command: &Written) -> Said {
    let args = words(command, Style::WORD);
    let mut text = command.name.commands().next().map_or_else(
        || format!("{}{args}", command.name.say(Style::WORD)),
        // What is printed is run.
        |_| format!("eval {}{args}", command.name.say(Style::WORD)),
    );
    if !command.blocks.is_empty() {
        text = group(&std::iter::once(text).chain(command.blocks.iter().cloned()).collect::<Vec<_>>());
    }
    Said { text, passed: Passed::Other, is_whole: true }
}

fn words(command: &Written, style: Style) -> String {
    behind(command.args.iter().flatten().map(|word| word.say(style)))
}

/// A program that is none of PowerShell's own.
pub(super) fn program(name: &str, command: &Written) -> Said {
    let all: Vec<&Word> = command.args.iter().flatten().collect();
    let fixed: Option<Vec<String>> = all.iter().map(|word| word.fixed()).collect();
    let is_windows_shell = shells::is_shell(name);
    let name = program_name(name);
    let words = match &fixed {
        // Its words are a line, which is read where it is handed on.
        Some(fixed) if is_windows_shell => behind(fixed.iter().map(|word| as_written(word))),
        // A block is a line that is read already.
        None if is_windows_shell && !command.blocks.is_empty() => " -File block".to_owned(),
        _ => words(command, Style::WORD),
    };
    let mut commands = vec![format!("{}{words}", quoted(&name, false))];
    let outputs = all.iter().flat_map(|word| word.commands());
    commands.extend(outputs.filter(|output| !words.contains(*output)).cloned());
    let lower: Option<Vec<String>> = fixed.map(|fixed| fixed.iter().map(|word| word.to_ascii_lowercase()).collect());
    if let Some(lower) = lower.filter(|_| OF_WINDOWS.contains(&name.as_str())) {
        let words = behind(lower.iter().map(|word| quoted(word, false)));
        commands.push(format!("{name}{words}"));
        commands.extend(native(&name, &lower));
    }
    commands.extend(command.blocks.iter().cloned());
    commands.dedup();
    Said { text: group(&commands), passed: Passed::Other, is_whole: true }
}

fn as_written(text: &str) -> String {
    if text.is_empty() { "''".to_owned() } else { quoted(text, false) }
}

/// The name of a program as rules have it: Windows does not tell capital letters.
fn program_name(name: &str) -> String {
    let folder = name.rfind(['/', '\\']).map(|at| name.get(..=at).unwrap_or_default().replace('\\', "/"));
    let base = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let lower = base.to_ascii_lowercase();
    // What stands in a folder of the project may be a file that the line has written.
    let ends: &[&str] =
        if folder.as_ref().is_some_and(|folder| folder.starts_with('.')) { &[] } else { &[".exe", ".com"] };
    let lower = ends.iter().find_map(|end| lower.strip_suffix(end)).unwrap_or(&lower);
    let base = if base == "Rscript" { base } else { lower };
    format!("{}{base}", folder.unwrap_or_default())
}

/// Programs of Windows whose words may be written in any case.
const OF_WINDOWS: &[&str] = &[
    "bcdedit", "cipher", "diskpart", "format", "icacls", "net", "netsh", "reg", "robocopy", "sc", "schtasks",
    "shutdown", "takeown", "taskkill", "vssadmin", "wbadmin", "wevtutil", "wmic",
];

/// What a program of Windows is to a shell.
fn native(name: &str, args: &[String]) -> Option<String> {
    let has = |flag: &str| args.iter().any(|arg| arg == flag);
    match name {
        "format" if args.iter().any(|arg| arg.ends_with(':')) => Some("mkfs.ntfs /dev/sda".to_owned()),
        "diskpart" => Some("fdisk /dev/sda".to_owned()),
        "taskkill" => {
            let at = args.iter().position(|arg| arg == "/pid")?;
            Some(format!("kill {}", quoted(args.get(at + 1)?, false))).filter(|_| !has("/im") && !has("/fi"))
        }
        _ => None,
    }
}

/// What a command of PowerShell means.
struct Meaning<'m> {
    bound: &'m Bound,
    passed: &'m Passed,
    depth: usize,
}

impl Meaning<'_> {
    fn of(&self, cmdlet: &Cmdlet) -> Option<Said> {
        let bound = self.bound;
        if bound.has("WhatIf") {
            return None;
        }
        let mut passed = Passed::Other;
        let mut is_whole = true;
        let text = match cmdlet.does {
            Does::Remove => self.removes()?,
            Does::Read => {
                let paths = bound.paths();
                if paths.is_empty() { self.paths("cat")? } else { format!("cat {}", paths.join(" ")) }
            }
            Does::Search => {
                let paths = bound.paths();
                let pattern = bound.said("Pattern", Style::WORD).join(" ");
                format!("grep -e {pattern} {}", paths.join(" "))
            }
            Does::Write(sign) => {
                let values = bound.said("Value", Style::WORD).join(" ");
                let text = if values.is_empty() { "cat".to_owned() } else { format!("echo {values}") };
                Self::written(&text, sign, &bound.paths())
            }
            Does::Save => {
                let values = bound.said("InputObject", Style::WORD).join(" ");
                let text = if values.is_empty() { "cat".to_owned() } else { format!("echo {values}") };
                Self::written(&text, if bound.has("Append") { ">>" } else { ">" }, &bound.paths())
            }
            Does::Copy => self.to("Destination", if bound.has("Recurse") { "cp -r" } else { "cp" })?,
            Does::Move => self.to(if bound.get("NewName").is_some() { "NewName" } else { "Destination" }, "mv")?,
            Does::Make => self.makes()?,
            Does::Key => self.changes_key()?,
            Does::List => {
                let text = self.lists(&mut passed);
                return Some(Said { text, passed, is_whole });
            }
            Does::Get => {
                let paths = bound.paths();
                let text = format!("ls -d {}", paths.join(" "));
                passed = Passed::Paths(paths);
                text
            }
            Does::Fetch => self.fetches(),
            Does::Evaluate => {
                let said = self.evaluates();
                is_whole = said.is_whole;
                said.text
            }
            Does::End => self.ends()?,
            Does::Processes => {
                let names = bound.said("Name", Style::WORD);
                let is_one = bound.get("Id").is_some();
                passed = Passed::Processes(if is_one { vec![Word::unknown().say(Style::WORD)] } else { names });
                "ps".to_owned()
            }
            Does::Start => {
                let said = self.starts()?;
                is_whole = said.is_whole;
                said.text
            }
            Does::Enter => format!("cd {}", bound.paths().join(" ")),
            Does::Print => {
                let name = if cmdlet.name == "Write-Host" { "Object" } else { "InputObject" };
                format!("echo {}", bound.said(name, Style::WORD).join(" "))
            }
            Does::Choose => {
                passed = match self.passed {
                    Passed::Nothing | Passed::Other => Passed::Other,
                    Passed::Paths(_) => Passed::Paths(vec![Word::unknown().say(Style::WORD)]),
                    Passed::Processes(_) => Passed::Processes(vec![Word::unknown().say(Style::WORD)]),
                };
                return Some(Said { text: String::new(), passed, is_whole });
            }
            Does::Sort | Does::Own => return None,
            Does::Is(line) => line.to_owned(),
        };
        Some(Said { text, passed, is_whole })
    }

    /// A program with the paths that it is piped.
    fn paths(&self, program: &str) -> Option<String> {
        match self.passed {
            Passed::Paths(paths) => Some(format!("{program} {}", paths.join(" "))),
            _ => None,
        }
    }

    /// The key of the registry that is named, or passed on.
    fn key(&self, paths: &[String]) -> Option<String> {
        let passed: &[String] = if let Passed::Paths(passed) = self.passed { passed } else { &[] };
        paths.iter().chain(passed).find(|path| is_key(path)).cloned()
    }

    fn changes_key(&self) -> Option<String> {
        Some(format!("reg add {}", self.key(&self.bound.paths())?))
    }

    fn removes(&self) -> Option<String> {
        let (options, paths): (Vec<String>, Vec<String>) =
            self.bound.paths().into_iter().partition(|path: &String| is_option_of_cmd(path));
        let said = |letter: &str| options.iter().any(|option| option.eq_ignore_ascii_case(letter));
        let is_forced = self.bound.has("Force") || said("/f") || said("/q");
        let flags = match (self.bound.has("Recurse") || said("/s"), is_forced) {
            (true, true) => "rm -rf",
            (true, false) => "rm -r",
            (false, true) => "rm -f",
            (false, false) => "rm",
        };
        if let Some(key) = self.key(&paths) {
            return Some(format!("reg delete {key} /f"));
        }
        if paths.is_empty() {
            let found = (*self.passed != Passed::Nothing).then(|| format!("xargs {flags}"));
            return self.paths(flags).or(found);
        }
        Some(format!("{flags} {}", paths.join(" ")))
    }

    fn written(text: &str, sign: &str, paths: &[String]) -> String {
        format!("{text}{}", behind(paths.iter().map(|path| format!("{sign} {path}"))))
    }

    /// A program that takes files and where they go.
    fn to(&self, name: &str, program: &str) -> Option<String> {
        let mut paths = self.bound.paths();
        if paths.is_empty()
            && let Passed::Paths(passed) = self.passed
        {
            paths.clone_from(passed);
        }
        let to = self.bound.said(name, Style::PATH);
        let to = if to.is_empty() { ".".to_owned() } else { to.join(" ") };
        (!paths.is_empty()).then(|| format!("{program} {} {to}", paths.join(" ")))
    }

    fn makes(&self) -> Option<String> {
        let paths = self.bound.paths();
        if let Some(key) = self.key(&paths) {
            return Some(format!("reg add {key}"));
        }
        let paths = paths.join(" ");
        let name = self.bound.said("Name", Style::PATH).join(" ");
        let path = match (paths.is_empty(), name.is_empty()) {
            (_, true) => paths,
            (true, false) => name,
            (false, false) => format!("{paths}/{name}"),
        };
        let kind = self.bound.get("ItemType").and_then(|words| words.first()?.fixed()).unwrap_or_default();
        let kind = kind.to_ascii_lowercase();
        let value = self.bound.said("Value", if kind.contains("link") { Style::PATH } else { Style::WORD }).join(" ");
        Some(match kind.as_str() {
            _ if path.is_empty() => return None,
            "directory" | "container" | "d" | "di" | "dir" => format!("mkdir -p {path}"),
            "symboliclink" => format!("ln -s {value} {path}"),
            "hardlink" | "junction" => format!("ln {value} {path}"),
            _ => format!("echo {value} > {path}"),
        })
    }

    fn lists(&self, passed: &mut Passed) -> String {
        let bound = self.bound;
        let paths = bound.paths();
        let is_environment = |path: &String| path.trim_start_matches('\'').to_ascii_lowercase().starts_with("env:");
        if let Some(path) = paths.iter().find(|path| is_environment(path)) {
            let name = path.trim_matches('\'').get(4..).unwrap_or_default().trim_start_matches('/');
            let is_all = name.is_empty() || name.contains('*');
            return if is_all { "printenv".to_owned() } else { format!("printenv {}", quoted(name, false)) };
        }
        let chosen: Vec<String> = ["Filter", "Include"].iter().flat_map(|name| bound.said(name, Style::PATH)).collect();
        let chosen = if chosen.is_empty() { vec!["*".to_owned()] } else { chosen };
        let folders = if paths.is_empty() { vec![".".to_owned()] } else { paths.clone() };
        let within = |folder: &String| -> Vec<String> {
            let last = folder.rsplit('/').next().unwrap_or_default();
            if last.contains(['*', '?']) {
                return vec![folder.clone()];
            }
            chosen.iter().map(|name| format!("{}/{name}", folder.trim_end_matches('/'))).collect()
        };
        *passed = Passed::Paths(folders.iter().flat_map(within).collect());
        let flags = if bound.has("Recurse") { "ls -R" } else { "ls" };
        format!("{flags} {}", paths.join(" "))
    }

    fn fetches(&self) -> String {
        let bound = self.bound;
        let mut text = "curl".to_owned();
        let options = [("Method", "-X"), ("CustomMethod", "-X"), ("Body", "-d"), ("Form", "-F"), ("InFile", "-T")];
        let files = [("OutFile", "-o"), ("Destination", "-o")];
        for (name, flag) in options.iter().chain(&files) {
            let style = if files.contains(&(name, flag)) || *name == "InFile" { Style::PATH } else { Style::WORD };
            for value in bound.said(name, style) {
                text.extend([" ", flag, " ", &value]);
            }
        }
        for value in ["Uri", "Source"].iter().flat_map(|name| bound.said(name, Style::WORD)) {
            text.push(' ');
            text.push_str(&value);
        }
        text
    }

    fn evaluates(&self) -> Said {
        let words = self.bound.get("Command").unwrap_or_default();
        if words.is_empty() {
            // What it is piped.
            return Said { text: "sh".to_owned(), passed: Passed::Other, is_whole: false };
        }
        let fixed: Option<Vec<String>> = words.iter().map(Word::fixed).collect();
        if let Some(texts) = fixed {
            let said = at_depth(&texts.join(" "), Language::PowerShell, self.depth + 1);
            return Said { text: said.text, passed: Passed::Other, is_whole: said.is_whole };
        }
        let words = behind(words.iter().map(|word| word.say(Style::WORD)));
        Said { text: format!("eval{words}"), passed: Passed::Other, is_whole: true }
    }

    fn ends(&self) -> Option<String> {
        let bound = self.bound;
        let flag = if bound.has("Force") { " -9" } else { "" };
        let ids = bound.said("Id", Style::WORD);
        let names = bound.said("Name", Style::WORD);
        if !ids.is_empty() {
            return Some(format!("kill{flag} {}", ids.join(" ")));
        }
        let names = match self.passed {
            _ if !names.is_empty() => names,
            Passed::Processes(names) if names.is_empty() => return Some("kill -9 -1".to_owned()),
            Passed::Processes(names) => names.clone(),
            _ => return None,
        };
        let all = |name: &String| name == "*";
        Some(if names.iter().any(all) { "kill -9 -1".to_owned() } else { format!("pkill{flag} {}", names.join(" ")) })
    }

    fn starts(&self) -> Option<Said> {
        let bound = self.bound;
        let file = ["FilePath", "Path", "LiteralPath"].iter().find_map(|name| bound.get(name)?.first())?;
        let list = bound.get("ArgumentList").unwrap_or_default();
        let mut args: Vec<Vec<Word>> = Vec::new();
        for word in list {
            match word.fixed() {
                // One text holds any number of words.
                Some(text) => args.extend(split(&text).into_iter().map(|word| vec![Word::of(&word)])),
                None => args.push(vec![word.clone()]),
            }
        }
        // One that opens a window of its own reads nothing of the line.
        if args.is_empty() && file.fixed().is_some_and(|name| shells::is_shell(&name)) {
            let is_cmd = file.fixed().is_some_and(|name| shells::base(&name) == "cmd");
            args.push(vec![Word::of(if is_cmd { "/help" } else { "-Help" })]);
        }
        let command = Written { name: file.clone(), args, blocks: Vec::new() };
        let mut said = match file.fixed() {
            Some(name) => program(&name, &command),
            None => nameless(&command),
        };
        let verb = bound.get("Verb").and_then(|words| words.first()?.fixed());
        if verb.is_some_and(|verb| verb.eq_ignore_ascii_case("runas")) {
            let name = file.fixed().map_or_else(|| file.say(Style::AGAIN), |name| quoted(&program_name(&name), false));
            said.text = group(&[format!("sudo {name}{}", words(&command, Style::AGAIN)), said.text]);
        }
        Some(said)
    }
}

/// Whether a path is an option that `del` and `rmdir` have in `cmd`, typed where they have none.
fn is_option_of_cmd(path: &str) -> bool {
    ["/a", "/f", "/p", "/q", "/s"].iter().any(|option| path.eq_ignore_ascii_case(option))
}

/// The words of a text that programs of Windows take apart themselves.
pub(super) fn split(text: &str) -> Vec<String> {
    let (mut words, mut word, mut is_quoted, mut has_word) = (Vec::new(), String::new(), false, false);
    for letter in text.chars() {
        match letter {
            '"' => {
                is_quoted = !is_quoted;
                has_word = true;
            }
            letter if letter.is_whitespace() && !is_quoted => {
                if has_word {
                    words.push(std::mem::take(&mut word));
                }
                has_word = false;
            }
            letter => {
                word.push(letter);
                has_word = true;
            }
        }
    }
    words.extend(has_word.then_some(word));
    words
}
