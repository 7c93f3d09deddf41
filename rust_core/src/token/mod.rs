//! Index tokens: Unicode words, Chinese words, bigrams of unspaced scripts, identifiers whole and in parts.
//!
//! - `kind`: how characters take part;
//! - `scanner`: one pass over a text;
//! - `compound`: words and identifiers of spaced scripts.

mod compound;
mod kind;
mod scanner;

use self::scanner::Scanner;

/// Changes whenever the same text would give other tokens.
pub const TOKENIZER_ID: &str = "memu-2";

/// Longer words are cut, longer compounds only give their parts, so that junk does not fill the index.
pub const MAX_TOKEN_CHARS: usize = 64;

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

#[cfg(test)]
mod tests {
    use super::{MAX_TOKEN_CHARS, content_words, tokenize};

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(tokenize(text), expected, "{text}");
    }

    #[test]
    fn english_is_stemmed_and_folded() {
        check("Running dogs RAN, Ann's cat!", &["run", "dog", "run", "ann", "cat"]);
        check("I met the children, we bought it", &["i", "meet", "the", "child", "we", "buy", "it"]);
        check("I don't know", &["i", "don't", "know"]);
        check("Café in São Paulo", &["cafe", "in", "sao", "paulo"]);
    }

    #[test]
    fn a_word_is_the_same_token_however_many_came_before() {
        let many: Vec<String> = (0..10_000).map(|n| format!("word{n} walking")).collect();
        let tokens = tokenize(&many.join(" "));
        assert_eq!(tokens.len(), 20_000);
        assert!(tokens.chunks(2).zip(0..).all(|(pair, n)| pair == [format!("word{n}"), "walk".to_owned()]));
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
