"""Texts that nobody wants remembered, and the wrappers that hosts put around a person's words."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

from libra.ground.records import Role


class NoiseKind(StrEnum):
    """Why a turn is not considered for promotion; it stays in the turn store (memory model §4)."""

    EMPTY = "empty"
    GREETING = "greeting"
    CONFIRMATION = "confirmation"
    HEARTBEAT = "heartbeat"
    REFUSAL = "refusal"
    SLASH_COMMAND = "slash_command"
    MEMORY_META = "memory_meta"
    CONTINUATION = "continuation"
    EMOJI = "emoji"


_SHORT_CHARS: Final = 80
_REFUSAL_CHARS: Final = 400
_EDGE: Final = " \t\r\n.,!?;:…~*_\"'`()[]，。！？；：、～“”‘’¡¿\u200b\ufeff"

_GREETINGS: Final = frozenset(
    """hi|hello|helo|hey|gm|gn|good mornin|hiya|yo|howdy|greetings|good morning|good afternoon|good evening|good night|morning|evening|
    hi there|hello there|hey there|hi again|hello again|hi all|hi everyone|hello everyone|sup|what's up|whats up|how are you|
    how are you doing|how are you today|how's it going|hows it going|nice to meet you|bye|goodbye|bye bye|see you|see you later|
    see ya|good bye|have a nice day|have a good day|cheers|
    你好|您好|嗨|哈喽|早|早上好|早安|上午好|下午好|晚上好|晚安|在吗|你好吗|再见|拜拜|こんにちは|おはよう|こんばんは|안녕|안녕하세요|
    chào|xin chào|chào bạn|chào anh|chào em|chào buổi sáng|chào buổi tối|chào cả nhà|chào mọi người|tạm biệt|hẹn gặp lại|chúc ngủ ngon|alo|
    hallo|hallo zusammen|hi zusammen|moin|moin moin|servus|grüß gott|guten tag|guten morgen|guten abend|gute nacht|wie geht's|wie geht es dir|na|
    tschüss|tschüs|auf wiedersehen|bis bald|bis morgen|bis später|schönen tag noch|
    bonjour|bonsoir|salut|coucou|bonne nuit|bonne journée|ça va|comment ça va|comment vas-tu|au revoir|à bientôt|à demain|à plus|ciao|
    hola|buenas|buenos días|buenas tardes|buenas noches|qué tal|cómo estás|hola qué tal|adiós|hasta luego|hasta mañana|chao|
    おはようございます|こんにちわ|どうも|やあ|もしもし|お元気ですか|おやすみ|おやすみなさい|さようなら|またね|またあした|お疲れ様です|大家好|早啊|嗨你好|哈啰|您早|回头见|明天见""".replace(
        "\n", ""
    )
    .replace("    ", "")
    .split("|")
)
_CONFIRMATIONS: Final = frozenset(
    """ok|okay|okie|okey dokey|okie dokie|alrighty|sounds great|sounds perfect|keep it up|nice one|great job|great work|k|kk|okey|おk|yes|yep|yeah|yup|ya|no|nope|nah|sure|sure thing|thanks|thank you|thx|ty|thanks a lot|thank you so much|
    thank you very much|many thanks|great|great thanks|perfect|nice|cool|awesome|good|good job|well done|got it|understood|
    alright|all right|right|fine|sounds good|looks good|lgtm|agreed|correct|exactly|done|no problem|np|you're welcome|
    welcome|ack|roger|wow|haha|lol|hmm|hm|yes please|no thanks|ok thanks|okay thanks|ok thank you|that's right|that is right|
    好|好的|好吧|行|可以|嗯|嗯嗯|对|是|是的|不|不是|不用|谢谢|谢谢你|多谢|收到|明白|知道了|了解|没问题|はい|いいえ|ありがとう|네|아니요|감사합니다|
    vâng|dạ|ừ|ừm|được|đúng|đúng rồi|không|cảm ơn|cám ơn|cảm ơn bạn|tốt|tuyệt|hiểu rồi|rồi|oke|được rồi|ổn rồi|chuẩn|chính xác|vâng ạ|dạ vâng|ok bạn|cảm ơn nhiều|không cần đâu|không sao|đồng ý|nhất trí|
    ja|nein|jo|jep|klar|na klar|genau|stimmt|richtig|gut|sehr gut|super|prima|toll|klasse|perfekt|passt|passt so|alles klar|in ordnung|verstanden|okay danke|ok danke|
    danke|danke schön|dankeschön|danke sehr|danke dir|vielen dank|besten dank|bitte|gerne|kein problem|ja bitte|nein danke|einverstanden|
    oui|non|ouais|si|d'accord|ok merci|merci|merci beaucoup|merci bien|parfait|super|génial|très bien|bien|c'est bon|c'est parfait|entendu|compris|exactement|
    bien sûr|pas de problème|de rien|je t'en prie|oui merci|non merci|ça marche|nickel|
    sí|no|vale|claro|claro que sí|de acuerdo|perfecto|genial|muy bien|bien|bueno|gracias|muchas gracias|mil gracias|de nada|entendido|exacto|correcto|listo|
    sí gracias|no gracias|estupendo|está bien|ningún problema|
    うん|ええ|いや|わかりました|分かりました|わかった|了解|了解です|了解しました|オーケー|ok です|オッケー|いいね|いいです|いいですね|素晴らしい|完璧|ありがとうございます|ありがとうございました|
    どういたしまして|大丈夫|大丈夫です|問題ない|問題ありません|そうです|そうですね|はい お願いします|お願いします|结束|可以的|没事|不客气|太好了|很好|棒|辛苦了|对的|没错|同意|好嘞|ok的""".replace(
        "\n", ""
    )
    .replace("    ", "")
    .split("|")
)
_CONTINUATIONS: Final = frozenset(
    """continue|go on|go for it|go ahead|keep going|carry on|proceed|next|more|resume|please continue|continue please|yes continue|
    ok continue|continue where you left off|continue from where you left off|pick up where you left off|do it|try again|retry|
    again|and then|go|ok go|please proceed|yes go ahead|yes proceed|
    please continue from where you left off|继续|请继续|接着|接着说|然后呢|下一步|再来|重试|続けて|계속|계속해|
    tiếp|tiếp tục|tiếp đi|làm tiếp|tiếp tục đi|thử lại|tiếp theo|làm đi|cứ làm đi|rồi sao nữa|
    weiter|mach weiter|weitermachen|bitte weiter|fahr fort|fahre fort|bitte fortfahren|mach das|los|nochmal|noch mal|versuch es nochmal|nochmal versuchen|und dann|und weiter|
    mach da weiter wo du aufgehört hast|
    continue|continuez|continue s'il te plaît|vas-y|allez-y|poursuis|poursuivez|encore|réessaie|réessayez|et après|et ensuite|la suite|suivant|reprends|reprends là où tu t'es arrêté|
    continúa|continua|sigue|siga|adelante|sigue por favor|continúa por favor|hazlo|otra vez|inténtalo de nuevo|prueba otra vez|y luego|siguiente|sigue donde lo dejaste|
    続き|続きをお願いします|続けてください|次|次へ|もう一度|やって|お願い続けて|進めて|進めてください|それで|继续吧|接着做|往下|再试一次|再试试|下一个|继续上次的""".replace(
        "\n", ""
    )
    .replace("    ", "")
    .split("|")
)
_HEARTBEAT: Final = re.compile(
    r"\A[\W_]*(?:HEARTBEAT(?:_OK)?|NO_REPLY|HEARTBEAT\.md|heartbeat (?:poll|check|ok|wake)|ANNOUNCE_SKIP|REPLY_SKIP)\b[\W_]*\Z"
    r"|\A(?:Read HEARTBEAT\.md if it exists|A scheduled reminder has been triggered|Execute your Session Startup sequence now"
    r"|A new session was started via /new or /reset|Pre-compaction memory flush|Assistant output is not needed"
    r"|\[heartbeat\])",
    re.IGNORECASE,
)
_HEARTBEAT_TAIL: Final = re.compile(
    r"reply (?:exactly |only )?(?:with )?[`\"']?(?:HEARTBEAT_OK|NO_REPLY)\b", re.IGNORECASE
)
_SLASH: Final = re.compile(r"\A/[a-zA-Z][\w:-]{0,40}(?:\s[^\n]{0,400})?\Z")
_META: Final = re.compile(
    r"\A(?:(?:so|and|hey|ok|well|please)[, ]+)?(?:(?:can|could|will|would) you (?:please )?(?:tell me (?:if|whether|what) you )?"
    r"(?:remember|recall)\b[^.!\n]{0,120}\?"
    r"|do you (?:still )?(?:remember|recall|know (?:what|who|about)|have (?:any )?(?:memory|memories))\b[^.!\n]{0,120}(?:\?|\Z)"
    r"|(?:have|did) (?:i|we) (?:ever )?(?:tell|told|mention(?:ed)?|say|said|talk(?:ed)?|discuss(?:ed)?)\b[^.!\n]{0,120}\?"
    r"|what (?:do|did|can|have) (?:you|i) (?:remember|recall|know|tell|told|say|said|have in (?:your )?memory)\b[^.!\n]{0,120}\?"
    r"|what(?:'s| is) in your memory\b[^.!\n]{0,60}\?"
    r"|(?:list|show|search|check|clear|delete|forget|dump) (?:me )?(?:all )?(?:of )?(?:your|my|the) memor(?:y|ies)\b[^\n]{0,40}\Z"
    r"|(?:你)?(?:还)?记得[^。！\n]{0,60}[吗么嘛][?？]?\Z|你(?:知道|还知道|记得)[^。！\n]{0,60}[吗么什么][?？]?\Z|我(?:之前|上次)?(?:说过|提过|告诉过你)[^。！\n]{0,40}[吗什么][?？]?\Z"
    r"|(?:wei(?:ß|ss)t du noch|erinnerst du dich|kennst du noch|hast du dir .{1,40}gemerkt|was weißt du (?:noch )?über)\b[^.!\n]{0,120}\?"
    r"|(?:te souviens-tu|tu te souviens|te rappelles-tu|tu te rappelles|est-ce que tu te (?:souviens|rappelles)|que sais-tu de|qu['’]est-ce que tu sais (?:de|sur))[^.!\n]{0,120}\?"
    r"|¿?(?:te acuerdas|recuerdas|qué recuerdas|qué sabes de|qué te (?:dije|conté))\b[^.!\n]{0,120}\?"
    r"|[^。！\n]{0,60}(?:覚えて(?:い|ます|る)|思い出せ(?:る|ます))[^。！\n]{0,12}[か?？]+\Z"
    r"|(?:bạn|mày|em|anh) (?:có|còn) nhớ\b[^.!\n]{0,80}(?:không|chứ)\s*\??\Z)",
    re.IGNORECASE,
)
_REFUSAL: Final = re.compile(
    r"\A(?:(?:i['’]?m|i am) (?:very |so |really )?(?:sorry|afraid)\b[^.\n]{0,60}?\b(?:i )?(?:can(?:no|['’])t|cannot|am unable|am not able|don['’]t have|do not have|couldn['’]t find|have no)\b"
    r"|sorry,? (?:but )?i (?:can(?:no|['’])t|cannot|don['’]t have|do not have|am unable)\b"
    r"|i (?:can(?:no|['’])t|cannot|am unable to|am not able to|won['’]t) (?:help|assist|comply|provide|do that|answer|fulfill|access)\b"
    r"|i (?:don['’]t|do not) (?:have (?:any )?(?:information|memory|memories|record|records|access|data|knowledge|details)|recall|remember|know)\b"
    r"|as an ai\b|no relevant (?:memories|information)\b"
    r"|(?:很)?抱歉[，,]?我(?:无法|不能|没有)|对不起[，,]?我(?:无法|不能|没有)|我(?:没有|不知道|不记得)(?:任何|相关|关于)"
    r"|(?:es )?tut mir leid[^.\n]{0,60}\b(?:kann|darf) ich\b|(?:leider |dabei )?kann ich (?:dir |ihnen )?(?:leider |dabei |damit )?(?:nicht|keine)\b|ich (?:habe|kenne|weiß) (?:leider )?(?:keine|nichts)\b"
    r"|(?:je suis )?désolée?[^.\n]{0,60}\bje ne (?:peux|suis|dispose|connais)\b|je ne (?:peux|suis) pas (?:en mesure de )?(?:vous |t['’])?(?:aider|répondre)|je n['’]ai (?:pas|aucun)\w* (?:d['’])?(?:information|souvenir|accès)"
    r"|lo siento[^.\n]{0,60}\bno (?:puedo|tengo)\b|no (?:puedo ayudar|tengo (?:información|recuerdos|acceso|datos))"
    r"|(?:申し訳(?:ありません|ございません)|すみません|ごめんなさい)[^\n]{0,60}(?:できません|わかりません|ありません|お答えできま)"
    r"|(?:rất )?(?:xin lỗi|tiếc)[^.\n]{0,30}tôi không|tôi không (?:có thông tin|nhớ|thể (?:giúp|hỗ trợ)))",
    re.IGNORECASE,
)
_LETTER_OR_DIGIT: Final = re.compile(r"[^\W_]")

_BLOCK_TAGS: Final = (
    "system-reminder|command-name|command-message|command-args|command-contents|local-command-stdout|local-command-stderr|"
    "local-command-caveat|task-notification|user-prompt-submit-hook|environment_context|user_instructions|"
    "persisted-output|system_instruction|system-instruction|bash-stdout|bash-stderr|ide_opened_file|ide_selection|"
    "ide_diagnostics|private|session_context|turn_context|collaboration_mode|skills_instructions|apps_instructions|"
    "plugins_instructions|environment_details|additional_data|attached_files|open_and_recently_viewed_files|recently_viewed_files|"
    "project_layout|cursor_rules|always_applied_workspace_rules|available_skills|user_rules|turn_aborted|subagent_notification|"
    "new-diagnostics|editorcontext|reminderinstructions|reminder_instructions|repocontext|workspace_info|workspace_context"
)
_BLOCK: Final = re.compile(
    rf"^\ufeff?[ \t]*<({_BLOCK_TAGS})(?:\s[^<>\n]{{0,300}})?>", re.IGNORECASE | re.MULTILINE
)
_INTERNAL_OPEN: Final = re.compile(
    r"<<<\s?BEGIN_OPENCLAW_INTERNAL_CONTEXT\s?>>>|<<<\s?EXTERNAL_UNTRUSTED_CONTENT[^<>\n]{0,100}>>>"
)
_STAMP: Final = re.compile(
    r"\A\s*\[(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d{4}-\d{2}-\d{2} \d{2}:\d{2}(?::\d{2})?(?: [A-Za-z0-9_+:/-]{1,32})?\]\s*"
)
_ENVELOPE: Final = re.compile(
    r"\A\s*\[(?:cron:[^\]\n]{1,160}|(?:Telegram|WhatsApp|Discord|Slack|Signal|iMessage|WebChat|Matrix|(?:MS |Microsoft )?Teams|L[Ii][Nn][Ee]|Feishu|Zalo|SMS|E-?[Mm]ail|Google ?Chat|IRC|Mattermost|Nextcloud Talk|Rocket\.Chat|Zulip|BlueBubbles|XMPP|Viber|KakaoTalk|WeChat|WeCom|QQ|DingTalk|Nostr|Twitch|Voice) [^\]\n]{1,200}"
    r"(?:\d{4}-\d{2}-\d{2}|\d{2}:\d{2})[^\]\n]{0,60})\]\s*"
)
_INTERRUPTED: Final = re.compile(
    r"\[Request interrupted by user(?: for tool use)?\]|\[Image: (?:source|original)[^\]\n]{0,400}\]|\[(?:Image|Pasted text|File) #\d{1,4}(?: \+\d{1,7} lines?)?\]"
)
_MESSAGE_ID: Final = re.compile(r"\n\[message_id: [^\]\n]{1,80}\]\s*\Z")


_HOST_LINE: Final = re.compile(
    r"^# AGENTS\.md instructions for [^\n]{1,400}(?:\s{1,4}<INSTRUCTIONS>(?:(?!</INSTRUCTIONS>)[^\n]*\n){0,20000}[^\n]*</INSTRUCTIONS>)?"
    r"|^Caveat: The messages below were generated by the user while running local commands\.[^\n]{0,400}$",
    re.MULTILINE,
)
_CONTINUED: Final = re.compile(
    r"\A\s*This session is being continued from a previous conversation that ran out of context\b"
)
"""Begins a host's own summary of what was said before: none of it is said now."""
_METADATA: Final = re.compile(
    r"^(?:Conversation info|Sender|Thread starter|Replied message|Forwarded message context|Chat history since last reply) \(untrusted[^)\n]{0,60}\):[ \t]*\n```(?:json)?\n(?:(?!```)[^\n]*\n){0,400}```[ \t]*$",
    re.MULTILINE,
)
_QUERY: Final = re.compile(
    r"\A\s*<(user_query|user_message|user_input|user_prompt|user-prompt|user-message|task|feedback)>\n?(?P<own>.*?)\n?</\1>\s*\Z",
    re.DOTALL,
)
"""Hosts that put the person's own words between marks (Cursor, Cline)."""


_REQUEST: Final = re.compile(r"^<(userRequest|user_request)>[ \t]*\n?", re.MULTILINE)
"""A host that puts what it knows around the person's words, and those between these marks (Copilot)."""


def _requested(text: str) -> str:
    """Return the person's words where a host has put them between marks among others; else the text."""
    begin = _REQUEST.search(text)
    end = text.find(f"</{begin.group(1)}>", begin.end()) if begin else -1
    return text[begin.end() : end].rstrip() if begin and end >= 0 else text


def unwrap(text: str) -> str:
    """Return the person's own words: host envelopes and host blocks cut away.

    Source: hosts.md §1.6, §2.2.
    """
    if _CONTINUED.match(text):
        return ""
    out = _METADATA.sub("", _HOST_LINE.sub("", _without_blocks(_requested(text))))
    query = _QUERY.match(out)
    if query:
        out = query.group("own")
    out = _without_internal(out)
    out = _INTERRUPTED.sub("", out)
    for pattern in (_STAMP, _ENVELOPE, _STAMP):
        out = pattern.sub("", out, count=1)
    out = _MESSAGE_ID.sub("", out)
    return out if out == text else out.strip()


def _without_blocks(text: str) -> str:
    """Cut ``<system-reminder>…</system-reminder>`` and its like where the tag starts a line."""
    if "<" not in text:
        return text
    lower = text.lower()
    pieces: list[str] = []
    at = 0
    missing: set[str] = set()
    for match in _BLOCK.finditer(text):
        if match.start() < at:
            continue
        name = match.group(1).lower()
        end = -1 if name in missing else lower.find(f"</{name}>", match.end())
        if end < 0:
            missing.add(name)
            continue
        pieces.append(text[at : match.start()])
        at = end + len(name) + 3
    pieces.append(text[at:])
    return "".join(pieces)


def _without_internal(text: str) -> str:
    """Cut OpenClaw's internal context blocks; one that never ends reaches to the end of the text."""
    while True:
        match = _INTERNAL_OPEN.search(text)
        if match is None:
            return text
        inner = "OPENCLAW_INTERNAL_CONTEXT" if "INTERNAL" in match.group() else "EXTERNAL_UNTRUSTED_CONTENT"
        close = re.compile(rf"<<<\s?END_{inner}[^<>\n]{{0,100}}>>>").search(text, match.end())
        text = text[: match.start()] + (text[close.end() :] if close else "")


_TABLES: Final = (
    (_CONTINUATIONS, NoiseKind.CONTINUATION),
    (_GREETINGS, NoiseKind.GREETING),
    (_CONFIRMATIONS, NoiseKind.CONFIRMATION),
)
_KINDS: Final = {phrase: kind for table, kind in reversed(_TABLES) for phrase in table}
_LONGEST: Final = max(map(len, _KINDS))
_FILLERS: Final = frozenset(
    """pls|plz|please|man|mate|bro|dude|buddy|guys|all|so much|a ton|a bunch|a million|again|then|really|very much|everyone|folks|team|there|dir|euch|ihnen|dann|ihr lieben|bitte|mal|bcp|beaucoup|
    à tous|tout le monde|alors|a todos|amigo|pues|entonces|ạ|nhé|nha|anh|chị|em|bạn|mọi người|rồi|thế|了|啦|呀|哦|哈|吧|呢|哟|ね|よ|です|ございます|haha|lol|hehe|jaja|mdr|xd""".replace(
        "\n", ""
    )
    .replace("    ", "")
    .split("|")
)
"""What is said beside a greeting or a thank-you and adds nothing; never alone."""
_DRAWN: Final = re.compile(r"([a-z])\1{1,80}")
"""Letters that are drawn out: "hiiii", "heyy", "sooo"."""


_DENIALS: Final = frozenset("no nope nah 不 不是 nein non không いや いいえ 아니요".split())
"""Joined to something these say that it is not so ("不对", "no good"): an objection, and no thank-you."""


def _phrase(plain: str) -> NoiseKind | None:
    """Return what a short text is that is made of the tables' phrases and nothing else ("ok cool", "好的谢谢")."""
    kinds: list[NoiseKind] = []
    at = 0
    while at < len(plain):
        if plain[at] in _EDGE:
            at += 1
            continue
        end = _phrase_end(plain, at)
        if end == at:
            return None
        if plain[at:end] in _DENIALS and plain not in _KINDS:
            return None
        kind = _KINDS.get(plain[at:end])
        kinds += [kind] if kind is not None else []
        at = end
    return min(kinds, key=_ORDER.index, default=None)


_ORDER: Final = (NoiseKind.CONTINUATION, NoiseKind.CONFIRMATION, NoiseKind.GREETING)


def _phrase_end(plain: str, at: int) -> int:
    """Return where the longest phrase that begins at ``at`` ends, or ``at``; a Latin word is not cut in two."""
    for end in range(min(len(plain), at + _LONGEST), at, -1):
        cut = end < len(plain) and _LATIN.match(plain[end - 1]) and _LATIN.match(plain[end])
        if not cut and (plain[at:end] in _KINDS or plain[at:end] in _FILLERS):
            return end
    return at


_LATIN: Final = re.compile(r"[a-zà-ỹ0-9']")


def noise(text: str, role: Role) -> NoiseKind | None:
    """Return why a text is not worth a memory, or None if it may be.

    Args:
        text: The person's own words (:func:`unwrap`).
        role: Refusals are only looked for in the assistant's words.

    Source: memory-model.md §4; reference-systems.md (noise filter), with its trap avoided that
    "Hi team, we decided …" counts as a greeting.
    """
    stripped = text.strip()
    if not stripped:
        return NoiseKind.EMPTY
    if _HEARTBEAT.search(stripped[:200]) or _HEARTBEAT_TAIL.search(stripped[:2000]):
        return NoiseKind.HEARTBEAT
    if not _LETTER_OR_DIGIT.search(stripped):
        return NoiseKind.EMOJI if any(ord(ch) > 0x203B for ch in stripped) else NoiseKind.EMPTY
    if len(stripped) <= _SHORT_CHARS:
        plain = re.sub(r"[\s,，、]+", " ", stripped.lower().replace("’", "'")).strip(_EDGE)
        plain = re.sub(r"[\U0001f000-\U0001faff\u2600-\u27bf\ufe0f]+", "", plain).strip(_EDGE)
        for spelt in dict.fromkeys((plain, _DRAWN.sub(r"\1", plain), _DRAWN.sub(r"\1\1", plain))):
            kind = _phrase(spelt)
            if kind is not None:
                return kind
    if _SLASH.match(stripped):
        return NoiseKind.SLASH_COMMAND
    if _META.match(stripped):
        return NoiseKind.MEMORY_META
    if role is Role.ASSISTANT and len(stripped) <= _REFUSAL_CHARS and _REFUSAL.match(stripped):
        return NoiseKind.REFUSAL
    return None
