//! ACE playbooks: `[str-00001] helpful=5 harmful=0 :: text` under headings.

use docet_core::error::Code;

use super::lessons::{Draft, Harvest};
use super::{inline, lines};
use crate::wire::Failure;

/// Whether a line is a lesson of a playbook.
pub(super) fn is_lesson(line: &str) -> bool {
    lesson(line).is_some()
}

/// Reads a playbook.
pub(super) fn read(text: &str, harvest: &mut Harvest<'_>) -> Result<(), Failure> {
    let mut section = None;
    for (number, line) in lines(text).filter(|(_, line)| !line.trim().is_empty()) {
        let line = line.trim();
        if let Some(heading) = line.strip_prefix('#') {
            section = Some(inline::plain(heading.trim_matches('#')));
        } else if let Some(draft) = lesson(line) {
            harvest.take(number, Draft { section: section.clone(), ..draft })?;
        } else if line.starts_with('[') {
            let message = "not a lesson such as \"[str-00001] helpful=5 harmful=0 :: text\"";
            harvest.refuse_line(number, line, Code::BadDocument, message)?;
        } else {
            harvest.leave_out("line without a lesson");
        }
    }
    Ok(())
}

fn lesson(line: &str) -> Option<Draft> {
    let line = line.trim();
    let line = line.strip_prefix("- ").unwrap_or(line);
    let (id, rest) = line.strip_prefix('[')?.split_once(']')?;
    let (counts, text) = rest.split_once("::")?;
    let (helpful, harmful) = counts.trim().strip_prefix("helpful=")?.split_once("harmful=")?;
    Some(Draft {
        text: text.trim().to_owned(),
        id: Some(id.trim().to_owned()),
        helpful: Some(helpful.trim_end().parse().ok()?),
        harmful: Some(harmful.parse().ok()?),
        ..Draft::default()
    })
}
