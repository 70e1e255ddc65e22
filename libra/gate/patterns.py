"""The forms that the gate's signals look for: tables of data, in seven languages.

Each row is a name, a weight and a pattern; a row counts once however often it is found. The weights are the
memory model's (§4). No row may fire on everyday prose of another kind: tests/gate measures that.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Form:
    """One row: what it shows, its weight in [0, 1], and how it is found."""

    name: str
    weight: float
    pattern: re.Pattern[str]


def _form(name: str, weight: float, *patterns: str) -> Form:
    return Form(name, weight, re.compile("|".join(f"(?:{p})" for p in patterns), re.IGNORECASE))


_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?"
    r"|dec(?:ember)?)\.?"
)
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_PEOPLE = (
    r"(?:mother|father|mom|mum|dad|parents?|sister|brother|siblings?|wife|husband|partner|girlfriend|boyfriend|spouse|fianc[ée]e?|son"
    r"|daughter|kids?|children|uncle|aunt|cousin|nephew|niece|grand(?:ma|pa|mother|father|son|daughter|parents)|friends?|best friend"
    r"|colleagues?|coworkers?|co-workers?|boss|manager|mentor|roommate|neighbou?rs?|teammates?|team ?lead|client|doctor|dentist|teacher"
    r"|landlord|dog|cat|pet|puppy|kitten)"
)

NATURAL: tuple[Form, ...] = (
    _form(
        "preference",
        0.4,
        r"\bi(?:['’]d| would| do| really| just| always| usually| still| also| generally| absolutely| much)* (?:prefer|like|love|enjoy|hate|dislike|adore)\b",
        r"\bi (?:do not|don['’]t|never|can['’]t|cannot) (?:really )?(?:like|enjoy|stand|care for|want)\b",
        r"\bmy (?:\w+ )?(?:favou?rite|preferred|preference)\b|\b(?:i['’]d|i would) rather\b|\bi['’]?m (?:a (?:big |huge )?fan of|allergic to|fond of)\b",
        r"\b(?:please )?(?:always|never) (?:use|do|run|write|ask|add|put|answer|reply|commit|push|call|include)\b|\bfrom now on\b|^\s*prefer \w",
        r"我(?:更|最|比较|很|非常|不|不太)?(?:喜欢|偏好|讨厌|爱|习惯)|(?:以后|从现在起|总是|每次)(?:都)?(?:要|用|请|不要|别)",
        r"\b(?:tôi|mình|em|anh) (?:rất |cũng |không |chỉ )?(?:thích|ghét|ưa|chuộng|mê)\b|yêu thích|\b(?:từ giờ|từ nay|luôn luôn|đừng)\b",
        r"\bich (?:mag|liebe|hasse|bevorzuge)\b|\bam liebsten\b|\blieber\b|\bmein\w{0,2} lieblings\w+|\b(?:ab jetzt|künftig) (?:immer|nie)\b|\b(?:immer|niemals) (?:auf|mit|ohne|erst|nur)\b",
        r"\bj['’](?:aime|adore)\b|\bje (?:préfère|déteste)\b|\bje n['’]aime pas\b|\bpréférée?s?\b|\b(?:désormais|dorénavant)\b|\bme (?:gustan?|encantan?)\b|\b(?:prefiero|odio|detesto|adoro)\b|\b(?:favorit|preferid)[oa]s?\b|\bde ahora en adelante\b",
        r"(?:好き|嫌い|苦手)(?:です|だ|な|。|$)|好みは|(?:いつも|必ず|今後は|これからは).{0,30}(?:て|で)ください",
    ),
    _form(
        "date",
        0.3,
        rf"\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}\b(?!\w)|\b{_MONTH} \d{{1,4}}(?:st|nd|rd|th)?\b|\b(?:in|since|until|by|last|next|this) (?:{_MONTH}|may)(?!\w)",
        rf"\b(?:on |last |next |this |every )?{_DAY}s?\b|\b(?:yesterday|today|tonight|tomorrow|weekend)\b",
        r"\b(?:last|next|this|past|previous|coming) (?:night|week|month|year|summer|winter|spring|autumn|fall|quarter|semester)\b",
        r"\b(?:\d+|a|an|one|two|three|four|five|six|seven|eight|nine|ten|few|couple of) (?:days?|weeks?|months?|years?) (?:ago|later|from now)\b",
        r"\b(?:19|20)\d\d-\d{1,2}-\d{1,2}\b|\b\d{1,2}/\d{1,2}/(?:19|20)?\d\d\b|\b(?:in|since|until|by|of) (?:19|20)\d\d\b|\b\d{1,2}(?::\d\d)? ?(?:am|pm|o['’]clock)\b",
        r"(?:昨天|今天|明天|前天|后天|上周|下周|本周|上个月|下个月|去年|明年|今年|星期[一二三四五六日天]|周[一二三四五六日末]|\d{1,4}年|\d{1,2}月\d{1,2}[日号])",
        r"\b(?:hôm (?:qua|nay|kia)|ngày (?:mai|kia)|tuần (?:trước|sau|này)|tháng (?:trước|sau|này|\d{1,2})|năm (?:ngoái|nay|sau|\d{4})|thứ (?:hai|ba|tư|năm|sáu|bảy)|chủ nhật)\b",
        r"\b(?:gestern|vorgestern|heute|morgen früh|übermorgen|(?:letzte|nächste|diese|vorige)[nrs]? (?:woche|monat|jahr|wochenende|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)|am (?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)|vor \w+ (?:tagen?|wochen?|monaten?|jahren?)|im jahr(?:e)? \d{4})\b",
        r"\b(?:hier soir|avant-hier|aujourd['’]hui|demain|(?:la semaine|le mois|l['’]année|l['’]an) (?:dernière?|prochaine?)|il y a \w+ (?:jours?|semaines?|mois|ans?)|en (?:19|20)\d\d|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)\b",
        r"\b(?:ayer|anteayer|mañana por|pasado mañana|la semana (?:pasada|próxima|que viene)|el (?:mes|año) (?:pasado|próximo|que viene)|hace \w+ (?:días?|semanas?|meses|años?)|el (?:lunes|martes|miércoles|jueves|viernes|sábado|domingo))\b",
        r"(?:昨日|今日|明日|一昨日|明後日|先週|来週|今週|先月|来月|去年|昨年|来年|[月火水木金土日]曜日)",
    ),
    _form(
        "person",
        0.3,
        rf"\b(?:my|our|his|her|their) (?:\w+ )?{_PEOPLE}\b",
        r"(?-i:\b(?:Mr|Mrs|Ms|Dr|Prof|Mx)\.? [A-Z][a-z]+)",
        r"(?-i:\b(?:with|to|from|by|met|and|for|ask|told|tell|call|called|named|meet|visit) [A-Z][a-z]{2,}(?: [A-Z][a-z]{2,})?\b)",
        r"(?-i:\b(?!It\b|This\b|That\b|There\b|He\b|She\b|They\b|We\b|You\b|What\b|Who\b|The\b|Everything\b)[A-Z][a-z]{2,}) (?:said|says|told|asked|thinks|wants|likes|lives|works|prefers|is my|is our|joined|left)\b",
        r"我的?(?:姐姐|妹妹|哥哥|弟弟|妈妈|爸爸|父母|妻子|老婆|丈夫|老公|朋友|同事|老板|女儿|儿子|老师|医生)",
        r"\b(?:bạn|chị|anh|em|mẹ|bố|ba|má|vợ|chồng|con|sếp|đồng nghiệp|thầy|cô)(?: gái| trai)? (?:của )?(?:tôi|mình|em)\b|\b(?:anh|chị|cô|chú|bác|ông|bà) (?-i:[A-ZĐ]\w+)",
        r"\b(?:mein|unser)\w{0,2} (?:mutter|vater|eltern|schwester|bruder|frau|mann|tochter|sohn|freund(?:in)?|kolleg(?:e|in|en)|chef(?:in)?|nachbar(?:in)?|hund|katze)\b|\b(?:ma|mon|mes|notre) (?:mère|père|parents|sœur|frère|femme|mari|fille|fils|amie?|collègue|chef|voisine?|chien|chat)\b",
        r"\b(?:mis?|nuestr[oa]) (?:madre|padre|padres|hermana|hermano|mujer|marido|hij[oa]s?|amig[oa]|colega|jef[ea]|vecin[oa]|perr[oa]|gat[oa]|abuel[oa])\b|(?:母|父|両親|姉|妹|兄|弟|妻|夫|娘|息子|友達|同僚|上司)(?:は|が|と|の|に)",
    ),
    _form(
        "fact",
        0.3,
        r"\bi(?:['’]m| am| was)(?: not| currently| still| now)? (?:an?|the|from|in|at|based|born|working|living|studying|allergic|married|\d)\b",
        r"\bi (?:have|had|own|live|lived|work|worked|study|studied|teach|speak|play|drive|use|run|moved|bought|got|started|joined|met|grew up|graduated|booked)\b",
        r"\b(?:my|our) (?:[\w-]+ ){1,4}(?:is|are|was|were|has|have|lives?|works?|runs?|uses?|costs?)\b",
        r"\bwe (?:use|run|have|own|deploy|host|store|keep|support|ship|are on|moved|switched|decided)\b",
        r"\b(?-i:[A-Z][\w-]*)(?: (?-i:[A-Z0-9][\w-]*))? (?:runs?|uses?|lives?|works?|costs?|listens|expires|belongs) \w",
        r"\bthe (?:[\w-]+ ){1,4}(?:is|are) (?:called|named|at|on|in|located|hosted|due|set to|\d|[\w-]*\d)",
        r"(?:我|我们)(?:是|有|住|在|用|使用|叫|会|养)|[\u4e00-\u9fff](?:改用|运行在|位于|属于)",
        r"\b(?:tôi|mình|em|chúng tôi) (?:là|có|sống|ở|làm|dùng|tên|học|vừa|đã)\b|\b(?:tên|là) (?-i:[A-ZĐ]\w+)",
        r"\bich (?:bin|habe|wohne|lebe|arbeite|komme|nutze|benutze|heiße)\b|\bwir (?:nutzen|verwenden|haben|betreiben)\b|\b(?:je suis|j['’]habite|je vis|je travaille|j['’]ai|je m['’]appelle|nous (?:utilisons|avons))\b",
        r"\b(?:soy|vivo|trabajo|tengo|me llamo|usamos|tenemos)\b|(?:私|僕|俺|うち)(?:は|の).{1,30}(?:です|ます|ました)|に住んで|で働いて",
    ),
    _form(
        "quantity",
        0.2,
        r"(?<![\w.$-])\d[\d,]*(?:\.\d+)?(?:%| ?(?:percent|hours?|minutes?|days?|weeks?|months?|years?|times?|people|dollars?|euros?|km|kg|miles?|pages?|items?|users?|files?|ideas?)\b)",
        r"[$€£¥₫]\d|\b\d+(?:[.,]\d+)? (?:[a-z]{3,}s)\b|\b(?:two|three|four|five|six|seven|eight|nine|ten|a dozen|hundreds?|thousands?) (?:of )?[a-z]{3,}s\b",
        r"[\d一二三四五六七八九十百千两]+(?:个|次|天|年|小时|分钟|块|元|人|公里)|\b\d+ (?:ngày|tháng|năm|giờ|phút|lần|người|đồng|nghìn|triệu)\b",
        r"\b\d+ (?:uhr|tage|wochen|monate|jahre|stunden|minuten|euro|jours|semaines|mois|ans|heures|días|semanas|meses|años|horas|euros)\b|\d+(?:人|回|年間|時間|分|円|匹|枚|冊)",
    ),
)
"""Dnl: what a person tells about themselves and their world."""

DECISIONS: tuple[Form, ...] = (
    _form(
        "decision",
        0.5,
        r"\b(?:we|i|team)(?:['’]ve|['’]re|['’]ll| have| are| will| just| finally| also| both)* (?:decided|agreed|opted|settled|chose|picked|selected|concluded|standardi[sz]ed)\b",
        r"\b(?:we|i)(?:['’]re|['’]ll|['’]m| are| will| am)? (?:going with|go with|going to use|sticking with|will use)\b|\blet['’]s (?:go with|use|stick with|settle on|adopt|switch)\b",
        r"\b(?:switched|switching|moved|moving|migrated|migrating) (?:over )?(?:from \S+(?: \S+)? )?to\b|\breplaced \S+(?: \S+){0,3} (?:with|by)\b|\binstead of (?:using )?\w",
        r"\b(?:decision|chosen approach|final answer|proposed (?:fix|solution)|design choice)\b\s*(?:[:：]|is\b|was\b)",
        r"(?:决定|采用|选用|选定|改用|换成|改成|迁移到|敲定)|\b(?:quyết định|chốt|chuyển sang|thống nhất|chọn dùng)\b",
        r"\b(?:entschieden|beschlossen|geeinigt)\b|\bwechseln zu\b|\b(?:avons|ai|a) (?:décidé|choisi|opté)\b|\b(?:hemos decidido|decidimos|he decidido|acordamos|elegimos)\b|に(?:決め|決定)|を採用",
    ),
    _form(
        "resolution",
        0.4,
        r"\b(?:fixed|resolved|solved|patched|worked around|root cause|the (?:fix|cause|culprit|problem|issue|bug|solution) (?:is|was)|turned out|turns out|no longer (?:fails|crashes|reproduces))\b",
        r"\b(?:works|working|passes|passing|green) (?:now|again)\b|\b(?:has|have) been (?:fixed|resolved|solved)\b",
        r"(?:修复|修好|解决了|已解决|根本原因|原因是)|\b(?:đã sửa|đã khắc phục|nguyên nhân|giải quyết)\b",
        r"\b(?:behoben|gelöst|repariert|die ursache (?:ist|war)|corrigé|résolu|la cause (?:est|était)|arreglado|resuelto|la causa (?:es|era))\b|(?:修正しました|直りました|解決し|原因は)",
    ),
    _form(
        "configuration",
        0.4,
        r"\b(?:set|changed|raised|lowered|increased|decreased|reduced|bumped|updated|turned|switched|renamed|configured|enabled|disabled) (?:\S+ ){1,6}(?:to|from|on|off)\b",
        r"\b(?:enabled?|disabled?) (?:the )?[\w.-]+|\b(?:config(?:uration)?|env(?:ironment)? var(?:iable)?s?|feature flag|setting|timeout|pool size|\.env)\b",
        r"(?:配置|设置为|改为|启用|禁用|环境变量)|\b(?:cấu hình|bật|tắt|đổi \S+ thành|biến môi trường)\b",
        r"\b(?:aktiviert|deaktiviert|konfiguriert|umgestellt auf|activé|désactivé|configuré|activado|desactivado|configurado)\b|(?:有効に|無効に|設定を|に変更し)",
    ),
    _form(
        "milestone",
        0.3,
        r"\b(?:deployed|merged|released|shipped|launched|published|tagged|rolled (?:out|back)|went live|completed|finished|all tests pass(?:ed)?|passed)\b",
        r"(?:上线|发布|部署|合并了|完成了)|\b(?:đã (?:triển khai|phát hành|hoàn thành|gộp|deploy|merge))\b",
        r"\b(?:veröffentlicht|ausgerollt|ist fertig|déployé|publié|terminé|desplegado|publicado|terminado)\b|(?:リリースし|公開し|完了し|デプロイし)",
    ),
)
"""A: what was decided, solved, set or reached."""

STRUCTURE: tuple[Form, ...] = (
    _form(
        "data_structure",
        0.3,
        r"(?-i:\b(?:struct|enum|dataclass|typedef|namedtuple|TypedDict)\b|\binterface (?:[A-Z]\w*|\w+ ?\{))|(?-i:\bclass [A-Z]\w*)|(?-i:\b[A-Z]\w*(?:Schema|Model|Struct|Record|Table|Map|List|Tree|Queue)\b)",
        r"\b(?:hash ?map|linked list|binary tree|radix tree|trie|b-?tree|priority queue|adjacency list|json schema|foreign key|primary key|data ?structure|database schema)\b",
        r"(?-i:\bCREATE TABLE\b)|(?-i:\b(?:list|dict|tuple|set|Vec|Map|Array|HashMap|Optional)[\[<]\w)",
    ),
    _form(
        "dependency",
        0.3,
        r"(?-i:^\s*(?:import|from) [\w.]+(?: import \w|\s*$)|^\s*(?:use|require|include) [\w:'\"./<(]|#include|require\(['\"]|\bimport [{*\w].* from ['\"])",
        r"\b(?:pip3?|npm|pnpm|yarn|cargo|go|apt(?:-get)?|brew|poetry|uv|gem|composer|conda) (?:install|add|get)\b|\b(?:requirements\.txt|package\.json|pyproject\.toml|cargo\.toml|go\.mod|gemfile|pom\.xml|lock ?file)\b",
        r"\b(?:dependency|dependencies|package version|upgrade[sd]? (?:to )?v?\d|peer dep\w*)\b|(?<![\w-])-*+\w[\w-]*+(?:==|>=|~=|@\^?)\d+\.\d",
    ),
    _form(
        "test",
        0.2,
        r"(?-i:\b(?:def|func|it|describe|test)[ (]['\"]?[Tt]est_?\w*|\bassert\w*\b|\bexpect\()",
        r"\b(?:unit|integration|regression|e2e|end-to-end|smoke|property) tests?\b|\b(?:pytest|unittest|jest|vitest|mocha|rspec|junit|hypothesis|go test|cargo test|test suite|test case|code coverage)\b|\btest_\w+",
    ),
    _form(
        "doc_comment",
        0.2,
        r"\"\"\"|'''|/\*\*|^\s*///|^\s*#!|\B@(?:param|returns?|throws|deprecated)\b|\b(?:docstring|javadoc|jsdoc|doc ?comment)\b",
    ),
)
"""Dtech beside the definitions of functions, which are artifacts."""
