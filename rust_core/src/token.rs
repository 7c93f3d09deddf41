//! Index tokens: Unicode words, Chinese words, bigrams of unspaced scripts, identifiers whole and in parts.

use std::sync::LazyLock;

use jieba_rs::Jieba;
use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::char::is_combining_mark;
use unicode_script::{Script, UnicodeScript};

use crate::fold::fold_for_index;
use crate::stop::{is_chinese_stop, is_english_stop, is_filler_after_which, is_filler_before_of};

/// Changes whenever the same text would give other tokens.
pub const TOKENIZER_ID: &str = "memu-1";

/// Longer words are cut, longer compounds only give their parts, so that junk does not fill the index.
pub const MAX_TOKEN_CHARS: usize = 64;

/// Shorter English words are their own stem.
const MIN_STEMMED_CHARS: usize = 3;

/// What may join two words of an identifier.
const CONNECTORS: [char; 7] = ['-', '_', '.', '@', '/', ':', '&'];

/// Beginnings of web addresses that are no part of them in the index.
const SCHEMES: [&str; 3] = ["http", "https", "ftp"];

static JIEBA: LazyLock<Jieba> = LazyLock::new(Jieba::new);

/// One index token.
#[derive(Clone, Debug, Eq, PartialEq)]
struct Token {
    text: String,
    stop: bool,
}

/// Index tokens of a text, in order, repeats kept.
#[must_use]
pub fn tokenize(text: &str) -> Vec<String> {
    Scanner::scan(text).into_iter().map(|token| token.text).collect()
}

/// The tokens that are no stop words, or all of them when nothing else is there.
#[must_use]
pub fn content_words(text: &str) -> Vec<String> {
    let tokens = Scanner::scan(text);
    let bare = tokens.iter().all(|token| token.stop);
    tokens.into_iter().filter(|token| bare || !token.stop).map(|token| token.text).collect()
}

/// How a character takes part in tokens.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Kind {
    /// Chinese characters: words by dictionary.
    Han,
    /// Scripts without spaces and without a dictionary here: bigrams of a run.
    Unspaced(Script),
    /// Letters, digits and marks of spaced scripts.
    Word,
    /// Anything else.
    Gap,
}

fn kind(c: char) -> Kind {
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

/// One word of a compound.
struct Part {
    text: String,
    /// `+`, `++` or `#` after it.
    suffix: &'static str,
}

impl Part {
    /// A single letter means nothing without its suffix: `c++`, not `c`.
    fn token(self) -> String {
        if self.text.chars().nth(1).is_none() { self.text + self.suffix } else { self.text }
    }
}

struct Scanner {
    chars: Vec<char>,
    kinds: Vec<Kind>,
    at: usize,
    tokens: Vec<Token>,
}

impl Scanner {
    fn scan(text: &str) -> Vec<Token> {
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

    fn is_word(&self, at: usize) -> bool {
        self.kind_at(at) == Some(Kind::Word)
    }

    fn is(&self, at: usize, wanted: char) -> bool {
        self.chars.get(at) == Some(&wanted)
    }

    fn run_end(&self, kind: Kind) -> usize {
        (self.at..self.chars.len()).find(|&i| self.kind_at(i) != Some(kind)).unwrap_or(self.chars.len())
    }

    fn push(&mut self, text: String, stop: bool) {
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

    /// `.net`, `.env`: one dot, after a gap other than a dot, before a letter.
    fn is_leading_dot(&self) -> bool {
        let before = self.at.checked_sub(1).map(|i| self.chars[i]);
        self.is(self.at, '.')
            && before.is_none_or(|c| c.is_whitespace() || c == '(')
            && self.is_word(self.at + 1)
            && self.chars[self.at + 1].is_alphabetic()
    }

    fn dotted(&mut self) {
        self.at += 1;
        let (start, first) = (self.at, self.tokens.len());
        self.compound();
        let whole = self.chars[start - 1..self.at].iter().take(MAX_TOKEN_CHARS + 1).collect::<String>();
        if whole.chars().count() <= MAX_TOKEN_CHARS {
            self.tokens.insert(first, Token { text: whole, stop: false });
        }
    }

    /// A word, or an identifier: words joined by single connectors, whole and in parts.
    fn compound(&mut self) {
        let mut whole = Whole::default();
        let mut parts: Vec<Part> = Vec::new();
        let mut dots = true;
        loop {
            let part = self.part();
            whole.push(&part.text);
            whole.push(part.suffix);
            let joined = !part.suffix.is_empty() && self.is_word(self.at);
            parts.push(part);
            if joined {
                dots = false;
                continue;
            }
            if self.at_address(&parts) {
                return self.address();
            }
            let Some(connector) = self.connector() else { break };
            dots &= connector == ".";
            whole.push(connector);
        }
        self.emit(whole, parts, dots);
    }

    fn emit(&mut self, whole: Whole, parts: Vec<Part>, dots: bool) {
        let plain = parts.len() == 1 && parts.iter().all(|part| part.suffix.is_empty());
        if dots && parts.len() > 1 && parts.iter().all(is_initial) {
            return self.word(parts.into_iter().map(|part| part.text).collect());
        }
        if let (false, Some(text)) = (plain, whole.text()) {
            let single = parts.len() == 1 && parts[0].text.chars().nth(1).is_none();
            self.push(text, false);
            if single {
                return;
            }
        }
        for part in parts {
            self.word(part.token());
        }
    }

    /// Reads one word with the suffix after it.
    fn part(&mut self) -> Part {
        let mut text = String::new();
        while self.is_word(self.at) || self.is_inner_apostrophe() || self.is_thousands_comma(&text) {
            if !self.is(self.at, ',') {
                text.push(self.chars[self.at]);
            }
            self.at += 1;
        }
        Part { text, suffix: self.suffix() }
    }

    fn is_inner_apostrophe(&self) -> bool {
        let letter = |at: usize| self.is_word(at) && self.chars[at].is_alphabetic();
        self.is(self.at, '\'') && self.at > 0 && letter(self.at - 1) && letter(self.at + 1)
    }

    /// The comma of `1,000,000`: after one to three leading digits or whole groups, before exactly three digits.
    fn is_thousands_comma(&self, text: &str) -> bool {
        let digit = |at: usize| self.chars.get(at).is_some_and(char::is_ascii_digit);
        let group = (1..=3).all(|i| digit(self.at + i)) && !self.is_word(self.at + 4);
        let grouped = self.at >= 4 && self.is(self.at - 4, ',');
        let head = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        self.is(self.at, ',') && group && head && (text.len() <= 3 || grouped)
    }

    fn suffix(&mut self) -> &'static str {
        let next_is_word = self.is_word(self.at + 1);
        let suffix = match self.chars.get(self.at) {
            Some('+') if self.is(self.at + 1, '+') => "++",
            Some('+') if !next_is_word => "+",
            Some('#') if !next_is_word => "#",
            _ => "",
        };
        self.at += suffix.len();
        suffix
    }

    /// Steps over a connector that has a word on its other side.
    fn connector(&mut self) -> Option<&'static str> {
        let double = self.is(self.at, ':') && self.is(self.at + 1, ':');
        let width = if double { 2 } else { 1 };
        if !self.is_word(self.at + width) {
            return None;
        }
        let connector = match self.chars[self.at] {
            ':' if double => "::",
            c => joint(c)?,
        };
        self.at += width;
        Some(connector)
    }

    fn at_address(&self, parts: &[Part]) -> bool {
        let scheme = parts.len() == 1 && SCHEMES.contains(&parts[0].text.as_str());
        scheme && [':', '/', '/'].iter().enumerate().all(|(i, c)| self.is(self.at + i, *c))
    }

    /// A web address, whole without its scheme; scanning goes on at its host, so that its words are found too.
    fn address(&mut self) {
        self.at += "://".len();
        if ['w', 'w', 'w', '.'].iter().enumerate().all(|(i, c)| self.is(self.at + i, *c)) {
            self.at += "www.".len();
        }
        let rest = &self.chars[self.at..];
        let address: String =
            rest.iter().take_while(|c| is_address_char(**c)).take(MAX_TOKEN_CHARS + 1).collect();
        let trimmed = address.trim_end_matches(['.', ',', ';', ':', '!', '?', '/']);
        // Without other signs the compound that follows is the whole address already.
        let signs = trimmed.chars().any(|c| !c.is_alphanumeric() && !CONNECTORS.contains(&c));
        if signs && address.chars().count() <= MAX_TOKEN_CHARS {
            let text = trimmed.to_owned();
            self.push(text, false);
        }
    }

    /// A word of a spaced script; English is stemmed.
    fn word(&mut self, text: String) {
        if !text.chars().any(char::is_alphanumeric) {
            return;
        }
        let stop = is_english_stop(&text);
        let english = text.bytes().all(|b| b.is_ascii_lowercase() || b == b'\'');
        if english && (MIN_STEMMED_CHARS..=MAX_TOKEN_CHARS).contains(&text.len()) {
            let stem = Stemmer::create(Algorithm::English).stem(&text).into_owned();
            self.push(stem, stop);
        } else {
            self.push(cut(&text), stop);
        }
    }
}

/// The text of a compound, as long as it is short enough to be a token.
#[derive(Default)]
struct Whole {
    text: String,
    chars: usize,
}

impl Whole {
    fn push(&mut self, text: &str) {
        self.chars += text.chars().count();
        if self.chars <= MAX_TOKEN_CHARS {
            self.text.push_str(text);
        }
    }

    fn text(self) -> Option<String> {
        (self.chars <= MAX_TOKEN_CHARS && self.text.chars().any(char::is_alphanumeric)).then_some(self.text)
    }
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

fn joint(c: char) -> Option<&'static str> {
    let at = CONNECTORS.iter().position(|known| *known == c)?;
    Some(["-", "_", ".", "@", "/", ":", "&"][at])
}

/// `u` of `u.s.a.`.
fn is_initial(part: &Part) -> bool {
    let mut chars = part.text.chars();
    chars.next().is_some_and(char::is_alphabetic) && chars.next().is_none() && part.suffix.is_empty()
}

fn is_address_char(c: char) -> bool {
    c.is_ascii_graphic()
        && !matches!(c, '<' | '>' | '"' | '\'' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | '`')
}

fn cut(word: &str) -> String {
    word.chars().take(MAX_TOKEN_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::{MAX_TOKEN_CHARS, content_words, tokenize};

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(tokenize(text), expected, "{text}");
    }

    #[test]
    fn english_is_stemmed_and_folded() {
        check("Running dogs RAN, Ann's cat!", &["run", "dog", "ran", "ann", "cat"]);
        check("I don't know", &["i", "don't", "know"]);
        check("Café in São Paulo", &["cafe", "in", "sao", "paulo"]);
    }

    #[test]
    fn identifiers_come_whole_and_in_parts() {
        check("gpt-4", &["gpt-4", "gpt", "4"]);
        check("node.js.", &["node.js", "node", "js"]);
        check("foo_bar", &["foo_bar", "foo", "bar"]);
        check("ERR_CONN-42", &["err_conn-42", "err", "conn", "42"]);
        check("v2.1.0", &["v2.1.0", "v2", "1", "0"]);
        check("E0308", &["e0308"]);
        check("a.b@c.org", &["a.b@c.org", "a", "b", "c", "org"]);
        check("std::vec", &["std::vec", "std", "vec"]);
        check("AT&T", &["at&t", "at", "t"]);
        check(".NET", &[".net", "net"]);
    }

    #[test]
    fn signs_after_a_letter_belong_to_it() {
        check("C++", &["c++"]);
        check("C#, F#.", &["c#", "f#"]);
        check("C++17", &["c++17", "c++", "17"]);
        check("C++/C#", &["c++/c#", "c++", "c#"]);
        check("Disney+ now", &["disney+", "disney", "now"]);
        check("issue #42", &["issu", "42"]);
    }

    #[test]
    fn numbers_lose_their_grouping() {
        check("1,000 or 1,000,000", &["1000", "or", "1000000"]);
        check("10,20", &["10", "20"]);
        check("2023,100", &["2023", "100"]);
        check("3.14", &["3.14", "3", "14"]);
    }

    #[test]
    fn initials_are_one_word() {
        check("the U.S.A. at 5 p.m.", &["the", "usa", "at", "5", "pm"]);
    }

    #[test]
    fn addresses_come_whole_and_in_words() {
        check(
            "see https://www.docs.rs/pyo3-latest/, please",
            &["see", "docs.rs/pyo3-latest", "doc", "rs", "pyo3", "latest", "pleas"],
        );
        check("http://a.io/?q=tea", &["a.io/?q=tea", "a.io", "a", "io", "q", "tea"]);
    }

    #[test]
    fn chinese_words_and_the_words_inside_them() {
        let tokens = tokenize("我喜欢喝美式咖啡，不加糖不加奶。");
        for word in ["我", "喜欢", "咖啡", "奶"] {
            assert!(tokens.iter().any(|token| token == word), "{word} in {tokens:?}");
        }
        let tokens = tokenize("中华人民共和国");
        for word in ["中华", "人民", "共和国", "中华人民共和国"] {
            assert!(tokens.iter().any(|token| token == word), "{word} in {tokens:?}");
        }
    }

    #[test]
    fn unspaced_scripts_are_bigrams() {
        check("コーヒーが", &["コー", "ーヒ", "ヒー", "が"]);
        check("커피를", &["커피", "피를"]);
        check("東京都で茶を", &["東京", "京都", "で", "茶", "を"]);
        check("กาแฟ", &["กา", "าแ", "แฟ"]);
    }

    #[test]
    fn scripts_that_touch_are_parted() {
        check("用gpt-4写", &["用", "gpt-4", "gpt", "4", "写"]);
    }

    #[test]
    fn long_words_are_cut_and_long_compounds_are_only_parts() {
        assert_eq!(tokenize(&"x".repeat(1_000))[0].chars().count(), MAX_TOKEN_CHARS);
        assert_eq!(tokenize(&"ab-".repeat(100)).len(), 100);
    }

    #[test]
    fn content_words_leave_the_question_out() {
        assert_eq!(content_words("用户喜欢什么类型的咖啡？"), ["喜欢", "咖啡"]);
        assert_eq!(content_words("She is kind"), ["kind"]);
        assert_eq!(content_words("我的血型类型"), ["血型", "类型"]);
        assert_eq!(content_words("What kind of coffee does the user like?"), ["coffe", "like"]);
        assert_eq!(content_words("She does not like tea"), ["not", "like", "tea"]);
    }

    #[test]
    fn a_question_of_stop_words_keeps_them() {
        assert_eq!(content_words("Who are you?"), ["who", "are", "you"]);
        assert_eq!(content_words("你是谁"), ["你", "是", "谁"]);
    }
}
