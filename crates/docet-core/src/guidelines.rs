//! The guideline block: how lessons stand in a system prompt (`sec:retrieval`, "Context Injection").

/// One `[G0] text` line each, in rank order, joined by line feeds, without one at the end; `first` is the number of
/// the first label.
///
/// ```
/// let block = docet_core::guidelines::render(5, ["Read the error first.", "Then the code."]);
/// assert_eq!(block, "[G5] Read the error first.\n[G6] Then the code.");
/// ```
pub fn render<'a>(first: usize, texts: impl IntoIterator<Item = &'a str>) -> String {
    let lines = texts.into_iter().enumerate().map(|(place, text)| format!("[{}] {text}", label(first + place)));
    lines.collect::<Vec<_>>().join("\n")
}

/// The label of the guideline of that number, counted from 0 through a whole session.
pub fn label(number: usize) -> String {
    format!("G{number}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_a_lesson_and_nothing_around_them() {
        assert_eq!(render(0, []), "");
        assert_eq!(render(0, ["best"]), "[G0] best");
        assert_eq!(render(9, ["best", "next"]), "[G9] best\n[G10] next");
    }
}
