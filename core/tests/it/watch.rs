//! An engine that looks after its files by itself.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hookweave::{Engine, Event};
use serde_json::{Value, json};

use crate::support::{LONG, patient, until_async};

type Checked = Result<(), Box<dyn std::error::Error>>;

fn settings(folder: &Path, hooks: &Value) -> Result<PathBuf, std::io::Error> {
    let file = folder.join(".claude/settings.json");
    std::fs::create_dir_all(folder.join(".claude"))?;
    // At once, so that nobody reads half of it.
    std::fs::write(folder.join("settings.new"), json!({"hooks": hooks}).to_string())?;
    std::fs::rename(folder.join("settings.new"), &file)?;
    Ok(file)
}

fn hooks(event: &str, matcher: &str, command: &str) -> Value {
    json!({event: [{"matcher": matcher, "hooks": [{"type": "command", "command": command}]}]})
}

async fn text(file: &Path) -> String {
    let written = || std::fs::read_to_string(file).ok().filter(|text| text.ends_with('\n'));
    assert!(until_async(|| written().is_some()).await, "nothing is in {}", file.display());
    written().unwrap()
}

#[tokio::test]
async fn a_changed_file_is_reloaded_until_nobody_watches() -> Checked {
    let folder = tempfile::tempdir()?;
    let file = settings(folder.path(), &json!({}))?;
    let engine = Engine::builder().project_dir(folder.path()).build()?;
    engine.load(&file)?;
    let (sender, mut reloads) = tokio::sync::mpsc::unbounded_channel();
    engine.watch(move |report| {
        _ = sender.send(report.added.len());
        assert!(report.added.is_empty(), "whoever is told may panic");
    })?;
    settings(folder.path(), &hooks("PreToolUse", "", "echo no >&2; exit 2"))?;
    assert_eq!(tokio::time::timeout(LONG, reloads.recv()).await?, Some(1));
    assert!(engine.dispatch(Event::pre_tool_use("Bash", json!({}))).await?.blocked());
    settings(folder.path(), &json!({}))?;
    assert_eq!(tokio::time::timeout(LONG, reloads.recv()).await?, Some(0), "it goes on");
    engine.unwatch();
    engine.unwatch();
    settings(folder.path(), &hooks("Stop", "", "true"))?;
    assert_eq!(tokio::time::timeout(LONG, reloads.recv()).await?, None, "the task has ended");
    assert!(engine.list_hooks().is_empty());
    Ok(())
}

#[tokio::test]
async fn hooks_hear_of_the_files_that_they_name() -> Checked {
    let folder = tempfile::tempdir()?;
    let other = folder.path().join("sub/other.txt");
    std::fs::create_dir(folder.path().join("sub"))?;
    let says = json!({"hookSpecificOutput": {"hookEventName": "FileChanged", "watchPaths": [other]}});
    let command =
        format!("case $(cat) in *'/.env\"'*) echo .env >> \"$CLAUDE_PROJECT_DIR\"/heard;; esac; echo '{says}'");
    let mut both = hooks("FileChanged", ".env", &command);
    both["FileChanged"].as_array_mut().ok_or("a list")?.push(json!({"matcher": "other.txt", "hooks": [
        {"type": "command", "command": "cat > /dev/null; echo other > \"$CLAUDE_PROJECT_DIR\"/other-heard"}
    ]}));
    let file = settings(folder.path(), &both)?;
    let engine = Engine::builder().project_dir(folder.path()).build()?;
    engine.load(&file)?;
    engine.watch(|_| {})?;
    std::fs::write(folder.path().join(".env"), "A=1")?;
    assert_eq!(text(&folder.path().join("heard")).await.trim(), ".env");
    // The answer with the new list is read after the hook has written its file, so that one change may come too early.
    let changes = async {
        for number in 0.. {
            std::fs::write(&other, format!("{number}"))?;
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        std::io::Result::Ok(())
    };
    let heard = folder.path().join("other-heard");
    tokio::select! {
        written = changes => written?,
        heard = text(&heard) => assert_eq!(heard, "other\n"),
    }
    Ok(())
}

#[test]
fn watching_needs_a_runtime_and_keeps_no_engine() -> Checked {
    let engine = patient();
    let refused = engine.watch(|_| {}).err().ok_or("it watched without a runtime")?;
    assert!(refused.to_string().contains("tokio runtime"), "{refused}");
    let folder = tempfile::tempdir()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    runtime.block_on(async {
        let engine = Engine::builder().project_dir(folder.path()).build()?;
        engine.load(settings(folder.path(), &json!({}))?)?;
        let held = std::sync::Arc::new(());
        let seen = std::sync::Arc::downgrade(&held);
        engine.watch(move |_| drop(std::sync::Arc::clone(&held)))?;
        drop(engine);
        assert!(until_async(|| seen.strong_count() == 0).await, "the watch lives on without its engine");
        Ok(())
    })
}
