//! Words and identifiers of spaced scripts: `gpt-4`, `C++17`, `.net`, web addresses.

use super::MAX_TOKEN_CHARS;
use super::scanner::{Scanner, Token};

/// What may join two words of an identifier.
const CONNECTORS: [char; 7] = ['-', '_', '.', '@', '/', ':', '&'];

/// Beginnings of web addresses that are no part of them in the index.
const SCHEMES: [&str; 3] = ["http", "https", "ftp"];

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

impl Scanner {
    /// `.net`, `.env`: one dot, after a gap other than a dot, before a letter.
    pub(super) fn is_leading_dot(&self) -> bool {
        let before = self.at.checked_sub(1).map(|i| self.chars[i]);
        self.is(self.at, '.')
            && before.is_none_or(|c| c.is_whitespace() || c == '(')
            && self.is_word(self.at + 1)
            && self.chars[self.at + 1].is_alphabetic()
    }

    pub(super) fn dotted(&mut self) {
        self.at += 1;
        let (start, first) = (self.at, self.tokens.len());
        self.compound();
        let whole = self.chars[start - 1..self.at].iter().take(MAX_TOKEN_CHARS + 1).collect::<String>();
        if whole.chars().count() <= MAX_TOKEN_CHARS {
            self.tokens.insert(first, Token { text: whole, stop: false });
        }
    }

    /// A word, or an identifier: words joined by single connectors, whole and in parts.
    pub(super) fn compound(&mut self) {
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
