//! One form for texts that a reader takes for the same.

use caseless::Caseless;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_script::{Script, UnicodeScript};

/// Rounds after which folding is taken as settled; two suffice for every known character.
const MAX_ROUNDS: usize = 4;

/// Marks that close a statement. A question mark is no part of them: it changes what is said.
const CLOSING: [char; 10] = ['.', '!', '。', '…', ',', ';', '，', '；', '、', '।'];

/// NFKC and full case folding, repeated until nothing changes.
#[must_use]
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut folded = fold_once(text);
    for _ in 1..MAX_ROUNDS {
        let again = fold_once(&folded);
        if again == folded {
            break;
        }
        folded = again;
    }
    folded
}

fn fold_once(text: &str) -> String {
    text.nfkc().default_case_fold().nfkc().collect()
}

/// Folded, runs of white space as one space, trimmed, closing statement marks dropped.
///
/// A text of closing marks alone keeps them. The function is idempotent.
#[must_use]
pub fn normalize_text(text: &str) -> String {
    let folded = fold(text);
    let words: Vec<&str> = folded.split_whitespace().collect();
    let joined = words.join(" ");
    let open = joined.trim_end_matches(|c: char| c == ' ' || CLOSING.contains(&c));
    if open.is_empty() { joined } else { open.to_owned() }
}

/// Folded for the tokeniser: also one apostrophe and one hyphen, no invisible joiners, and Latin letters without accents.
#[must_use]
pub fn fold_for_index(text: &str) -> String {
    let folded = fold(text);
    if folded.is_ascii() {
        return folded;
    }
    let visible = folded.chars().filter(|c| !is_invisible(*c)).map(plain_punctuation);
    let mut latin = false;
    visible
        .nfkd()
        .filter(|&c| {
            if is_combining_mark(c) {
                return !latin;
            }
            latin = c.script() == Script::Latin;
            true
        })
        .nfkc()
        .collect()
}

/// Soft hyphen, joiners, byte order mark and variation selectors: they change how a word looks, not which word it is.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200c}' | '\u{200d}' | '\u{2060}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}')
}

fn plain_punctuation(c: char) -> char {
    match c {
        '\u{2018}' | '\u{2019}' | '\u{2bc}' => '\'',
        '\u{2010}' | '\u{2011}' | '\u{2212}' => '-',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::{fold, fold_for_index, normalize_text};

    #[test]
    fn folds_width_and_case() {
        assert_eq!(fold("ＧＰＴ－４ STRASSE straße"), "gpt-4 strasse strasse");
    }

    #[test]
    fn joins_white_space_and_drops_the_closing_mark() {
        assert_eq!(normalize_text("  I like\t\u{a0}Tea. \n"), "i like tea");
        assert_eq!(normalize_text("我喜欢茶！"), "我喜欢茶");
        assert_eq!(normalize_text("Really...!"), "really");
    }

    #[test]
    fn a_question_stays_one() {
        assert_eq!(normalize_text("You like tea?"), "you like tea?");
    }

    #[test]
    fn marks_alone_are_kept() {
        assert_eq!(normalize_text(" ... "), "...");
    }

    #[test]
    fn only_latin_loses_its_accents() {
        assert_eq!(fold_for_index("Café Ångström"), "cafe angstrom");
        assert_eq!(fold_for_index("が й हिन्दी"), "が й हिन्दी");
    }

    #[test]
    fn invisible_joiners_go() {
        assert_eq!(fold_for_index("so\u{ad}ft don\u{2019}t"), "soft don't");
    }
}
