"""Types of memory: the table, and what a sentence is, in seven languages."""

import pytest

from libra.ground.records import MemoryType, Role
from libra.lifecycle.types import DAY_MS, TYPES, detect

M = MemoryType


def test_the_table_is_the_memory_models() -> None:
    """Priorities, lives and half-lives as memory-model.md §1 has them, one row a type."""
    rows = {t: (r.priority, r.ttl_days, r.half_life_days) for t, r in TYPES.items()}
    assert rows == {
        M.DECISION: (85, None, None),
        M.INSTRUCTION: (85, None, None),
        M.PREFERENCE: (80, None, 365),
        M.IDENTITY: (80, None, None),
        M.CONTEXT: (60, 7, 7),
        M.TODO: (55, 30, 30),
        M.FACT: (30, None, 180),
        M.ENTITY: (30, None, 180),
        M.SESSION: (20, 90, 30),
        M.LESSON: (70, None, None),
    }
    assert set(TYPES) == set(M)


def test_expiry_follows_the_type_unless_set_by_hand() -> None:
    """A manual time to live wins, zero means for ever."""
    assert TYPES[M.CONTEXT].expires_ms(1000) == 1000 + 7 * DAY_MS
    assert TYPES[M.CONTEXT].expires_ms(1000, ttl_ms=5) == 1005
    assert TYPES[M.CONTEXT].expires_ms(1000, ttl_ms=0) is None
    assert TYPES[M.FACT].expires_ms(1000) is None
    assert TYPES[M.FACT].expires_ms(1000, ttl_ms=9) == 1009


STATEMENTS = [
    (M.DECISION, "We decided to ship the beta on Friday."),
    (M.DECISION, "Let's go with SQLite for the store."),
    (M.DECISION, "we switched to SQLite"),
    (M.DECISION, "用户身份验证改用 Passkey，下周上线"),
    (M.DECISION, "我们决定下周发布。"),
    (M.DECISION, "Chúng tôi đã quyết định dùng Go."),
    (M.PREFERENCE, "my favourite colour is blue"),
    (M.PREFERENCE, "I prefer tabs over spaces."),
    (M.PREFERENCE, "I really like dark roast coffee."),
    (M.PREFERENCE, "I don't like meetings before ten."),
    (M.PREFERENCE, "我喜欢简短的回答。"),
    (M.PREFERENCE, "Tôi thích cà phê sữa đá."),
    (M.IDENTITY, "My name is Anil and I maintain the parser."),
    (M.IDENTITY, "I'm a backend engineer from Izmir."),
    (M.IDENTITY, "I live in Da Nang."),
    (M.IDENTITY, "我叫小林"),
    (M.IDENTITY, "Tên tôi là Huy"),
    (M.INSTRUCTION, "Always run the linter before you commit."),
    (M.INSTRUCTION, "Never use mutexes in the hot path."),
    (M.INSTRUCTION, "From now on answer in French."),
    (M.INSTRUCTION, "Use pnpm instead of npm."),
    (M.INSTRUCTION, "Don't touch the generated files."),
    (M.INSTRUCTION, "以后请用中文回答"),
    (M.INSTRUCTION, "Từ giờ hãy trả lời bằng tiếng Việt"),
    (M.TODO, "TODO: rotate the signing key"),
    (M.TODO, "Remind me to call the bank tomorrow."),
    (M.TODO, "I still need to renew the certificate."),
    (M.TODO, "提醒我明天交房租"),
    (M.TODO, "Nhắc tôi gọi cho mẹ"),
    (M.CONTEXT, "I'm currently debugging the upload queue."),
    (M.CONTEXT, "The SDK does not support streaming yet."),
    (M.CONTEXT, "我目前在改登录页面"),
    (M.ENTITY, "Linh is my sister."),
    (M.ENTITY, "Bạn của tôi tên Huy"),
    (M.FACT, "Our staging host is zeta-9, port 7443."),
    (M.FACT, "My sister Linh lives in Da Nang."),
    (M.FACT, "Server A runs Postgres 15."),
    (M.FACT, "Remember: the prod DB password is [redacted:password]."),
    (M.FACT, "My PIN hint is the blue bike."),
    (M.FACT, "I booked the dentist."),
    (M.FACT, "Bán máy ảnh cũ"),
    (M.FACT, "Ban quản lý họp thứ ba"),
    (M.DECISION, "Wir haben uns für SQLite entschieden."),
    (M.DECISION, "Nous avons décidé de passer à SQLite."),
    (M.DECISION, "Hemos decidido usar SQLite."),
    (M.DECISION, "SQLiteに決めました。"),
    (M.IDENTITY, "Ich wohne in Leipzig."),
    (M.IDENTITY, "Je m'appelle Huy."),
    (M.IDENTITY, "Soy enfermera en Bilbao."),
    (M.IDENTITY, "私は京都に住んでいます。"),
    (M.PREFERENCE, "Ich hasse Pilze."),
    (M.PREFERENCE, "Ich trinke am liebsten Tee."),
    (M.PREFERENCE, "Je déteste les champignons."),
    (M.PREFERENCE, "Odio las setas."),
    (M.PREFERENCE, "Me gusta el té verde."),
    (M.PREFERENCE, "私はきのこが嫌いです。"),
    (M.PREFERENCE, "I hate mushrooms."),
    (M.PREFERENCE, "我讨厌蘑菇"),
    (M.PREFERENCE, "Tôi ghét nấm"),
    (M.INSTRUCTION, "Antworte ab jetzt immer auf Deutsch."),
    (M.INSTRUCTION, "Ne supprime jamais la sauvegarde."),
    (M.INSTRUCTION, "Responde siempre en español."),
    (M.INSTRUCTION, "今後は日本語で答えてください。"),
    (M.TODO, "Ich muss noch das Zertifikat erneuern."),
    (M.TODO, "Rappelle-moi d'appeler la banque."),
    (M.TODO, "Tengo que renovar el certificado."),
    (M.ENTITY, "Meine Schwester heißt Linh."),
    (M.ENTITY, "Ma sœur s'appelle Linh."),
    (M.ENTITY, "Mi hermana se llama Linh."),
    (M.FACT, "Unser Server steht im Keller."),
    (M.FACT, "Notre serveur se trouve dans la cave."),
    (M.FACT, "Nuestro servidor está en el sótano."),
    (M.CONTEXT, "Exporting to PDF is not possible."),
    (M.CONTEXT, "这个接口不支持分页"),
    (M.CONTEXT, "Dunkles Design wird noch nicht unterstützt."),
]


@pytest.mark.parametrize(("kind", "text"), STATEMENTS)
def test_statements_have_their_type(kind: MemoryType, text: str) -> None:
    """Each form of the table is recognised."""
    assert detect(text, Role.USER, 0.0, 0.0) is kind


NOTHING = [
    "Do you prefer tabs or spaces?",
    "what is our staging host",
    "Is the staging host zeta-9?",
    "What if we used Postgres?",
    "Suppose the host is zeta-9.",
    "Maybe we should switch to SQLite.",
    "I hate this bug.",
    "I love it, thanks!",
    "I like that idea.",
    "ugh I hate how slow this is",
    "thanks, that's great",
    "ok",
    "Fix the login test.",
    "Can you run the tests again?",
    "please add a README",
    "Sounds good, go ahead.",
    "That is awesome!",
    "你喜欢哪个？",
    "如果用 Postgres 会怎么样",
    "好的",
    "Bạn thích gì?",
    "Nếu dùng Postgres thì sao",
    "cảm ơn",
    "I hate this error",
    "ugh, this is so annoying",
    "I hate docker right now.",
    "I'm so frustrated with the build.",
    "I love debugging this at midnight.",
    "This linter drives me crazy.",
    "I hate the flaky tests!",
    "我讨厌这个错误",
    "这个 bug 烦死了",
    "Tôi ghét cái lỗi này",
    "Ich hasse diesen Fehler.",
    "Je déteste cette erreur.",
    "Odio este error.",
    "このエラーは嫌いだ。",
    "Was ist unser Server?",
    "Vielleicht sollten wir wechseln.",
    "Bitte prüfe den Test.",
    "Danke, super!",
    "Merci beaucoup !",
    "Corrige le test.",
    "Gracias, perfecto.",
    "Arregla la prueba.",
    "ありがとうございます。",
    "テストを直してください。",
    "",
    "> we decided to use Postgres",
    "```\nalways = True\n```",
]


@pytest.mark.parametrize("text", NOTHING)
def test_questions_hypotheticals_moods_and_requests_are_nothing(text: str) -> None:
    """Questions and hypotheticals are no facts, feelings about the task are no preference (C36)."""
    assert detect(text, Role.USER, 0.0, 0.0) is None


def test_a_statement_beside_a_question_still_counts() -> None:
    """Only the sentence that asks is left out."""
    assert detect("I live in Hue. Can you find me a train?", Role.USER, 0.0, 0.0) is M.IDENTITY


@pytest.mark.parametrize("role", [Role.TOOL, Role.SYSTEM])
def test_tools_and_systems_are_never_learnt_from(role: Role) -> None:
    """Whatever they say."""
    assert detect("We decided to use SQLite.", role, 1.0, 1.0) is None


def test_an_assistant_only_decides_or_gives_context() -> None:
    """And only where a decision was taken in a technical turn; never a preference or a rule."""
    assert detect("We decided to use SQLite.", Role.ASSISTANT, 0.5, 0.6) is M.DECISION
    assert detect("Always run the linter.", Role.ASSISTANT, 0.5, 0.6) is M.CONTEXT
    assert detect("I prefer tabs.", Role.ASSISTANT, 0.4, 0.5) is M.CONTEXT
    assert detect("We decided to use SQLite.", Role.ASSISTANT, 0.0, 0.9) is None
    assert detect("We decided to use SQLite.", Role.ASSISTANT, 0.5, 0.4) is None


def test_a_technical_outcome_without_a_form_is_context() -> None:
    """A resolution that no form names still gets the short life of context."""
    assert detect("pool size 20, resolved", Role.USER, 0.4, 0.4) is M.CONTEXT
