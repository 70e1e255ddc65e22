"""What a heading says of the list under it: rules, prohibitions, or mere lore. Data and one look-up.

Used where a document holds more list items than may be loaded firmly (memory model §3), and where a line above
a list turns its meaning round ("Never:" above "push to main").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import IntEnum
from typing import Final

from libra.text.scripts import fold


class Topic(IntEnum):
    """How firmly the items under a heading are held, in the order in which they step down."""

    LORE = 0
    PLAIN = 1
    RULES = 2


_RULES: Final = """rule rules ruleset convention conventions guideline guidelines guidance principle principles constraint constraints requirement requirements
    must musts never always do don't dont dos don'ts donts policy policies standard standards style instruction instructions boundary boundaries guardrail
    guardrails restriction restrictions prohibited prohibitions forbidden mandatory important critical non-negotiable non-negotiables expectation expectations
    etiquette practice practices directive directives behavior behaviour obligation obligations invariant invariants avoid safety checklist pitfalls
    anti-pattern anti-patterns limits red flags commandments preferences
    regel regeln richtlinie richtlinien konvention konventionen grundsatz grundsatze vorgabe vorgaben vorschrift vorschriften verbote verboten pflicht pflichten
    niemals nie immer gebote stil
    regle regles consigne consignes principe principes directive obligations interdit interdits interdictions jamais toujours contraintes bonnes pratiques exigences
    regla reglas norma normas convencion convenciones principio principios prohibido prohibiciones obligatorio obligaciones nunca siempre directrices restricciones
    requisitos buenas practicas""".split()
_RULE_PHRASES: Final = (
    "quy tac",
    "quy dinh",
    "quy uoc",
    "nguyen tac",
    "bat buoc",
    "khong duoc",
    "tieu chuan",
    "cam ky",
    *tuple(
        "规则 規則 规范 規範 约定 約定 原则 原則 准则 準則 禁止 禁忌 要求 必须 必須 不要 守则 约束 注意事项 ルール 規約 方針 禁止事項 必須事項 心得 守ること 制約".split()
    ),
)
_LORE: Final = """contact contacts changelog changes changed history glossary terms terminology vocabulary links link resources references reference reading bibliography
    team people members authors maintainers contributors credits acknowledgements acknowledgments thanks sponsors license licence faq roadmap milestones todo
    features feature stack technologies overview about background motivation introduction structure layout directory directories tree files architecture components
    modules packages services endpoints inventory hosts servers machines accounts addresses phones calendar birthdays places trivia facts notes news releases versions
    status metrics statistics examples appendix environments ports urls colors dependencies tools devices aliases abbreviations
    kontakte kontakt ansprechpartner anderungen verlauf glossar begriffe verweise quellen mitglieder danksagung lizenz uberblick aufbau struktur versionen geschichte
    equipe glossaire liens ressources historique journal apercu remerciements
    contactos glosario enlaces recursos historial equipo resumen estructura agradecimientos versiones""".split()
_LORE_PHRASES: Final = (
    "lien he",
    "thuat ngu",
    "lich su",
    "thanh vien",
    "tai nguyen",
    "lien ket",
    "cau truc",
    "phien ban",
    "tong quan",
    *tuple(
        "联系人 联系方式 聯絡 更新日志 变更记录 變更 术语 術語 词汇 链接 連結 资源 参考 參考 历史 歷史 团队 成员 目录结构 概述 简介 架构 版本 功能 連絡先 変更履歴 用語 リンク 参考 履歴 チーム メンバー 構成 概要 機能".split()
    ),
)
_WORD: Final = re.compile(r"[\w'-]+")
_RULE_SET: Final = frozenset(_RULES)
_LORE_SET: Final = frozenset(_LORE)
_AGAINST: Final = re.compile(
    r"(?:(?:things?|what|stuff|patterns?)\s+(?:to\s+avoid|(?:you\s+)?(?:must\s+not|never|not\s+to)\b.*)|(?:please\s+)?(?:do\s+not|don'?ts?|never|avoid|forbidden|prohibited|not\s+allowed|disallowed|banned|bad|wrong|anti-?patterns?|no-?gos?|off[\s-]limits)\b.*"
    r"|(?:nie|niemals|nicht|verboten|nicht\s+erlaubt|tabu|vermeide)\b.*|(?:jamais|interdits?|ne\s+(?:pas|jamais)|a\s+eviter)\b.*|(?:nunca|prohibidos?|no\s+hacer|evita|evitar)\b.*"
    r"|(?:khong\s+duoc|dung|cam|tranh)\b.*|(?:禁止|不要|请勿|严禁|不得|切勿|避免).*|.*(?:しないこと|禁止事項|やらないこと|禁止))\Z"
)
_SIGNS: Final = " \t\n*_~`#>:：!！.。⚠️❌🚫⛔✗✘-—–"


def topic(heading: Sequence[str]) -> Topic:
    """Return what a heading path says of a list under it; the innermost heading that says anything decides.

    Args:
        heading: Titles from the outermost heading down.
    """
    for title in reversed(heading):
        plain = fold(title.replace("’", "'"))
        words = set(_WORD.findall(plain))
        if words & _RULE_SET or any(phrase in plain for phrase in _RULE_PHRASES):
            return Topic.RULES
        if words & _LORE_SET or any(phrase in plain for phrase in _LORE_PHRASES):
            return Topic.LORE
    return Topic.PLAIN


def against(line: str) -> str | None:
    """Return the words of a line above a list if they forbid what the list names ("**Never:**"), else None."""
    if line.rstrip("*_ \t")[-1:] not in (":", "：") or "\n" in line:
        return None
    words = line.strip(_SIGNS)
    return words if words and _AGAINST.match(fold(words.replace("’", "'"))) else None
