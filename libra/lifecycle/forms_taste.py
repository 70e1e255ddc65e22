"""Tastes told without "like" or "prefer", and likings that are only about the task at hand: data for ``forms``.

What tells a taste from a feeling is what it is about: "I'd rather get bullet points" is about such things in general,
"I'd rather see the log first" about one that lies on the table.
"""

from __future__ import annotations

from typing import Final

_THING: Final = (
    r"(?:one|ones|two|version|idea|option|approach|variant|variation|patch|patches|suggestion|answer|reply|draft|solution|proposal|plan|function|example|error|message"
    r"|bug|fix|output|result|diff|test|tests|build|log|logs|trace|branch|commit|file|name|layout|wording|sentence|paragraph|explanation|code|refactoring|session|pipeline)"
)
_ON_THE_TABLE: Final = (
    rf"(?:(?:the|your|this|that|these|those|my|our) (?:(?:first|second|third|last|other|latest|previous|current|new|earlier|original|shorter|longer|two|bottom|top|left|right) )*{_THING}\b"
    r"|(?:the|your) (?:first|second|third|last|other|latter|former)(?: of\b|[.!,]|\s*$)|(?:this|that(?! (?:all|every|each|any|no|you|we|they|the|an?|my|your|our|nothing|nobody|everything)\b)|these|those|it|them|both)\b(?! kind| sort| season| when))"
)
_GENERAL: Final = rf"(?!{_ON_THE_TABLE}|to (?:see|say|bother|ask|admit|be|think|know|hear)\b)"
_NO: Final = r"(?:can['’]?t|cannot|can not|could never|couldn['’]t)"

PREFERENCE: Final = (
    r"\bmy (?:usual |regular )?go-to\b|\bmy [\w -]{2,20} of choice\b",
    rf"\bi (?:only|mostly|strictly) (?:drink|eat|use|wear|read|buy|watch|listen to|take|cook|play) {_GENERAL}\w|\bi (?:avoid|steer clear of|swear by|lean towards?|gravitate towards?) {_GENERAL}\w",
    r"\bi(?:['’]m| am) (?:a|an|more of an?) (?:night owl|early bird|homebody|foodie|minimalist|morning person)\b|\bi(?:['’]ve| have) never been (?:one for|a fan of|into|keen on)\b",
    (
        r"\bj['’]évite (?!(?:ce|cet|cette|ça)\b)|\bje ne (?:bois|mange|porte|lis|regarde) (?:que|jamais|pas)\b|\bich (?:trinke|esse|trage|lese|höre|kaufe) (?:[\w-]+ ){0,3}(?:nur|nie|kein\w*)\b|\bich bin (?:kein|ein|großer) fan\b|\bich meide\b"
        r"|\bevito (?!(?:est|es)[eao]\b)|\b(?:solo|nunca|no) (?:como|bebo|tomo|uso|leo) \w"
    ),
    r"我(?:从来|从|只|平时)?不(?:吃|喝|用|穿|看)(?!这|那|了)|我只(?:吃|喝|用|穿|看)",
    rf"\b(?:nothing (?:beats|like)|there(?:['’]s| is) nothing (?:like|better than)|you can['’]t beat) {_GENERAL}(?!(?:a|an) (?:green|passing|clean|working))\w",
    rf"\bi {_NO} (?:bear|stand|abide|tolerate|do without|live without|get enough of|resist) {_GENERAL}(?!the (?:way|fact|idea)\b)\w",
    rf"\bi(?:['’]d| would) (?:always |much |sooner )?(?:take|choose|pick|go for|have) {_GENERAL}[^.!?]{{2,60}}\b(?:over|rather than|instead of)\b",
    r"\bgive me [^.!?]{2,50} over [^.!?]{2,50}\bany (?:day|time)\b|\bover [^.!?]{2,40}\bany (?:day|time)\b",
    rf"\bi(?:['’]d| would) (?:much |always )?rather (?:not )?(?:get|have|use|eat|drink|read|write|work|live|walk|cycle|travel|pay|wear|listen|watch|sit|talk|stay|keep) {_GENERAL}(?!(?:a look|now|here)\b)\w",
    rf"\bi(?:['’]m| am) (?:not |really |very |so |too |quite )*(?:partial to|keen on|crazy about|mad about|big on|a sucker for|addicted to|hooked on|picky about|not one for) {_GENERAL}\w",
    rf"\bi (?:have|['’]ve got|got) a (?:soft spot|weakness|thing|sweet tooth)(?: for {_GENERAL}\w|\b(?= ?[.!]|$))",
    r"\bi(?:['’]m| am) (?:more of |definitely |totally |not |just )*an? (?:[\w-]+ ){1,2}(?:person|guy|girl|type|lover|drinker|eater|enthusiast|purist)\b",
    r"\b(?:suits? me (?:best|well|better)|works? (?:best|better) for me|(?:is|are|isn['’]t|aren['’]t|is not|are not) (?:really )?(?:my thing|my cup of tea|for me|my jam))\b",
    r"\btastes? (?:like|of) [^.!?]{2,40} to me\b",
    r"\bi could (?:live on|eat|drink|listen to|watch) [^.!?]{2,50}(?:all day|forever|every day|[.!]|$)",
    r"\bi tend to (?:go for|choose|pick|prefer|use|take|order|buy|favou?r|avoid|stick (?:with|to))\b",
    r"\bi (?:never|always) (?:touch|eat|drink|wear|order|buy|choose|pick|go for|take (?:the|my)|sleep|sit)\b",
    rf"\bi (?:really |absolutely |just )?(?:hate|love|dislike|like|{_NO} stand) it when (?!it\b|this\b|that\b|the (?:tests?|build|code|compiler|ci)\b|you (?:do|did) this)\w",
    (
        r"\bje ne (?:supporte|tolère) (?:pas|plus)\b(?! (?:ce|cet|cette|ces|ça|ton|ta|tes)\b)|\bj['’]ai (?:horreur|un faible|une passion)\b|\bje suis (?:plutôt|plus) [^.!?]{2,30} que\b|\bje raffole\b|\brien ne vaut\b"
        r"|\b(?:mon|ma|mes) [\w-]+ préférée?s?\b|\bj['’]ai une préférence\b"
    ),
    (
        r"\bich kann (?!(?:diese|das|es)\w*\b)[^.!?]{2,40}\bnicht (?:ausstehen|leiden|ab|haben)\b|\bam liebsten\b|\bich (?:stehe|steh) (?:total |voll |sehr )?auf (?!(?:diese|das|dein)\w*\b)|\bgeht nichts über\b|\bich bin (?:eher|mehr) (?:der|die|ein|eine)\b"
        r"|\bich habe eine (?:schwäche|vorliebe)\b"
    ),
    r"\bno (?:soporto|aguanto) (?!(?:est[eao]|es[eao])\b)|\bsoy (?:más|muy) de\b|\blo que más me (?:gusta|gustan)\b|\bme (?:chifla|pirra|flipa)n?\b|\b(?:no hay )?nada como\b|\btengo debilidad por\b",
    r"派(?:です|だ|なんです)|に目がない|(?:好物|推し)(?:です|だ|は)|(?:音|匂い|味|人混み|辛い|甘い|寒さ|暑さ)[^。]{0,6}(?:耐えられない|耐えられません|我慢でき)",
    r"我?(?:受不了|无法忍受|忍不了)(?!这|那|你|它|了)|我(?:更|比较|一直)?习惯(?:用|先|早|晚|喝|吃)|我是(?!.{0,6}(?:开发|工程|学生))[^。，]{1,8}(?:派|控|党)|我的?最爱",
    r"\b(?:tôi|mình|em) (?:không (?:chịu (?:được|nổi)|ưa|khoái)|khoái|nghiện)(?! (?:cái |con )?(?:này|đó|lỗi))\b|\bmón (?:ruột|tủ) của (?:tôi|mình|em)\b",
)

MOOD: Final = (
    rf"^(?!.*\bfavou?rite\b).*\bi(?:['’]d| would)? (?:really |do |just |still |much )*(?:prefer|like|love|hate|dislike|enjoy|detest|don['’]t like|do not like) (?:the (?:look|sound|idea|way|fact) of )?{_ON_THE_TABLE}",
    r"\bprefer (?:option|variant|version|plan|approach|number|solution) (?:[a-z]|\d+|one|two|three)\b|\blike (?:these|those)[.!]*$",
    (
        r"\bj['’]adore\s*[,!.]|\bje préfère (?:ce|cet|cette|ces|ta|ton|tes|votre|(?:la|le|l['’]) ?(?:première?|deuxième|seconde?|dernière?|autre))\b|\bich (?:mag|liebe|hasse),? (?:es,? )?(?:wie|dass|wenn)\b|\bich bevorzuge (?:dein|diese|die (?:erste|zweite|letzte))\w*"
        r"|\bprefiero (?:est|es)[eao]\b|\bprefiero (?:tu|la (?:primera|segunda|última|opción|otra)|el (?:primero|segundo|otro))\b|\b(?:me encanta|me gusta|odio) (?:cómo|que|cuando)\b|\bj['’](?:aime|adore) (?:comment|que|quand)\b"
    ),
    r"\b(?:love|hate|dislike|like|stand|detest) (?:the |this |that )?\w* ?(?:flaky|failing|broken|crashing|green) \w+",
    r"\bi (?:hate|love) to (?:bother|say|ask|admit|be|see|break)\b|\bi love you\b|\bi hate (?:waiting|doing|having|writing|fixing|debugging|repeating) (?:for )?(?:this|that|it|the)\b",
    r"\bi(?:['’]d| would) (?:like|love|prefer|rather)(?: to| you to)? (?:see|look|have a look|know|hear|try|check|go (?:on|back)|start|wait|another|more|one more|some help)\b",
    r"\b(?:i )?(?:hate|love) when (?:it|this|that|the)\b|\blike this one\b|\bnothing works\b",
    r"\bj['’](?:aime|adore)(?: bien| beaucoup| trop)? (?:ce|cet|cette|ces|ta|ton|tes|la (?:première|deuxième|dernière)|le (?:premier|deuxième|dernier))\b|\bj['’](?:aimerais|adorerais)\b",
    r"\bich (?:würde|hätte|möchte) (?:gern|gerne|lieber)\b|\bich mag (?:dein|diese|den (?:ersten|zweiten|letzten)|die (?:erste|zweite|letzte))\w*",
    r"\bme (?:gusta|gustan|encanta) (?:más |mucho )?(?:tu|tus|est[eao]|es[eao]|la (?:primera|segunda|última)|el (?:primero|segundo|último))\b|\bme (?:gustaría|encantaría)\b",
    r"(?:番目|案|提案|回答|答え|コード|修正|方法|バージョン|結果|エラー|バグ)(?:の(?:方|ほう))?(?:が|は)(?:一番|大|もっと)?(?:好き|嫌い|いい)",
    r"(?:喜欢|讨厌|更喜欢|受不了)(?:你的?|第[一二三]|上一|后一|前一)",
    r"\b(?:thích|ghét) (?:phương án|ý|cách|bản|lỗi|đoạn)\b",
)
