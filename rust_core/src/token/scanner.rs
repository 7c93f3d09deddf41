//! One pass over a text.

use std::cell::RefCell;
use std::sync::LazyLock;

use jieba_rs::Jieba;
use rust_stemmers::{Algorithm, Stemmer};
use rustc_hash::FxHashMap;
use unicode_script::Script;

use super::MAX_TOKEN_CHARS;
use super::kind::{Kind, kind};
use crate::fold::fold_for_index;
use crate::irregular::base_form;
use crate::stop::{is_chinese_stop, is_english_stop, is_filler_after_which, is_filler_before_of};

/// Shorter English words are their own stem.
const MIN_STEMMED_CHARS: usize = 3;

/// Words that a thread keeps the tokens of: stemming takes most of the time, and texts share most of their words.
const KEPT_WORDS: usize = 4096;

static JIEBA: LazyLock<Jieba> = LazyLock::new(Jieba::new);

thread_local! {
    static WORDS: RefCell<FxHashMap<String, Token>> = RefCell::default();
}

/// One index token.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Token {
    pub(super) text: String,
    pub(super) stop: bool,
}

/// One pass over a text.
pub(super) struct Scanner {
    pub(super) chars: Vec<char>,
    kinds: Vec<Kind>,
    pub(super) at: usize,
    pub(super) tokens: Vec<Token>,
}

impl Scanner {
    pub(super) fn scan(text: &str) -> Vec<Token> {
        let chars: Vec<char> = fold_for_index(text).chars().collect();
        let kinds = chars.iter().copied().map(kind).collect();
        let mut scanner = Self { chars, kinds, at: 0, tokens: Vec::new() };
        // The dictionary is Chinese: it would cut the Chinese characters of Japanese now here, now there.
        let japanese = scanner.kinds.contains(&Kind::Unspaced(Script::Hiragana));
        while let Some(kind) = scanner.kind_at(scanner.at) {
            match kind {
                Kind::Han if !japanese => scanner.han(),
                Kind::Han | Kind::Unspaced(_) => scanner.bigrams(kind),
                Kind::Word => scanner.compound(),
                Kind::Gap if scanner.is_leading_dot() => scanner.dotted(),
                Kind::Gap => scanner.at += 1,
            }
        }
        mark_fillers(&mut scanner.tokens);
        scanner.tokens
    }

    fn kind_at(&self, at: usize) -> Option<Kind> {
        self.kinds.get(at).copied()
    }

    pub(super) fn is_word(&self, at: usize) -> bool {
        self.kind_at(at) == Some(Kind::Word)
    }

    pub(super) fn is(&self, at: usize, wanted: char) -> bool {
        self.chars.get(at) == Some(&wanted)
    }

    fn run_end(&self, kind: Kind) -> usize {
        (self.at..self.chars.len()).find(|&i| self.kind_at(i) != Some(kind)).unwrap_or(self.chars.len())
    }

    pub(super) fn push(&mut self, text: String, stop: bool) {
        self.tokens.push(Token { text, stop });
    }

    /// Dictionary words with the words inside them; what the dictionary does not know also by character, since where
    /// the model cuts unknown names depends on what stands around them.
    fn han(&mut self) {
        let end = self.run_end(Kind::Han);
        let run: String = self.chars[self.at..end].iter().collect();
        for token in JIEBA.cut_for_search(&run, true) {
            let word = token.word;
            self.push(cut(word), is_chinese_stop(word));
            if word.chars().nth(1).is_some() && !JIEBA.has_word(word) {
                for c in word.chars() {
                    let single = c.to_string();
                    let stop = is_chinese_stop(&single);
                    self.push(single, stop);
                }
            }
        }
        self.at = end;
    }

    fn bigrams(&mut self, kind: Kind) {
        let end = self.run_end(kind);
        let run = &self.chars[self.at..end];
        let pairs: Vec<String> = run.windows(run.len().min(2)).map(|pair| pair.iter().collect()).collect();
        for pair in pairs {
            self.push(pair, false);
        }
        self.at = end;
    }

    /// A word of a spaced script; English is led back to its base and stemmed.
    pub(super) fn word(&mut self, text: String) {
        if !text.chars().any(char::is_alphanumeric) {
            return;
        }
        self.tokens.push(known(text));
    }
}

/// The token of a word of a spaced script, made anew only when the thread has not met the word.
fn known(word: String) -> Token {
    if word.len() > MAX_TOKEN_CHARS {
        return stemmed(&word);
    }
    WORDS.with_borrow_mut(|words| {
        if let Some(token) = words.get(&word) {
            return token.clone();
        }
        if words.len() == KEPT_WORDS {
            words.clear();
        }
        let token = stemmed(&word);
        words.insert(word, token.clone());
        token
    })
}

fn stemmed(word: &str) -> Token {
    let english = word.bytes().all(|b| b.is_ascii_lowercase() || b == b'\'');
    let text = if english && (MIN_STEMMED_CHARS..=MAX_TOKEN_CHARS).contains(&word.len()) {
        Stemmer::create(Algorithm::English).stem(base_form(word)).into_owned()
    } else {
        cut(word)
    };
    Token { text, stop: is_english_stop(word) }
}

/// `kind of tea` and 什么类型的茶 ask for tea, not for kinds; elsewhere these words are content.
fn mark_fillers(tokens: &mut [Token]) {
    for at in 1..tokens.len() {
        if is_filler_before_of(&tokens[at - 1].text) && tokens[at].text == "of" {
            tokens[at - 1].stop = true;
        }
        if is_filler_after_which(&tokens[at - 1].text, &tokens[at].text) {
            tokens[at].stop = true;
        }
    }
}

fn cut(word: &str) -> String {
    word.chars().take(MAX_TOKEN_CHARS).collect()
}
