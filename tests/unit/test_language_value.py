"""What holds a memory and what does not."""

import pytest

from memu_py.language.courtesies import courtesy
from memu_py.language.questions import is_question, states_nothing
from memu_py.language.value import assess

NOTHING: list[tuple[str, str]] = [
    ("", "empty"),
    ("  \n ", "empty"),
    ("😊😊", "empty"),
    ("...", "empty"),
    ("Hi", "greeting"),
    ("Hello there!", "greeting"),
    ("Hey Mel! Good to see you!", "greeting"),
    ("Good morning, Caroline.", "greeting"),
    ("Long time no see!", "greeting"),
    ("It's great to hear from you again!", "greeting"),
    ("Bye!", "farewell"),
    ("See you later", "farewell"),
    ("Good night", "farewell"),
    ("Take care, buddy. Talk to you soon!", "farewell"),
    ("Have a great weekend!", "farewell"),
    ("ok", "acknowledgement"),
    ("Yes", "acknowledgement"),
    ("Yeah, totally!", "acknowledgement"),
    ("Thanks!", "acknowledgement"),
    ("Thanks! That's so sweet", "acknowledgement"),
    ("Thank you so much, Melanie!", "acknowledgement"),
    ("Thanks for the advice!", "acknowledgement"),
    ("Wow, Caroline! That's awesome.", "acknowledgement"),
    ("You’re welcome!", "acknowledgement"),
    ("I agree.", "acknowledgement"),
    ("Got it, sounds like a plan", "acknowledgement"),
    ("I'm so happy for you!", "acknowledgement"),
    ("Congrats! Well done.", "acknowledgement"),
    ("haha lol", "acknowledgement"),
    ("Really?", "acknowledgement"),
    ("Let me know if you need anything.", "acknowledgement"),
    ("How are you?", "question"),
    ("What's your dog's name?", "question"),
    ("Hey Mel! How have you been?", "question"),
    ("Wow, that's cool! How did you do it?", "question"),
    ("Can I help you?", "question"),
    ("What should I do?", "question"),
    ("By the way, what's up?", "question"),
    ("Any plans for the weekend?", "question"),
    ("What do you think, Ann?", "question"),
    ("Guess what?", "question"),
    ("You okay?", "question"),
    ("Paris?", "question"),
    ("Have you been to Rome and what did you eat?", "question"),
    ("Have you heard of Queen?", "question"),
    ("Great, right?", "acknowledgement"),
    ("So, what's next?", "question"),
    ("你好", "greeting"),
    ("早上好！", "greeting"),
    ("大家好呀", "greeting"),
    ("你好，小明！", "greeting"),
    ("晚安", "farewell"),
    ("再见，保重", "farewell"),
    ("好的", "acknowledgement"),
    ("嗯嗯", "acknowledgement"),
    ("谢谢你", "acknowledgement"),
    ("谢谢小明", "acknowledgement"),
    ("哈哈哈，太好了！", "acknowledgement"),
    ("没问题，不客气", "acknowledgement"),
    ("知道了", "acknowledgement"),
    ("听起来很有趣", "acknowledgement"),
    ("你最近怎么样？", "question"),
    ("你喜欢什么电影？", "question"),
    ("你喜欢喝茶吗", "question"),
    ("我可以进来吗？", "question"),
    ("我们什么时候去吃饭？", "question"),
    ("你知道吗？", "question"),
    ("你知道他是谁吗？", "question"),
    ("你好！你叫什么名字？", "question"),
]

SOMETHING = [
    "I went to Paris, have you been?",
    "Did you know I moved to Berlin?",
    "Did you know Bob moved to Berlin?",
    "Guess what? I got a puppy!",
    "Can you believe I won?",
    "Remember when we went to Rome?",
    "Did you hear Bob got married?",
    "Do you like my new dress?",
    "Where did you go with the dog we adopted?",
    "It's raining here, how about there?",
    "Been up and down lately, got married last week - how about you?",
    "You're already good at drawing, why did you join a class?",
    "You like tea, right?",
    "Caroline is your sister?",
    "I've a dog, you know?",
    "I'm allergic to nuts.",
    "Yes, Berlin.",
    "No, I don't eat meat.",
    "Hi, I'm Tom.",
    "Thanks for the book on Berlin",
    "Thanks to Mel I got the job",
    "Congrats on the new job!",
    "Sounds good, see you on Friday",
    "Berlin",
    "42",
    "Caroline!",
    "thanks " * 60,
    "我喜欢咖啡",
    "我去了巴黎，你去过吗？",
    "你知道我搬到柏林了吗？",
    "我搬家了，你知道吗？",
    "我的狗叫旺财你知道吗？",
    "你喜欢喝茶，对吧？",
    "今天下雨了，你那边呢？",
    "你听说小明结婚了吗？",
    "你好，我叫小明",
    "好的咖啡",
    "是的，我喜欢",
    "晚上一起吃饭吧",
    "我想去北京？",
    "お茶が好きです",
    "Привет, я Аня",
]


@pytest.mark.parametrize(("text", "reason"), NOTHING)
def test_what_holds_no_memory(text: str, reason: str) -> None:
    assert assess(text) == reason


@pytest.mark.parametrize("text", SOMETHING)
def test_what_is_kept(text: str) -> None:
    assert assess(text) is None


def test_one_statement_among_courtesies_keeps_the_text() -> None:
    assert assess("Hi! Thanks! How are you? My sister lives in Rome. Bye!") is None


def test_a_question_goes_before_a_greeting() -> None:
    assert assess("Hello! How are you? Bye!") == "question"


def test_a_name_is_addressed_but_not_after_a_bare_answer() -> None:
    assert courtesy("Thanks, Mel!") == "acknowledgement"
    assert courtesy("Yes, Mel!") is None


@pytest.mark.parametrize("text", ["How are you?", "你好吗？", "你在哪里呢", 'He asked "why?"', "What?!?"])
def test_a_question_is_told_by_its_end(text: str) -> None:
    assert is_question(text)


@pytest.mark.parametrize("text", ["Why not.", "What a day!", "好的", "a? b"])
def test_a_statement_is_no_question(text: str) -> None:
    assert not is_question(text)


def test_a_tag_behind_a_courtesy_or_a_question_states_nothing() -> None:
    assert states_nothing("That's really great, isn't it?")
    assert states_nothing("Do you like tea, or don't you?")
