"""The forms by which a sentence shows what it is: English, Chinese and Vietnamese here, the others beside; and the reader.

A form is a pattern searched in one sentence. The order of ``FORMS`` is the order of precedence.
"""

from __future__ import annotations

import re
from functools import lru_cache

from libra.ground.records import MemoryType
from libra.lifecycle import forms_more as more
from libra.lifecycle import forms_taste as taste


def _any(*patterns: str) -> re.Pattern[str]:
    """Compile alternatives, case-insensitive."""
    return re.compile("|".join(f"(?:{p})" for p in patterns), re.IGNORECASE)


_START = r"^[\s\W_]*(?:(?:so|and|but|also|ok(?:ay)?|well|hey|hi|oh|yeah|yes|please|note|fyi|btw|by the way|actually)\b[\s,:!-]*)*"
_WE = r"\b(?:we|i|the team)(?:['’]ve|['’]re|['’]m|['’]ll| have| are| am| will| just| finally| also| already)*"

QUESTION = _any(
    r"[?？]\s*[\"'”’)\]*_]*\s*$",
    _START
    + r"(?:who|what|when|where|why|which|whose|how)\b(?! (?:we|i|you|it|they) (?:do|work|handle|deploy)\w* .*\bis\b)",
    _START
    + r"(?:is|are|was|were|does|did|can|could|would|will|should|shall|have you|has|do you|do we|do i|am i|isn['’]t"
    r"|aren['’]t|doesn['’]t|won['’]t)\b(?! not\b)",
    _START
    + r"(?:i wonder|i was wondering|any (?:idea|chance|news|advice)|wonder(?:ing)? (?:if|whether|what|how))",
    r"(?:吗|呢|么)[。.!！]?\s*$",
    r"^\s*(?:为什么|怎么|什么|哪里|哪个|谁|是否|能不能|可不可以|有没有)",
    r"\b(?:phải không|được không|thế nào|ở đâu|khi nào|là gì|tại sao|vì sao|bao nhiêu)\s*[.!?]?\s*$",
    *more.QUESTION,
)
"""Questions, also without a question mark."""

HYPOTHETICAL = _any(
    r"\b(?:if (?:we|i|you|they|he|she|it|the \w+|my \w+) (?:were|had|used|could|would|ever|was|did|went|chose|switched))\b",
    r"\b(?:what if|suppose|supposing|imagine|hypothetically|let['’]s say|in theory|for the sake of argument)\b",
    r"\b(?:would have|could have|might have|should have|wish (?:i|we))\b",
    _START + r"(?:maybe|perhaps|possibly)\b",
    r"\b(?:we|i|it|they|you) (?:might|may|could)\b",
    r"\bi (?:guess|suppose)\b",
    r"(?:假如|假设|要是|如果.{0,40}(?:会|就好)|也许|可能会|说不定)",
    r"\b(?:giả sử|giá mà|có lẽ|biết đâu)\b",
    r"\bnếu\b.{0,60}\bthì (?:sao|sẽ)\b",
    *more.HYPOTHETICAL,
)
"""What is only thought of: neither a fact nor a decision."""

QUOTED = re.compile(r"^\s*(?:>|[\"“「『].*[\"”」』]\s*$)", re.DOTALL)
"""A sentence that is wholly somebody else's words."""

REMEMBER = _any(
    _START
    + r"(?:can you |could you )?(?:remember|keep in mind|don['’]t forget|do not forget|note|make a note|for the record|save this"
    r"|memori[sz]e)\b(?: that| this|:|,|,? (?:the|my|our|i|we|it|\w+['’]s)\b)",
    r"^\s*(?:请|帮我)?(?:记住|记一下|记下|别忘了|不要忘记)",
    r"^\s*(?:hãy |xin )?(?:nhớ (?:rằng|là|giúp|giùm)|ghi nhớ|ghi lại|đừng quên(?: rằng| là))",
    *more.REMEMBER,
)
"""The person asks that something be kept."""

_SMALL_TALK = _any(
    _START
    + r"(?:thanks?|thank you|thx|cheers|great|cool|nice|awesome|perfect|sounds good|got it|sure|no problem|lol|haha\w*|wow"
    r"|yep|nope|no|hello|good (?:morning|night|evening|luck|job)|bye|see you|take care|congrat\w*|agreed|exactly|right|absolutely"
    r"|definitely|of course|same here|me too|np|done|ok(?:ay)?|yes|yeah|hi|hey)(?:[\s,!.]+[\w'’]+){0,2}[\s,!.)]*$",
    _START + r"(?:can|could|would|will) you\b",
    r"^\W*(?:ugh+|argh+|damn|grr+|omg|wtf|jeez)\b",
    r"^\s*(?:谢谢|多谢|好的?|嗯|你好|再见|没问题|行)[了啦吧。.!！~]*$",
    r"^\s*(?:cảm ơn|cám ơn|vâng|dạ|ok|được rồi|chào|tạm biệt)(?:\s+\S+){0,3}[.!]*$",
    *more.SMALL_TALK,
)
_REQUEST = _any(
    _START
    + r"(?:now |then |just |go ahead and |let['’]s |try to )*(?:fix|run|add|write|create|make|change|update|check|show|tell|give|find"
    r"|look|open|read|explain|help|try|implement|refactor|remove|delete|rename|move|install|build|test|deploy|commit|push|pull|revert"
    r"|continue|go|start|stop|see|print|list|compare|review|summari[sz]e|translate|generate|draft|send|search|investigate|debug|finish"
    r"|proceed|rerun|retry|wait|let me|let us|think|consider|figure|have a look|take a look|do it|do this|do that)\b",
    r"^\s*(?:请|帮我|麻烦)(?!记)",
    r"^\s*(?:hãy|giúp|làm ơn)\s+(?!luôn|nhớ|không)",
    *more.REQUEST,
)
_DURABLE = _any(
    r"\b(?:always|never|every ?time|whenever|from now on|by default|each time|in (?:the )?future|going forward)\b",
    r"(?:以后|从现在起|每次|总是|永远|始终)",
    r"\b(?:từ (?:giờ|nay)|luôn|không bao giờ|mỗi (?:lần|khi))\b",
    *more.DURABLE,
)
_RHETORIC = _any(
    r"\bnever (?:mind|give up|know|knew|say never|been|seen|heard|thought|had|a dull)\b", r"\bas always\b"
)


def small_talk(sentence: str) -> bool:
    """Return True for thanks, greetings, and requests that are about this moment only."""
    if _SMALL_TALK.search(sentence):
        return True
    if _DECISION.search(sentence):
        return False
    durable = _DURABLE.search(sentence) and not _RHETORIC.search(sentence)
    return bool(_REQUEST.search(sentence)) and not durable


_TASK = (
    r"(?:this|that|it|these|those|being|seeing|how|what|when|where|your|\w+ing (?:this|that|these|it|your)|the (?:\w+ ){0,2}(?:way|idea|look|sound|result|output"
    r"|answer|suggestion|plan|fact|bugs?|errors?|tests?|build|code|compiler|linter|warnings?|diff|patch|fix|log|crash|failure)|an? (?:\w+ )?(?:bug|error))\b"
)
"""What a feeling about the task at hand is about; such a feeling is no preference (lessons.md C36)."""

_DECISION = _any(
    _WE + r" (?:decided|agreed|settled|opted|chose|picked|selected|concluded)\b",
    _WE
    + r"(?: going)? (?:going with|go with|gonna go with|sticking (?:with|to)(?! it\b)|standardi[sz]\w+ on)\b",
    _WE
    + r" (?:switched|switching|moved|moving|migrated|migrating|changed|upgraded|downgraded) (?:over )?(?:from|to|off|away)\b",
    _WE + r" (?:replaced|dropped|deprecated|ditched|abandoned) ",
    _START
    + r"(?:let['’]s (?:go with|use|stick with|settle on|keep(?! \w+ing\b)|adopt)|decision\s*[:：]|decided\s*[:：]|final (?:decision|answer)\b)",
    r"\b(?:it was|has been|was) (?:decided|agreed) (?:that|to|on)\b",
    r"\b(?:decision|resolution) (?:is|was)\b",
    r"(?:我们|我|大家|团队)?(?:已经?)?(?:决定|敲定|定下来|选定|选用了|采用了?)",
    r"(?:改用|换成|改成|迁移到|切换到)",
    r"\b(?:(?:đã )?quyết định|(?:đã )?chốt|chuyển sang|thống nhất|chọn dùng)\b",
    *more.DECISION,
)
_IDENTITY = _any(
    r"\bmy (?:full |first |last |nick|real )?name(?:['’]s| is)\b",
    r"\b(?:just )?call me [A-Z\w]",
    r"\bi(?:['’]m| am) (?:an?|the) (?:\w+[- ]){0,3}(?:engineer|developer|programmer|designer|manager|nurse|doctor|teacher|student|lawyer"
    r"|scientist|researcher|analyst|writer|artist|founder|consultant|architect|accountant|chef|musician|mother|father|mom|dad|parent"
    r"|vegetarian|vegan|native|freelancer|sysadmin|admin|lead|professor|journalist|photographer|pilot|farmer|retiree)\b",
    r"\bi (?:work|am working|live|am living|grew up|was born|study|am based|come) (?:at|as|in|for|from|near)\b",
    r"\bi(?:['’]m| am) (?:from|based in|\d{1,3} years old|(?:now |no longer |not |still |also )*(?:vegetarian|vegan|pescatarian|diabetic|pregnant|married|divorced|retired|unemployed|left-handed|colou?r[- ]?blind))\b",
    r"\bmy (?:pronouns|birthday|native language|mother tongue|job|profession|nationality|hometown|time ?zone)(?:['’]s| is| are)\b",
    r"(?:我叫|我的名字(?:是|叫)|我是一?(?:个|名|位)|我住在|我来自|我在.{1,20}(?:工作|上班|读书)|叫我)",
    r"\b(?:tên (?:tôi|mình|em|anh) là|(?<!của )(?:tôi|mình|em) tên(?: là)?|(?:tôi|mình|em) là (?:một )?(?:kỹ sư|lập trình|giáo viên|sinh viên|bác sĩ"
    r"|nhà)|(?:tôi|mình|em) (?:sống|làm việc|sinh ra) (?:ở|tại|cho)|(?:tôi|mình|em) đến từ|quê (?:tôi|mình|em))\b",
    *more.IDENTITY,
)
_PREFERENCE = _any(
    r"\bi(?:['’]d| would)? (?:much |really |strongly |generally |usually |always |still |also |personally )*(?:prefer|rather have|rather use)\b",
    r"\bmy (?:all-time |absolute |new |current )?(?:favou?rite|preferred|preference)\b",
    r"\bi (?:really |do |just |absolutely |always |usually |also |still |truly )*(?:like|love|enjoy|hate|dislike|adore|detest|can['’]t stand"
    r"|cannot stand)(?! to (?:see|hear|know)\b)\s+(?!" + _TASK + ")",
    r"\bi (?:don['’]t|do not|never) (?:really )?(?:like|enjoy|want you to|care for)\b\s*(?!" + _TASK + ")",
    r"\bi(?:['’]m| am) (?:no longer |not |also |still |severely )*(?:allergic to|a (?:big |huge )?fan of|fond of|into|not a fan of)\b",
    _START + r"prefer\b",
    r"我(?:更|最|比较|很|非常|不|不太)?(?:喜欢|偏好|讨厌|爱吃|爱喝|爱用|习惯用?)(?!这|那|你)",
    r"我最?喜欢的",
    r"\b(?:tôi|mình|em|anh) (?:rất |cũng |không |chỉ )?(?:thích|ghét|ưa|chuộng|ưu tiên|mê)\b(?! (?:cái )?(?:này|đó))",
    r"(?:yêu thích|ưa thích) (?:nhất )?của (?:tôi|mình|em|anh)\b",
    *more.PREFERENCE,
    *taste.PREFERENCE,
)
_INSTRUCTION = _any(
    _START
    + r"(?:always|never)\s+(?!(?:mind|give up|know|knew|say|been|seen|heard|thought|had|nice|good|great|fun|happy|on|here|a|an|the|there|love|look|\w+ing)\b)\w+",
    r"\b(?:from now on|going forward|in (?:the )?future|whenever you|every ?time you|each time you|by default)\b.*\b(?:use|do|don['’]t|not|never"
    r"|always|run|write|ask|keep|call|put|make|add|reply|answer|respond|please|check|include|must|should)\b",
    r"\b(?:you|the agent|the assistant|agents|nobody|no one|everyone|everybody|all (?:\w+ )?\w+) (?:must(?! (?:be|have|feel|miss|really|also|love|see|know)\b)|should (?:always|never)|shall|may not|must not"
    r"|cannot|are not allowed to)\b",
    _START + r"(?:make sure|ensure)\b.*\b(?:always|never|every|each|before|after)\b",
    _START
    + r"(?:avoid|use \S+(?: \S+){0,3} (?:instead of|not|rather than|over)|keep (?:all|every|the) .* (?:under|below|in)|(?:do not|don['’]t)"
    r"(?: ever)? (?!worry|know|think|forget|mind|get me wrong|see|care|have|need|understand|want|be |you|like|we|they|i |give|quit|feel|stop|let |ask me|sweat|get |hesitate|tell me|miss |even)\w+)",
    r"(?:以后|从现在起|每次|总是|务必|永远|始终|一律).{0,30}(?:要|用|请|不要|别|必须|先|都|得)|(?:^|[，。,])\s*(?:请)?(?:必须|不要|禁止|不准|千万别|别再)",
    r"\b(?:từ (?:giờ|nay)|luôn luôn|hãy luôn|không bao giờ (?:được|dùng|làm)|(?:^|, )đừng|không được|cấm|bắt buộc|phải luôn)\b",
    *more.INSTRUCTION,
)
_TODO = _any(
    r"\b(?:todo|to-do)\b\s*[:：-]?",
    r"\b(?:remind me(?! of\b)|don['’]t (?:let me )?forget to|i (?:still )?(?:need|have|must|ought) to(?! go\b)|i['’]ve got to(?! (?:go|share|say|admit)\b)|i(?:['’]ll| will) need to|we (?:still )?(?:need"
    r"|have) to)\b",
    r"\b(?:i|we) (?:should|must) .{3,80}\b(?:by|before|tomorrow|next|on (?:mon|tues|wednes|thurs|fri|satur|sun)day)\b",
    r"\b(?:is|are) due (?:on|by|in|tomorrow|next)\b",
    r"(?:待办|提醒我|别忘了(?!记)|记得要?(?=去|买|做|给|打|交)|我(?:还)?(?:得|要|需要)(?:去|在|把|做|买|交))",
    r"\b(?:nhắc (?:tôi|mình|em)|(?:tôi|mình|em) (?:cần|phải|còn phải)|đừng quên (?!rằng|là)|việc cần làm)\b",
    *more.TODO,
)
_CONTEXT = _any(
    r"\b(?:currently|right now|at the moment|for now|these days|this (?:week|sprint|afternoon|morning)|today)\b.*\b(?:working|debugging|trying|blocked|waiting"
    r"|building|testing|migrating|on|in)\b",
    r"\b(?:i|we)(?:['’]m|['’]re| am| are) (?:currently |now |still )?(?:working on|debugging|trying to|blocked|waiting (?:for|on)|in the middle of|about to|testing"
    r"|investigating|refactoring)\b",
    r"\b(?:does ?n[o'’]?t|do ?n[o'’]?t|can ?not|can['’]t|is ?n[o'’]?t|are ?n[o'’]?t) (?:\w+ )?(?:support(?:ed)?|possible|work(?:ing)?|exist|available|implemented)\b",
    r"(?:目前|现在|这周|正在|暂时|不支持|还没有|无法)",
    r"\b(?:hiện tại|hiện giờ|lúc này|(?:tôi|mình|em|chúng tôi) đang|tuần này|không hỗ trợ)\b",
    *more.CONTEXT,
)
"""What is so at present, and what is said to be impossible: both get a short life (lessons.md C34, C42)."""

_ENTITY = _any(
    r"(?-i:^[\s\W_]*(?!(?:It|This|That|They|There|He|She|We|You|What|These|Those|Here|Everything|Nothing|Something|All|The)\b)(?:[A-Z][\w.-]+(?: [A-Z][\w.-]+){0,3})) (?:is|are|was) (?:my|our|an?|the|his|her|their)\b",
    r"\bmy \w+(?:['’]s name is|(?: is|,) (?:called|named))\b",
    r"(?:我的?(?:姐姐|妹妹|哥哥|弟弟|妈妈|爸爸|妻子|丈夫|朋友|同事|老板|女儿|儿子|狗|猫))(?:叫|是)",
    r"\b(?:bạn|chị|anh|em|mẹ|bố|vợ|chồng|con|sếp|đồng nghiệp)(?: gái| trai)? (?:của )?(?:tôi|mình|em)(?: tên)?(?: là)?\b",
    *more.ENTITY,
)
_FACT = _any(
    r"\b(?:i|we|my \w+|our \w+)\b(?:['’]\w+)? (?:\w+ ){0,3}?no longer \w+",
    r"\b(?:i|we)(?:['’]m|['’]re| am| are| do| don['’]t| am not| are not)? [^.!?]{2,60}\bany ?more[.!]*$",
    r"\b(?:i|we)(?:['’]ve| have)? (?:\w+ )?(?:gave up|given up|quit|left|sold|got rid of)\b",
    r"\b(?:the|our|my|your|his|her|their|its|each|every|all|(?-i:(?!I\b)[A-Z][\w-]*|[a-z]+-?\d+)|\w+['’]s)\s(?:[\w.'’/-]+\s){0,5}"
    r"(?:is|are|was|were|has|have|had|runs?|lives?|lived|works?|uses?|costs?|starts?|ends?|belongs?|expires?|listens?|points?|depends?|contains?"
    r"|needs?|requires?|returns?|speaks?|owns?|holds?|means|equals|stays?|sits?|goes|takes?|supports?|stores?|moved|rotates?|renews?|switched)\b",
    r"\b(?:i|my \w+)(?:['’]m| am|['’]s| is) (?:not |now |no longer )?(?:on|in) (?:the |a )?(?:\w+[ -]){0,2}(?:shift|rota|team|choir|band|club|board|committee|diet)\b",
    r"^[\s\W_]*i (?:smoke|vape|eat|drink|commute|take the|ride)\b",
    r"\b(?:i|we)(?:['’]ve| have) stopped \w+ing\b",
    r"\bi (?:have|had|own|use|drive|play|speak|met|went|moved|bought|got|started|finished|joined|visited|booked|adopted|read|watched|made|learned|learnt"
    r"|signed|ordered|sold|lost|found|graduated|married|became|took|wrote|built|ran|won|left|saw|gave|study|studied|teach|taught|\w{3,}ed)\b",
    r"\bi(?:['’]ve| have) (?:been|had|got|\w{3,}ed|bought|started|made|taken|gone|seen|read|written)\b",
    r"\bwe (?:use|run|have|own|deploy|host|store|keep|test|support|ship|release|pay|met|went|built|\w{3,}ed)\b",
    r"\b(?:fact|info|note|fyi)\s*[:：]",
    r"[\u4e00-\u9fff](?:是|有|在|用|运行|住|需要|属于|使用)[^\s。]{1,}",
    r"\b(?:là|có|ở|dùng|chạy|nằm|thuộc|họp|bán|mua|tên)\s+\S+",
    *more.FACT,
)

FORMS: tuple[tuple[MemoryType, re.Pattern[str]], ...] = (
    (MemoryType.DECISION, _DECISION),
    (MemoryType.IDENTITY, _IDENTITY),
    (MemoryType.PREFERENCE, _PREFERENCE),
    (MemoryType.INSTRUCTION, _INSTRUCTION),
    (MemoryType.TODO, _TODO),
    (MemoryType.CONTEXT, _CONTEXT),
    (MemoryType.ENTITY, _ENTITY),
    (MemoryType.FACT, _FACT),
)
_COOL = (MemoryType.ENTITY, MemoryType.FACT)
PRECEDENCE: tuple[MemoryType, ...] = tuple(kind for kind, _ in FORMS)


_EVALUATION = _any(
    r"\b(?:is|are|was|were|['’]s|been|feels?|felt|looks?|looked|sounds?|sounded)\s+(?:(?:so|really|very|super|just|such|pretty|always|quite|truly|an?|the"
    r"|absolutely|definitely|kinda)\s+)*(?:great|good|nice|amazing|awesome|cool|fun|wonderful|incredible|beautiful|inspiring|tough|hard|important|lovely|perfect"
    r"|annoying|terrible|awful|bad|crazy|wild|exciting|rewarding|special|unreal|best|worst|fantastic|impressive|interesting|helpful|weird|frustrating)\b",
    r"(?:太棒|很棒|真好|不错|糟糕|烦)|\b(?:tuyệt|hay quá|chán|khó chịu)\b",
    *more.EVALUATION,
)
"""A feeling about something: no fact."""

_MOOD = _any(*more.MOOD, *taste.MOOD)
_FELT = (MemoryType.PREFERENCE, MemoryType.CONTEXT, *_COOL)


@lru_cache(maxsize=1024)
def sentence_type(sentence: str) -> MemoryType | None:
    """Return the type of the first form that a sentence shows, or None.

    A turn's sentences are asked for several times while it is judged; the answers are kept for so long.
    """
    for kind, pattern in FORMS:
        if pattern.search(sentence):
            if (kind in _COOL and _EVALUATION.search(sentence)) or (kind in _FELT and _MOOD.search(sentence)):
                break
            return kind
    return MemoryType.FACT if REMEMBER.search(sentence) else None
