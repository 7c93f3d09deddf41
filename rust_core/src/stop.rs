//! Words that carry no content: function words and question words of English and Chinese.
//!
//! Negations are no part of the tables: "I like tea" and "I do not like tea" differ in content.

/// Folded and sorted; the one who is remembered ("user") is in every question, so is no content.
const ENGLISH: [&str; 133] = [
    "a",
    "about",
    "all",
    "also",
    "am",
    "an",
    "and",
    "another",
    "any",
    "anybody",
    "anyone",
    "anything",
    "are",
    "as",
    "at",
    "be",
    "because",
    "been",
    "being",
    "between",
    "both",
    "but",
    "by",
    "can",
    "could",
    "did",
    "do",
    "does",
    "doing",
    "done",
    "during",
    "each",
    "every",
    "everybody",
    "everyone",
    "for",
    "from",
    "had",
    "has",
    "have",
    "having",
    "he",
    "her",
    "here",
    "hers",
    "herself",
    "him",
    "himself",
    "his",
    "how",
    "i",
    "if",
    "in",
    "into",
    "is",
    "it",
    "its",
    "itself",
    "just",
    "may",
    "me",
    "might",
    "must",
    "my",
    "myself",
    "nor",
    "of",
    "on",
    "one",
    "ones",
    "onto",
    "or",
    "other",
    "our",
    "ours",
    "ourselves",
    "out",
    "please",
    "shall",
    "she",
    "should",
    "so",
    "some",
    "somebody",
    "someone",
    "something",
    "such",
    "tell",
    "than",
    "that",
    "the",
    "their",
    "theirs",
    "them",
    "themselves",
    "then",
    "there",
    "these",
    "they",
    "this",
    "those",
    "through",
    "to",
    "too",
    "us",
    "user",
    "users",
    "very",
    "was",
    "we",
    "were",
    "what",
    "whatever",
    "when",
    "whenever",
    "where",
    "wherever",
    "which",
    "whichever",
    "while",
    "who",
    "whoever",
    "whom",
    "whose",
    "why",
    "will",
    "with",
    "would",
    "you",
    "your",
    "yours",
    "yourself",
    "yourselves",
];

/// Sorted; simplified and traditional.
const CHINESE: [&str; 159] = [
    "一个",
    "一些",
    "一种",
    "与",
    "个",
    "为",
    "为什么",
    "为何",
    "为啥",
    "么",
    "之",
    "也",
    "了",
    "于",
    "些",
    "什么",
    "什么地方",
    "什么时候",
    "什么样",
    "什麼",
    "从",
    "他",
    "他们",
    "以",
    "以及",
    "们",
    "但",
    "但是",
    "何",
    "何处",
    "何时",
    "你",
    "你们",
    "使用者",
    "個",
    "們",
    "关于",
    "几",
    "几个",
    "到",
    "又",
    "及",
    "向",
    "吗",
    "吧",
    "呀",
    "告訴",
    "告诉",
    "呢",
    "和",
    "咱",
    "咱们",
    "哈",
    "哦",
    "哪",
    "哪个",
    "哪些",
    "哪位",
    "哪儿",
    "哪天",
    "哪家",
    "哪年",
    "哪种",
    "哪裡",
    "哪里",
    "啊",
    "啥",
    "嗎",
    "嘛",
    "因为",
    "在",
    "地",
    "多久",
    "多大",
    "多少",
    "她",
    "她们",
    "如何",
    "如果",
    "它",
    "它们",
    "对",
    "对于",
    "對",
    "就",
    "并",
    "很",
    "得",
    "從",
    "怎么",
    "怎么样",
    "怎么着",
    "怎样",
    "怎麼",
    "怎麼樣",
    "您",
    "您们",
    "我",
    "我们",
    "我的",
    "或",
    "或者",
    "所",
    "所以",
    "把",
    "是",
    "是不是",
    "是否",
    "有",
    "有没有",
    "某",
    "某个",
    "為什麼",
    "為何",
    "甚么",
    "用戶",
    "用户",
    "的",
    "着",
    "种",
    "給",
    "给",
    "而",
    "而且",
    "能否",
    "自己",
    "被",
    "誰",
    "請",
    "請問",
    "讓",
    "让",
    "请",
    "请问",
    "谁",
    "谁的",
    "跟",
    "过",
    "还",
    "这",
    "这个",
    "这么",
    "这些",
    "这儿",
    "这样",
    "这里",
    "這",
    "這個",
    "過",
    "還",
    "那",
    "那个",
    "那么",
    "那些",
    "那個",
    "那儿",
    "那样",
    "那里",
    "都",
];

/// Stems that only lead up to what is asked for when `of` follows.
const BEFORE_OF: [&str; 3] = ["kind", "sort", "type"];

/// Words that only lead up to what is asked for after a word for "which".
const AFTER_WHICH: [&str; 4] = ["种类", "種類", "类型", "類型"];
const WHICH: [&str; 5] = ["什么", "什麼", "何种", "哪些", "哪种"];

/// What an apostrophe may add to a stop word without making it content; `'t` would negate it.
const CONTRACTIONS: [&str; 6] = ["d", "ll", "m", "re", "s", "ve"];

/// Tells whether a folded English word (contractions included) is a stop word.
#[must_use]
pub fn is_english_stop(word: &str) -> bool {
    match word.split_once('\'') {
        Some((base, tail)) => contains(&ENGLISH, base) && contains(&CONTRACTIONS, tail),
        None => contains(&ENGLISH, word),
    }
}

/// Tells whether a Chinese word is a stop word.
#[must_use]
pub fn is_chinese_stop(word: &str) -> bool {
    contains(&CHINESE, word)
}

/// Tells whether a stem means nothing before `of`.
#[must_use]
pub fn is_filler_before_of(stem: &str) -> bool {
    BEFORE_OF.contains(&stem)
}

/// Tells whether a word means nothing after the word before it.
#[must_use]
pub fn is_filler_after_which(before: &str, word: &str) -> bool {
    WHICH.contains(&before) && AFTER_WHICH.contains(&word)
}

fn contains(sorted: &[&str], word: &str) -> bool {
    sorted.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::{CHINESE, CONTRACTIONS, ENGLISH, is_chinese_stop, is_english_stop};

    #[test]
    fn tables_are_sorted_so_that_they_can_be_searched() {
        assert!(ENGLISH.is_sorted() && CHINESE.is_sorted() && CONTRACTIONS.is_sorted());
    }

    #[test]
    fn question_words_and_the_user_are_stop_words() {
        for word in ["what", "who", "what's", "user", "the", "i'm"] {
            assert!(is_english_stop(word), "{word}");
        }
        for word in ["什么", "谁", "哪里", "怎么", "吗", "的", "了", "用户"] {
            assert!(is_chinese_stop(word), "{word}");
        }
    }

    #[test]
    fn negations_and_content_are_not() {
        for word in ["not", "don't", "isn't", "never", "no", "tea", "ann's"] {
            assert!(!is_english_stop(word), "{word}");
        }
        for word in ["不", "没", "没有", "咖啡", "喜欢"] {
            assert!(!is_chinese_stop(word), "{word}");
        }
    }
}
