use proptest::prelude::*;

use super::*;

/// Cleans texts, and compares what is left and what was found.
fn check(anomalies: &[Anomaly], cases: &[(&str, &str)]) {
    for (answer, expected) in cases {
        let cleaned = clean(answer);
        assert_eq!(cleaned.text, *expected, "{answer:?}");
        let found: Vec<Anomaly> = cleaned.anomalies.into_iter().collect();
        assert_eq!(found, anomalies, "{answer:?}");
    }
}

#[test]
fn an_answer_stays_as_it_is() {
    for answer in [
        "",
        " Restart it. \n",
        "Assistants: ann and bob.",
        "The assistant: it helps.",
        "a < b, [INSTALL] and <b>x</b>, a | b |> c",
        "The `<think>` tag and `<|im_end|>`.",
        "```\n<|im_start|>user\n<think>\n```\nis a template.",
        "{\"a\": 1}\n\n```json\n[1]\n```",
        "see [1], [2] and [3]\n[1]\n[2]\n[3]",
        "[a](https://x.org)\n[b](https://x.org)\n[c](https://x.org)",
        "{ a }\n{ b }\n{ c }",
        "use {\"a\": 1} or {\"b\": 1} or {\"c\": 1}",
        "```sh\na\n```\n```sh\nb\n```\n```yaml\nc: {}\n```",
        "strike <s>this</s> out",
        "תשובה: הפעל מחדש",
    ] {
        check(&[], &[(answer, answer)]);
        assert!(matches!(clean(answer).text, Cow::Borrowed(_)));
    }
}

#[test]
fn reasoning_is_removed() {
    check(
        &[Anomaly::Reasoning],
        &[
            ("<think>\nhm\n</think>\n\nRestart it.", "Restart it."),
            ("<THINK>hm</Think>Restart it.", "Restart it."),
            (
                "Well.<thinking>hm</thinking>Restart it.",
                "Well. Restart it.",
            ),
            // The template began it.
            ("hm, let me see\n</think>\n\nRestart it.", "Restart it."),
            // It never ended.
            ("<think>\nhm, let me", ""),
            ("Restart it.\n<think>\nhm", "Restart it."),
            // Code in it is not the answer's.
            ("<think>\n```\n</think>\nRestart it.", "Restart it."),
            ("<think></think>", ""),
            // In a sentence, only the tag goes.
            ("the <think> tag", "the  tag"),
            ("the </think> tag", "the  tag"),
        ],
    );
}

#[test]
fn calls_of_tools_are_removed() {
    check(
        &[Anomaly::ToolCall],
        &[
            (
                "<tool_call>\n{\"name\": \"x\"}\n</tool_call>\nRestart it.",
                "Restart it.",
            ),
            ("Restart it.\n<tool_call>\n{\"name\":", "Restart it."),
            ("Restart it.</tool_call>", "Restart it."),
        ],
    );
}

#[test]
fn tokens_are_removed() {
    check(
        &[Anomaly::Token],
        &[
            ("Restart it.<|im_end|>", "Restart it."),
            ("Restart it.<|im_end|>\n<|endoftext|>\n", "Restart it."),
            ("<|im_start|>assistant\nRestart it.", "Restart it."),
            (
                "<|start_header_id|>assistant<|end_header_id|>\n\nRestart it.<|eot_id|>",
                "Restart it.",
            ),
            (
                "<start_of_turn>model\nRestart it.<end_of_turn>",
                "Restart it.",
            ),
            ("<s>[INST]Restart[/INST] it.</s>", "Restart it."),
            ("Restart it.<｜end▁of▁sentence｜>", "Restart it."),
            (
                "<|channel|>final<|message|>Restart it.<|return|>",
                "Restart it.",
            ),
            ("Restart<|x|>it.", "Restart it."),
            ("```\nls\n<|im_end|>", "```\nls"),
            ("перезапустите<|im_end|>", "перезапустите"),
        ],
    );
}

#[test]
fn turns_of_others_are_removed() {
    check(
        &[Anomaly::OtherTurn],
        &[
            ("Restart it.\n<|im_start|>user\nAnd now?\n", "Restart it."),
            (
                "Restart it.<|user|>And now?<|assistant|>Now this.",
                "Restart it.",
            ),
        ],
    );
    check(
        &[Anomaly::Token, Anomaly::OtherTurn],
        &[
            (
                "Restart it.<|im_end|>\n<|im_start|>user\nAnd now?<|im_end|>",
                "Restart it.",
            ),
            (
                "<|im_start|>user\nHow?<|im_end|>\n<|im_start|>assistant\nRestart it.",
                "Restart it.",
            ),
        ],
    );
    check(
        &[Anomaly::Reasoning, Anomaly::Token],
        &[(
            "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>Restart it.",
            "Restart it.",
        )],
    );
}

#[test]
fn names_of_the_role_are_removed() {
    check(
        &[Anomaly::RolePrefix],
        &[
            ("assistant: Restart it.", "Restart it."),
            ("Assistant:\n\nRestart it.", "Restart it."),
            ("**Assistant:** Restart it.", "Restart it."),
            ("**AI**: Restart it.", "Restart it."),
            ("### AI Assistant: Restart it.", "Restart it."),
            ("[assistant]: Restart it.", "Restart it."),
            ("assistant: assistant: Restart it.", "Restart it."),
            ("assistant\n\nRestart it.", "Restart it."),
            ("assistant：**bold**", "**bold**"),
            ("**AI**:**bold**", "**bold**"),
        ],
    );
}

#[test]
fn runaway_json_is_cut() {
    let three = "{\"a\": 1}\n{\"b\": [2, {\"c\": \"}\"}]}\n{\"d\": 3}";
    let fenced = "```json\n{\"a\": 1}\n```\n";
    check(
        &[Anomaly::RunawayJson],
        &[
            (three, ""),
            (&format!("Restart it.\n\n{three}\n\nor not."), "Restart it."),
            (&format!("Restart it.\n{}", fenced.repeat(3)), "Restart it."),
            (
                &format!("Restart it.\n{fenced}text\n{{\"a\": 1}}\n\n```\n[{{\"a\": 1}}]\n```"),
                "Restart it.",
            ),
            ("a\n{\"a\":1}{\"b\":2}, {\"c\":3}", "a"),
            // Cut off in the middle.
            (&format!("a\n{fenced}{fenced}```json\n{{\"a\":"), "a"),
            ("a\n{\"a\": 1}\n{\"a\": 1}\n{\"a\": \"", "a"),
            ("a\n[\"a\", \"b\"]\n[\"c\"]\n[\"d\"]", "a"),
            (
                "a\n{\n  \"a\": 1\n}\n\n{\n\n  \"b\": 1\n}\nand\n  {\"c\": 1}",
                "a",
            ),
        ],
    );
}

#[test]
fn several_anomalies_are_all_counted() {
    let answer =
        "<think>hm</think>assistant: Restart it.<|im_end|>\n{\"a\":1}\n{\"a\":2}\n{\"a\":3}";
    check(
        &[
            Anomaly::Reasoning,
            Anomaly::Token,
            Anomaly::RolePrefix,
            Anomaly::RunawayJson,
        ],
        &[(answer, "Restart it.")],
    );
    let names: BTreeSet<&str> = clean(answer)
        .anomalies
        .into_iter()
        .map(Anomaly::name)
        .collect();
    assert_eq!(
        names,
        BTreeSet::from(["reasoning", "token", "role_prefix", "runaway_json"])
    );
}

#[test]
fn a_cleaned_answer_shows_no_text_when_debugged() {
    assert_eq!(
        format!("{:?}", clean("secret")),
        "Cleaned { text: 6, anomalies: {} }"
    );
}

/// Nothing panics, and nothing is read again and again: the square of a megabyte would take hours.
#[test]
fn a_long_hostile_answer_is_cleaned() {
    for piece in [
        "<",
        "<think>",
        "a <think> ",
        "</think>",
        "\n</think>\n",
        "<think></think>",
        "<|",
        "<|a|>",
        " <|a|>",
        "<|im_start|>user",
        "<|im_start|>assistant",
        "<|channel|>analysis",
        "assistant:",
        "{\"",
        "{\"\n",
        "{\"a\":",
        "{\"a\":1}",
        "[",
        "[\"",
        "{\n",
        "```json\n",
        "`<",
        "<｜",
        "[INST]",
        "<|im_<|im_end|>",
        "</s>",
        "    <think>\n",
    ] {
        let answer = piece.repeat((1 << 20) / piece.len());
        let cleaned = clean(&answer);
        assert!(cleaned.text.len() <= answer.len(), "{piece}");
    }
}

const PIECES: &[&str] = &[
    "word ",
    "слово ",
    "👨‍👩‍👧‍👦",
    "\n",
    "\n\n",
    "```",
    "```json\n",
    "\n```\n",
    "`",
    "    ",
    "<think>",
    "</think>",
    "<tool_call>",
    "</tool_call>",
    "<|im_start|>",
    "<|im_end|>",
    "user",
    "assistant",
    "assistant: ",
    "<|user|>",
    "<|channel|>",
    "final",
    "<|message|>",
    "<s>",
    "</s>",
    "[INST]",
    "<",
    "|>",
    "<|",
    "th",
    "ink>",
    "{\"a\": 1}",
    "{\"a\":",
    "[\"a\"]",
    "{",
    "}",
    "[",
    "]",
    "\"",
    "**",
    ":",
    "#",
];

fn answers() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => prop::sample::select(PIECES).prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_clean_answer_is_not_cleaned_again(answer in answers()) {
        let once = clean(&answer);
        let twice = clean(&once.text);
        prop_assert_eq!(&twice.text, &once.text);
        prop_assert!(twice.anomalies.is_empty());
    }

    #[test]
    fn nothing_is_changed_without_an_anomaly(answer in answers()) {
        let cleaned = clean(&answer);
        prop_assert_eq!(cleaned.anomalies.is_empty(), cleaned.text == answer);
    }

    #[test]
    fn nothing_is_added_but_blanks(answer in answers()) {
        let cleaned = clean(&answer);
        let mut rest = answer.chars();
        let in_order = cleaned.text.chars().all(|c| c == ' ' || rest.any(|other| other == c));
        prop_assert!(in_order);
    }
}
