"""How people tell an agent what holds from now on, in languages other than English: data for :mod:`libra.lifecycle.standing`.

A rule needs two things in one sentence: an order to the agent, and a word that makes it last ("immer", "désormais",
"siempre", 今後). Either may be a form of its own: a condition that comes again ("wenn ich nach … frage"), a permission that
is asked for ("sin mi permiso"), or a habit that is to end ("hör auf, dich zu …"). Orders are read off the imperatives of
:mod:`libra.text.deontic`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from libra.text.deontic_french import FRENCH as _FRENCH
from libra.text.deontic_german import GERMAN as _GERMAN
from libra.text.deontic_spanish import SPANISH as _SPANISH


@dataclass(frozen=True, slots=True)
class Tongue:
    """What one language's sentences must show.

    Attributes:
        rule: Forms of a standing instruction, searched in one sentence.
        tale: Who tells of themselves, of others, or what others said: no instruction.
    """

    rule: re.Pattern[str]
    tale: re.Pattern[str]


def _tongue(*rules: str, tale: str) -> Tongue:
    """Return a language from its forms."""
    return Tongue(
        re.compile("|".join(f"(?:{rule})" for rule in rules), re.IGNORECASE), re.compile(tale, re.IGNORECASE)
    )


def _words(words: frozenset[str]) -> str:
    """Return an alternation of words, longest first, so that none hides another."""
    return "|".join(sorted(map(re.escape, words), key=lambda word: (-len(word), word)))


_DE_LEAD: Final = r"^[\s\W_]*(?:(?:bitte|und|also|aber|ok(?:ay)?|hey|wichtig|regel|merk dir|noch (?:was|etwas)|übrigens)[\s,:;!–—-]+){0,3}"
_DE_LAST: Final = (
    r"(?:ab (?:jetzt|sofort|nun|heute)|von (?:jetzt|nun|heute) an|in (?:der )?zukunft|(?:zu)?künftig|fortan|immer|stets|nie(?:mals)?(?: (?:wieder|mehr))?|grundsätzlich"
    r"|standardmäßig|jedes ?mal|ausnahmslos|bis auf weiteres|generell)"
)
_DE_ORDER: Final = (
    rf"(?:(?:{_words(_GERMAN.imperatives - frozenset(['bitte', 'meine', 'lange', 'halt']))}|duze|sieze|sag|sage|rechne|wandle|runde|konvertiere|gewichte|übertrage|blende|kürze|fasse|fülle|hänge|packe|baue|beginn|ende|erinnere|warne|schalte|schick|schicke|sperre|hebe|nummeriere|commite|poste|nenn|zeig|stell|füg|red|rede)\b(?! (?:ich|er|wir|man)\b)"
    r"|(?!(?:habe|hatte|wäre|würde|könnte|möchte|wollte|sollte|werde|heute|leute|danke|seine|meine|eine|keine|diese|alle|beide|viele|jede|ohne|gerne|gerade|deine|ihre|eure|unsere|manche)\b)[a-zäöüß]{3,16}e"
    r" (?:mir|uns|nichts|niemals|nie|nicht|kein\w*|immer|stets)\b"
    r"|(?!(?:haben|sind|können|wissen|kennen|müssen|sollen|dürfen|werden|wollen|finden|sehen|waren|hatten)\b)[a-zäöüß]{3,20}n sie\b)"
)
GERMAN: Final = _tongue(
    rf"{_DE_LEAD}{_DE_ORDER}[^.!?]{{0,200}}\b{_DE_LAST}\b",
    rf"{_DE_LEAD}{_DE_LAST},? (?:bitte |auch |nur |noch |immer ){{0,2}}{_DE_ORDER}",
    rf"{_DE_LEAD}(?:ab (?:jetzt|sofort|nun|heute)|von (?:jetzt|nun|heute) an|in zukunft|künftig|immer|nie|niemals)\b(?![^.!?]{{0,160}}\b(?:ich|wir|er|sie|es|man|ist|sind|war|wird|werden|hat|haben|kann|muss)\b)"
    r"[^.!?]{0,30}\b(?:bitte|nur(?: noch)?|keine?[nr]?|nicht)\b",
    rf"{_DE_LEAD}(?:immer|nie|niemals|stets|grundsätzlich|ab (?:jetzt|sofort)|in zukunft|künftig) (?![^.!?]{{0,160}}\b(?:ich|wir|er|sie|es|man|ist|sind|war|wird|werden|hat|haben|kann|muss|soll)\b)[^.!?]{{3,120}}(?-i:\b[a-zäöüß]{{2,}}(?:en|ern|eln))\W*$",
    rf"{_DE_LEAD}(?:kein\w* [^.!?,]{{2,50}} mehr,? bitte|bitte kein\w* [^.!?,]{{2,50}} mehr)\b",
    rf"{_DE_LEAD}(?:ab (?:jetzt|sofort|nun|heute)|von (?:jetzt|nun|heute) an) (?:duzen|siezen|sprechen|schreiben|reden) wir\b",
    rf"\bdu (?:sollst|musst|darfst|solltest|hast)\b[^.!?]{{0,40}}\b(?:{_DE_LAST}|kein\w*|nicht(?: mehr)?|nichts)\b",
    rf"\bich (?:möchte|will|hätte gern|wünsche mir|erwarte|brauche es),? dass du\b[^.!?]{{0,60}}\b(?:{_DE_LAST}|kein\w*|nicht(?: mehr)?)\b",
    rf"{_DE_LEAD}(?:{_DE_LAST} |immer |jedes ?mal,? )?(?:wenn|sobald|falls|sooft) (?:ich|wir)\b[^.!?,]{{0,80}}\b(?:frag|sag|schick|post|erwähn|bitt|will|möcht|brauch|bespr|red|schreib|geb|teil|zeig|mein)\w*[^.!?]{{0,60}}?, ?(?:dann )?(?:bitte )?{_DE_ORDER}",
    rf"{_DE_LEAD}(?:immer |jedes ?mal,? )(?:wenn|bevor|sobald) du\b[^.!?]{{3,100}}?, ?(?:dann )?(?:bitte )?(?:{_DE_ORDER}|frag)",
    rf"{_DE_LEAD}(?:wenn|bevor|sobald) du (?:etwas |was |code |eine? \w+ |den |die |das )?[^.!?,]{{2,60}}, ?(?:dann )?(?:bitte )?(?:{_DE_ORDER}|frag)\b[^.!?]{{0,60}}\b(?:immer|vorher|zuerst|erst)\b",
    rf"{_DE_LEAD}{_DE_ORDER}?[^.!?]{{0,40}}\b(?:nichts|kein\w*|nie|nicht)\b[^.!?]{{0,80}}\b(?:bevor ich|ohne mein\w*|ohne mich|ohne (?:vorher|rück)\w*|solange ich|außer ich|es sei denn,? ich)\b",
    rf"{_DE_LEAD}(?:wenn|falls|sobald|bevor|sooft)\b[^.!?,]{{3,80}}, ?(?:dann )?{_DE_ORDER}[^.!?]{{0,100}}\b{_DE_LAST}\b",
    rf"{_DE_LEAD}{_DE_ORDER}[^.!?]{{0,120}}\b(?:vor|bei|nach|für|mit) jede[mrsn] (?!(?:fall|tag|menschen|mal)\b)\w+\W*$",
    rf"{_DE_LEAD}(?:hör(?:e|t)? (?:bitte )?(?:endlich )?(?:auf\b|damit auf)|lass(?: es| das)?(?: bitte)?(?: sein)?,)[^.!?]{{0,20}}\b(?:dich|mich|mir|zu|ständig|immer|jedes)\b",
    tale=r"\b(?:warum|weshalb|wieso)\b|^[\s\W_]*(?:ich|wir|er|sie|es|man|mein\w*|unser\w*|sein\w*|ihr\w*|der|die|das|dies\w*|leider) (?!(?:möchte|will|hätte gern|wünsche|erwarte)\b)(?:\w+ ){0,4}?(?:immer|nie|niemals|stets|jedes|habe|haben|hatte|war|sagt|sagte|meint|meinte)\b"
    r"|\b(?:sagt|sagte|meint|meinte|schrieb|rät|riet|behauptet),? |\b(?:hieß es|heißt es|sprichwort)\b|\bich (?:soll|sollte|muss)\b",
)
_FR_LEAD: Final = r"^[\s\W_]*(?:(?:s['’]il (?:te|vous) pla[iî]t|stp|svp|merci|et|mais|aussi|donc|bon|ok|important|règle|au fait)[\s,:;!–—-]+){0,3}"
_FR_LAST: Final = (
    r"(?:désormais|dorénavant|à partir de (?:maintenant|aujourd['’]hui|là)|à l['’]avenir|par défaut|toujours|(?:plus )?jamais|à chaque fois|chaque fois|systématiquement"
    r"|d['’]office|sans exception|en toutes circonstances|jusqu['’]à nouvel ordre|en permanence)"
)
_FR_WORDS: Final = frozenset(word for word in _FRENCH.imperatives if not word.endswith(("er", "ir", "re")))
_FR_ORDER: Final = (
    rf"(?:(?:{_words(_FR_WORDS)}|écris|montre|cite|nomme|rédige|résume|préviens|demande|vouvoie|tutoie|appelle|parle|emploie|envoie|laisse|arrête)(?:-(?:moi|nous|le|la|les|toi|y|en))*\b(?! (?:je|il|elle|on)\b)"
    r"|(?:ne |n['’])(?!(?:est|sont|a|ont|sais|suis|ai|avait|était|peut|veut|fait-il)\b)[\w'’-]+ (?:[\w'’-]+ ){0,2}?(?:pas|jamais|plus|rien|aucune?)\b|[a-zéèêâîôûç]{3,20}ez\b(?! (?:vous|nous)\b))"
)
FRENCH: Final = _tongue(
    rf"{_FR_LEAD}{_FR_ORDER}[^.!?]{{0,200}}?(?<!\w){_FR_LAST}(?!\w)",
    rf"{_FR_LEAD}(?:ne |n['’])(?:jamais |plus |surtout )?[\w'’-]+ (?:[\w'’-]+ ){{0,3}}?jamais\b",
    rf"{_FR_LEAD}{_FR_LAST},? ?(?:merci de (?:ne )?\w+|(?:s['’]il (?:te|vous) pla[iî]t,? )?{_FR_ORDER})",
    r"\b(?:tu|vous) (?:ne )?(?:dois|devez|devras|devrez|peux|pouvez|devrais|devriez)\b[^.!?]{0,60}\b(?:toujours|jamais|systématiquement|plus|à chaque fois)\b",
    r"\bje (?:veux|voudrais|souhaite|aimerais|préfère|préférerais|tiens à ce) (?:que )?(?:tu|vous)\b[^.!?]{0,80}\b(?:toujours|jamais|systématiquement|désormais|plus|à chaque fois)\b",
    rf"{_FR_LEAD}(?:{_FR_LAST},? )?(?:quand|lorsque|si|dès que|chaque fois que|à chaque fois que) (?:je|j['’]|on|nous)\b[^.!?,]{{0,20}}\b(?:demand|dis|parl|envoi|coll|mentionn|donn|pos|veu|voudr|cherch|écri|montr|partag)\w*[^.!?]{{0,80}}?, ?(?:alors )?{_FR_ORDER}",
    rf"{_FR_LEAD}(?:à )?chaque fois que (?:tu|vous)\b[^.!?]{{3,100}}?, ?{_FR_ORDER}",
    rf"{_FR_LEAD}(?:ne |n['’])[^.!?]{{2,120}}\b(?:sans (?:mon|ma|mes|me|m['’]|que je|me demander)|avant que je|avant de m|tant que je|à moins que je|sauf si je)",
    rf"{_FR_LEAD}(?:si|quand|lorsque|dès que|avant de|avant que)\b[^.!?,]{{3,80}}, ?{_FR_ORDER}[^.!?]{{0,100}}(?<!\w){_FR_LAST}(?!\w)",
    rf"{_FR_LEAD}{_FR_ORDER}[^.!?]{{0,120}}(?<!\w)(?:avant|après|à|pour|dans) chaque (?!(?:fois|jour|matin|soir)\b)\w+\W*$",
    rf"{_FR_LEAD}(?:plus jamais|désormais,? (?:plus|pas|aucun)) (?:de |d['’])",
    rf"{_FR_LEAD}(?:plus|pas) (?:de |d['’])[^.!?]{{2,60}},? (?:merci|s['’]il (?:te|vous) pla[iî]t|désormais|dorénavant|à l['’]avenir)",
    r"\bje ne (?:veux|souhaite|voudrais) (?:plus|pas|jamais) que (?:tu|vous) (?!(?:t['’]|te |vous )(?:inquièt|fâch|énerv)\w*)",
    rf"{_FR_LEAD}(?:arrête|arrêtez|cesse|cessez) (?:de |d['’])(?!(?:rire|rêver|pleurer)\b)",
    tale=r"\bpourquoi\b|^[\s\W_]*(?:je|j['’]|on|nous|il|elle|ils|elles|c['’]|ça|mon|ma|mes|le|la|les|notre|cette?|un|une) ?(?!(?:ne )?(?:veux|voudrais|souhaite|aimerais|préfère|préférerais|tiens)\b)[\w'’-]+(?: [\w'’-]+){0,4}? (?:toujours|jamais)\b"
    r"|\b(?:disait|disaient|a dit|répétait|selon|dit-on|proverbe|conseillait)\b|\b(?:désormais|dorénavant),? (?:il|elle|on|je|j['’]|nous|ils|c['’])",
)
_ES_LEAD: Final = r"^[\s\W_]*(?:(?:por favor|porfa|y|pero|también|además|entonces|vale|ok|oye|importante|regla)[\s,:;!–—-]+){0,3}"
_ES_LAST: Final = r"(?:(?:desde|de|a partir de) (?:ahora|hoy|aquí)(?: en adelante| mismo)?|en (?:el futuro|adelante|lo sucesivo)|por defecto|siempre|nunca(?: más)?|jamás|cada vez|hasta nuevo aviso|sin excepción)"
_ES_WORDS: Final = frozenset(
    word for word in _SPANISH.imperatives if not word.endswith(("ar", "er", "ir", "en"))
)
_ES_ORDER: Final = (
    rf"(?:(?:(?:{_words(_ES_WORDS)}|[a-z]*[áéí][a-zñ]{1, 5}(?:me|nos|lo|la|le)|contesta|[a-zñ]*[áéí][a-zñ]{{1,5}}(?:me|nos|lo|la|le)|llámame|háblame|trátame|respónde|contésta|díme|dime|enséña|muéstra|pregúnta|avísa|evita|usa|deja|dilo|dímelo|hazlo|convierte|traduce)(?:me|nos|le|les|lo|la|los|las|melo|te|se)?)\b(?! (?:yo|él|que me|mi)\b)"
    r"|no (?:me |nos |lo |la |los |las |te )?[a-záéíóúñü]{2,16}(?:es|as|áis|éis)\b|no (?:haga|use|diga|ponga|borre|suba|cambie|escriba)\b)"
)
SPANISH: Final = _tongue(
    rf"{_ES_LEAD}{_ES_ORDER}[^.!?]{{0,200}}?(?<!\w){_ES_LAST}(?!\w)",
    rf"{_ES_LEAD}{_ES_LAST},? (?:por favor,? )?(?:no |siempre |nunca )?{_ES_ORDER}",
    rf"{_ES_LEAD}(?:nunca|jamás) (?:me |nos |lo |la |te )?(?!(?:eres|tienes|es|estás|sabes|puedes|vas|has|hemos|ves|más|antes|jamás|veces)\b)[a-záéíóúñü]{{2,16}}(?:es|as)\b",
    r"\b(?:debes|tienes que|deberás|has de|puedes) (?:siempre|nunca)\b|\b(?:siempre|nunca) (?:debes|tienes que|deberás|puedes)\b",
    r"\b(?:quiero|quisiera|me gustaría|prefiero|necesito) que (?:(?:me|lo|las?|los) )?(?:siempre|nunca|no|ya no) (?:me |lo |las? |los )?[a-záéíóúñü]+(?:es|as)\b",
    r"\b(?:quiero|quisiera|me gustaría|prefiero|necesito) que (?:me |lo |las? |los )?[a-záéíóúñü]+(?:es|as)\b[^.!?]{0,60}\b(?:siempre|cada vez|desde ahora|de ahora en adelante)\b",
    r"\bno quiero que (?:me |lo |las? |los )?(?!(?:te|sufras|llores|vayas)\b)[a-záéíóúñü]+(?:es|as)\b",
    rf"{_ES_LEAD}(?:nada de|ni una? \w+ más|sin más) [^.!?]{{2,60}}(?<!\w){_ES_LAST}(?!\w)",
    rf"{_ES_LEAD}(?:cuando|si|siempre que|cada vez que) (?:yo )?(?:te|le)? ?(?:pida|pido|pregunte|pregunto|diga|digo|mande|mando|envíe|envío|hable|hablo|mencione|menciono|pegue|pego|pase|paso|comparta|necesite)\b[^.!?]{{0,120}}?, ?{_ES_ORDER}",
    rf"{_ES_LEAD}cada vez que (?:tú )?[a-záéíóúñü]+(?:es|as)\b[^.!?]{{0,100}}?, ?{_ES_ORDER}",
    rf"{_ES_LEAD}no [^.!?]{{2,120}}\b(?:sin (?:mi|que yo|antes|preguntar|consultar|avisar|pedir)\w*|hasta que (?:yo|te)|a menos que (?:yo|te)|salvo que (?:yo|te))",
    rf"{_ES_LEAD}(?:si|cuando|antes de(?: que)?)\b[^.!?,]{{3,80}}, ?{_ES_ORDER}[^.!?]{{0,100}}(?<!\w){_ES_LAST}(?!\w)",
    rf"{_ES_LEAD}{_ES_ORDER}[^.!?]{{0,120}}(?<!\w)(?:antes de|después de|en|para|con) cada (?!(?:vez|día|mañana|noche)\b)\w+\W*$",
    rf"{_ES_LEAD}(?:deja|deje|para|pare) de (?!(?:llorar|reír|soñar|llover)\w*\b)[a-záéíóúñü]+(?:r|rse|rte|rme|rlo|rla)\b",
    tale=r"\bpor qué\b|^[\s\W_]*(?:yo|él|ella|ellos|nosotros|mi|mis|el|la|los|las|nuestr\w+|est[eao]s?|es[eao]s?|un|una) (?!(?:quiero|prefiero)\b)[\wáéíóúñü]+(?: [\wáéíóúñü]+){0,4}? (?:siempre|nunca|jamás)\b"
    r"|\b(?:decía|decían|dijo|dice|según|refrán|aconsejaba)\b|^[\s\W_]*(?:siempre|nunca|jamás) (?:me|se|he|ha|hemos|han|había|fue|era|es|está|hay|hubo)\b",
)
_JA_END: Final = r"(?:ね|よ|な)?[。！!.]*\s*$"
_JA_LAST: Final = r"(?:今後(?!とも)|これから|これ以降|次(?:回)?から|以後|以降|今日から|今から|常に|必ず|毎回|毎度|いつも|絶対に?|決して|二度と|一切|デフォルトで|原則|基本的に|どんな時も|都度|(?:する|した|く|う|つ|ぬ|む|る|ぐ|ぶ)(?:たび|度)に?|(?:とき|時|際|場合)(?:に)?は|前に(?:は)?)"
_JA_ORDER: Final = r"(?:(?:て|で)(?:ください|下さい|くれ|ほしい|欲しい|もらいたい|いただきたい|ちょうだい)?|(?:な|ぬ)いよう(?:に(?:して(?:ください|ほしい)?|お願いします)?)?|ように(?:して(?:ください|ほしい)?|お願いします)?|こと|お願いします|お願い|禁止(?:です)?|ましょう|必須(?:です)?)"
JAPANESE: Final = _tongue(
    rf"{_JA_LAST}[^。？?]{{0,80}}?(?:{_JA_ORDER}){_JA_END}",
    rf"(?:確認|許可|承認|相談|連絡)(?:を(?:取ら|得|せ))?(?:せずに?|なしで?|なく|しないで|取らずに|ないまま)[^。]{{0,40}}(?:ないで(?:ください|下さい|ほしい|くれ)?|ないこと|禁止){_JA_END}",
    rf"(?:聞か|尋ね|断ら|断り)(?:ずに?|ないで|なく)[^。]{{0,40}}(?:ないで(?:ください|下さい|ほしい|くれ)?|ないこと|禁止){_JA_END}",
    rf"(?:貼っ|聞い|頼ん|言っ|送っ|見せ|渡し|尋ね|投げ|質問し|依頼し|お願いし|共有し)たら、?[^。？?]{{2,80}}?{_JA_ORDER}{_JA_END}",
    rf"もう(?!(?:泣|心配|悩|無理|気に))[^。？?]{{1,30}}ないで(?:ください|下さい|ほしい|くれ)?{_JA_END}",
    rf"(?:のは|のを|するのは)(?:もう)?(?:やめ|止め)(?:て(?:ください|下さい|ほしい|くれ)?|よう){_JA_END}",
    tale=r"と(?:言っ|言われ|述べ|書い|語っ|聞い|教え)|(?:ました|でした|だった|かった|った|した|いた)(?:よ|ね)?[。！!]*\s*$|と(?:母|父|先生|上司|彼|彼女)(?:は|が)",
)
_ZH_ORDER: Final = r"(?:请|要|不要|别|必须|务必|禁止|不准|不许|不得|叫我|称呼|用|给|把|按|以(?!后|前|为|及)|先|回答|回复|写|说|翻译|标注|注明|附上|加上|检查|确认|保持|使用|列出|问我)"
CHINESE: Final = _tongue(
    rf"(?:以后|今后|往后|从现在(?:起|开始)|从今(?:往后|以后|天起|天开始|起)|从此(?:以后)?|每次|每当|每逢|凡是|默认|一律)(?![，,]?(?:再说|的|我|他|她|咱))[^。？?!！]{{0,30}}?(?:都|就|时|的时候|,|，)?[^。？?!！]{{0,12}}?{_ZH_ORDER}",
    rf"(?:^|[，。,；])\s*(?:请)?(?:始终|总是|永远|一律|务必|每次都|每次)(?:都|要|得)?{_ZH_ORDER}",
    r"(?:^|[，。,；])\s*(?:请)?(?:千万别|永远不要|永远别|别再|不要再|请勿再)(?!见|低估|想|哭|说了|担心)",
    r"(?:每当|每次|凡是|只要)我(?:问|说|提到|让你|要求|发|贴|给你|需要|想要)[^。？?!！]{0,30}?(?:,|，|时|都|就|的时候)?[^。？?!！]{0,4}?(?:请|都|先|就|要|列|给|用|回答|别|不要)",
    r"(?:^|[，。,；])\s*我(?:问|说|提到|贴|发|粘贴|给你|让你|要求|需要)[^。？?!！，,]{0,16}(?:的时候|时)[,，]?(?:请|先|要|都|就|别|不要|用|给|列)",
    r"^[^我他她，,。]{1,10}一律(?!是)",
    r"^[^我他她]{1,24}(?:时候|时|之前|之后|前|后)[，,]?(?:请)?(?:你)?(?:务必|一定要|都要|都得|每次都要|必须)",
    r"你(?:必须|应该|应当|要|得|需要|不能|不准|不许|不可以|不要)[^。？?!！]{0,8}?(?:始终|总是|每次|永远|都|一直|一律|再)",
    r"你(?:始终|总是|每次|永远|一直|一律)(?:都)?(?:必须|应该|应当|要|得|需要|不能|不准)",
    r"(?:未经|没有|没经过|没|不经)[^。？?!！，,]{0,4}我[^。？?!！，,]{0,4}(?:同意|允许|许可|批准|确认|点头|之前|问)?[^。？?!！]{0,6}[，,]?(?:前|之前)?[，,]?(?:不要|别|不准|不得|禁止|不许|请勿)",
    r"我(?:希望|想|想要|要|需要|要求|更喜欢|更希望)(?:让)?你[^。？?!！]{0,12}?(?:每次|始终|总是|永远|以后|今后|都|一律|一直|不要再|别再)",
    tale=r"^[\s\W]*(?:我|他|她|它|我们|他们|她们|咱们|我妈|我爸|妈妈|爸爸|老师|老板)(?!(?:希望|想|想要|要|需要|要求|更喜欢|更希望)(?:让)?你)[^，。,]{0,6}(?:每次|总是|永远|从来|一直|以后|始终)"
    r"|[，,](?:他|她|妈妈|爸爸|老师|老板|有人)(?:说|讲|写)|(?:总是|永远|始终)(?:是|在|有|不会|会|这样|那样|同)",
)
_VI_ORDER: Final = r"(?:hãy|đừng|xin|vui lòng|nhớ (?!nhà|lại|ra|về|anh|em|mẹ|quê)|phải|cần|không được|chớ|cứ|dùng|trả lời|viết|gọi|nói|đưa|ghi|xưng|liệt kê|kiểm tra|hỏi|báo|giải thích|tóm tắt|dịch|chỉ)"
_VI_LAST: Final = r"(?:(?:kể )?từ (?:giờ|nay|bây giờ|hôm nay|lúc này)(?: trở đi)?|lần sau|về sau|sau này|mặc định|lúc nào cũng|luôn luôn|luôn)"
VIETNAMESE: Final = _tongue(
    rf"(?<!\w){_VI_LAST}[,:]?\s+(?!(?:tôi|mình|chúng tôi|anh ấy|cô ấy|hãy tính|nằm|là)\b)(?:thì |xin |hãy ){{0,2}}{_VI_ORDER}(?!\w)",
    rf"(?<!\w)(?:mỗi (?:lần|khi)|khi(?: nào)?|bất cứ khi nào) (?:tôi|mình|anh|em|bạn)\b[^.!?,]{{1,80}}, ?(?:thì )?{_VI_ORDER}(?!\w)",
    r"(?<!\w)mỗi (?:lần|khi) (?!(?:tôi|mình|anh|chị|em|ông|bà|nó|họ|trời|mẹ|bố)\b)[^.!?,]{1,40}?,? (?:hãy|phải|đừng|cần|nhớ (?:hỏi|ghi|báo|kiểm))(?!\w)",
    r"(?<!\w)nếu\b[^.!?,]{2,60}, ?(?:thì )?(?:hãy )?luôn(?!\w)",
    r"(?<!\w)bạn (?:phải|cần|nên|không được|đừng)\b[^.!?]{0,20}\b(?:luôn|bao giờ|mỗi lần|mọi lúc)",
    r"(?<!\w)tôi (?:muốn|cần|mong|thích) bạn\b[^.!?]{0,20}\b(?:luôn|không bao giờ|mỗi lần|đừng)",
    r"^[\s\W]*(?:xin |làm ơn |vui lòng )?(?:hãy )?(?:luôn(?: luôn)?|không bao giờ(?: được)?|đừng bao giờ|tuyệt đối (?:không|đừng))\s+(?!(?:biết|có|là|thấy)\b)\w+",
    r"(?<!\w)(?:đừng|không được|chớ)\b[^.!?]{2,80}\b(?:khi|nếu|mà|trước khi) (?:tôi |chưa )?(?:chưa |không )?(?:được )?(?:tôi )?(?:đồng ý|hỏi|cho phép|xác nhận|duyệt)",
    r"^[\s\W]*(?:thôi |xin |làm ơn )?(?:đừng|ngừng|dừng|thôi)(?! (?:lo|buồn|khóc|sợ|đùa|giận)\b) [^.!?]{2,60}\bnữa\b",
    tale=r"^[\s\W]*(?:tôi|mình|anh ấy|cô ấy|chúng tôi|ông|bà|nó|họ|mẹ tôi|bố tôi) (?!(?:muốn|cần|mong|thích) bạn\b)(?:\w+ ){0,3}?(?:luôn|không bao giờ|lúc nào cũng|mỗi)|(?<!\w)tôi lại(?!\w)|(?<!\w)(?:bảo|nói) rằng(?!\w)",
)
HAN: Final = re.compile("[\u4e00-\u9fff\u3041-\u3096\u30a1-\u30fa]")
KANA: Final = re.compile("[\u3041-\u3096\u30a1-\u30fa]")
LATIN: Final = (GERMAN, FRENCH, SPANISH, VIETNAMESE)
