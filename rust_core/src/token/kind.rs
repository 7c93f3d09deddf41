//! How characters take part in tokens.

use unicode_normalization::char::is_combining_mark;
use unicode_script::{Script, UnicodeScript};

/// How a character takes part in tokens.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Kind {
    /// Chinese characters: words by dictionary.
    Han,
    /// Scripts without spaces and without a dictionary here: bigrams of a run.
    Unspaced(Script),
    /// Letters, digits and marks of spaced scripts.
    Word,
    /// Anything else.
    Gap,
}

pub(super) fn kind(c: char) -> Kind {
    if c.is_ascii() {
        return if c.is_ascii_alphanumeric() { Kind::Word } else { Kind::Gap };
    }
    match c.script() {
        Script::Han => Kind::Han,
        // The sign for a long vowel belongs to both kana by the standard; words have it after katakana.
        _ if c == 'ー' => Kind::Unspaced(Script::Katakana),
        script @ (Script::Hiragana
        | Script::Katakana
        | Script::Hangul
        | Script::Thai
        | Script::Lao
        | Script::Khmer
        | Script::Myanmar) => Kind::Unspaced(script),
        _ if c.is_alphanumeric() || is_combining_mark(c) => Kind::Word,
        _ => Kind::Gap,
    }
}
