//! The kernels at the size of a large memory: 100,000 rows.

use std::hint::black_box;

use _core::bytedot;
use _core::keyword::{Bm25, Entry, KeywordIndex};
use _core::neighbours::Neighbours;
use _core::profile::{Calibration, Profile, Signals, cosine_rank_top_k, rank_top_k};
use _core::quant::{Codes, Scan, quantize};
use _core::token::tokenize;
use _core::vector::{Matrix, cosine_top_k, normalize};
use criterion::{Criterion, criterion_group, criterion_main};

const ROWS: usize = 100_000;
const DIM: usize = 384;
const ROW_TOKENS: usize = 20;
const VOCABULARY: u32 = 30_000;
const QUERY_TOKENS: usize = 10;
const GROUP_ROWS: u32 = 500;

const PROFILE: Profile = Profile { weights: [0.1, 0.1, 0.05, 0.05], half_life_days: 30.0, mentions_cap: 10 };

/// A small generator, so that every run measures the same data.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32
    }

    /// Vectors of length 1, row by row.
    fn vectors(&mut self) -> Vec<f32> {
        let raw: Vec<f32> = (0..ROWS * DIM).map(|_| self.unit() - 0.5).collect();
        Matrix::new(&raw, ROWS, DIM).map(normalize).unwrap_or_default()
    }

    fn unit(&mut self) -> f32 {
        self.next() as f32 / (1_u32 << 31) as f32
    }

    /// A word whose frequency falls with its rank, as words do.
    fn word(&mut self) -> String {
        let rank = f64::from(VOCABULARY).powf(f64::from(self.unit()));
        format!("w{}", rank as u32)
    }

    fn words(&mut self, count: usize) -> Vec<String> {
        (0..count).map(|_| self.word()).collect()
    }
}

fn vectors(criterion: &mut Criterion) {
    let mut dice = Dice(1);
    let data = dice.vectors();
    let Some(matrix) = Matrix::new(&data, ROWS, DIM) else { return };
    let query = &data[..DIM];
    criterion.bench_function("cosine_top_k 100k x 384", |bench| {
        bench.iter(|| cosine_top_k(matrix, black_box(query), 10, None));
    });
    let ages: Vec<f64> = (0..ROWS).map(|_| f64::from(dice.unit()) * 1_000.0).collect();
    let relevance: Vec<f32> = (0..ROWS).map(|_| dice.unit()).collect();
    let signals = Signals {
        ages_days: &ages,
        importance: &vec![5.0; ROWS],
        arousal: &vec![0.2; ROWS],
        mentions: &vec![2; ROWS],
        accesses: &vec![1; ROWS],
    };
    criterion.bench_function("rank_top_k 100k", |bench| {
        bench.iter(|| rank_top_k(black_box(&relevance), &signals, &PROFILE, 10, None));
    });
    let calibration = Calibration { low: 0.0, high: 1.0 };
    criterion.bench_function("cosine_rank_top_k 100k x 384", |bench| {
        bench
            .iter(|| cosine_rank_top_k(matrix, black_box(query), &calibration, &signals, &PROFILE, 10, None));
    });
}

fn bytes(criterion: &mut Criterion) {
    let data = Dice(3).vectors();
    let Some(matrix) = Matrix::new(&data, ROWS, DIM) else { return };
    let query = &data[DIM..2 * DIM];
    let (codes, scales, errors) = quantize(matrix);
    criterion.bench_function("quantize 1k x 384", |bench| {
        let part = Matrix::new(&data[..1_000 * DIM], 1_000, DIM);
        bench.iter(|| part.map(|rows| quantize(black_box(rows))));
    });
    let rounded: Vec<i16> = query.iter().map(|x| (x * 10_000.0) as i16).collect();
    criterion.bench_function("products of bytes 100k x 384", |bench| {
        bench.iter(|| {
            let mut largest = i32::MIN;
            bytedot::dots(black_box(&codes), &rounded, |_, sum| largest = largest.max(sum));
            largest
        });
    });
    let codes = Codes { codes: &codes, scales: &scales, errors: &errors };
    let norms = vec![1.0; ROWS];
    let everything = vec![true; ROWS];
    // Every twentieth row ends a session.
    let side = |distance: i32| -> Vec<i32> {
        let near = |row: i32| if row / 20 == (row + distance).div_euclid(20) { row + distance } else { -1 };
        (0_i32..).map(near).take(ROWS).collect()
    };
    let (before, after, earlier, later) = (side(-1), side(1), side(-2), side(2));
    let sides: [&[i32]; 4] = [&before, &after, &earlier, &later];
    let joined_norms = vec![1.5; ROWS];
    let alone = Neighbours::new(&[], &[], &norms);
    let beside = Neighbours::new(&[0.5, 0.25], &sides, &joined_norms);
    for (name, neighbours) in [("alone", alone), ("with two neighbours on each side", beside)] {
        let scan = Scan { matrix, codes, neighbours, query, mask: &everything };
        criterion.bench_function(&format!("bytes first 100k x 384, {name}"), |bench| {
            bench.iter(|| black_box(&scan).top_k(10));
        });
    }
}

fn keywords(criterion: &mut Criterion) {
    let mut dice = Dice(2);
    let texts: Vec<Vec<String>> = (0..ROWS).map(|_| dice.words(ROW_TOKENS)).collect();
    let entries: Vec<Entry<'_, String>> = texts
        .iter()
        .zip(0_u32..)
        .map(|(tokens, row)| Entry {
            row,
            tokens,
            group: i64::from(row / GROUP_ROWS),
            ordinal: i64::from(row),
        })
        .collect();
    let mut index = KeywordIndex::new(Bm25 { k1: 0.9, b: 0.4 });
    if index.add(&entries).is_err() {
        return;
    }
    let questions: Vec<Vec<String>> = (0..64).map(|_| dice.words(QUERY_TOKENS)).collect();
    for spread in [&[][..], &[0.3][..], &[0.3, 0.1][..]] {
        let mut turn = questions.iter().cycle();
        criterion.bench_function(
            &format!("keyword search 100k, ten words, spread {}", spread.len()),
            |bench| {
                bench.iter(|| {
                    turn.next().map(|question| index.search(black_box(question), 200, None, spread))
                });
            },
        );
    }
    let half: Vec<bool> = (0..ROWS).map(|row| row % 2 == 0).collect();
    criterion.bench_function("keyword search 100k, ten words, spread 2, half of the rows", |bench| {
        bench.iter(|| index.search(black_box(&questions[0]), 200, Some(&half), &[0.5, 0.25]));
    });
    let rows: Vec<u32> = (0..400).map(|_| dice.next() % ROWS as u32).collect();
    criterion.bench_function("keyword scores of 400 rows, spread 2", |bench| {
        bench.iter(|| index.scores(black_box(&questions[0]), &rows, &[0.3, 0.1]));
    });
    criterion.bench_function("keyword scores of the sessions of 400 rows", |bench| {
        bench.iter(|| index.group_scores(black_box(&questions[0]), &rows));
    });
}

fn texts(criterion: &mut Criterion) {
    let english = "Running dogs ran to Ann's cat in São Paulo with gpt-4 and node.js v2.1.0 on a warm day.";
    let chinese = "我喜欢喝美式咖啡，不加糖不加奶。每周五会去星巴克。";
    for (name, text) in [("English", english), ("Chinese", chinese)] {
        criterion.bench_function(&format!("tokenize {name}"), |bench| {
            bench.iter(|| tokenize(black_box(text)));
        });
    }
}

criterion_group!(benches, vectors, bytes, keywords, texts);
criterion_main!(benches);
