"""The forms of statements in German, French, Spanish and Japanese: data for ``forms``, one tuple of patterns a kind.

Each pattern is searched in one sentence, case-insensitive, and joined with its English, Chinese and Vietnamese kin.
"""

from __future__ import annotations

from typing import Final

QUESTION: Final = (
    r"^\W*(?:wer|was|wann|wo|wohin|warum|wieso|weshalb|welche[rsnm]?|wie(?! gesagt)|kannst du|können (?:sie|wir)|hast du|habt ihr|gibt es|ist (?:das|es|der|die)|weißt du)\b",
    r"^\W*(?:qui|quoi|quand(?! (?:je|tu|il|elle|on|nous|vous)\b)|où|pourquoi|comment|quel(?:le)?s?|est-ce|qu['’]est-ce|combien|as-tu|peux-tu|pouvez-vous|sais-tu)\b",
    r"^\W*(?:quién|qué|cuándo|dónde|por qué|cómo|cuál(?:es)?|cuánt[oa]s?|puedes|sabes)\b",
    r"(?:ですか|ますか|でしたか|ましたか|かな|だっけ|のか)[。.！!]?\s*$",
)
HYPOTHETICAL: Final = (
    r"\b(?:was wäre,? wenn|angenommen|vielleicht|möglicherweise|womöglich|könnte(?:n|st)? (?:wir|man|ich|du)|(?:wir|man|ich) könnten?|ich hätte|ich wünschte)\b",
    r"\b(?:peut-être|et si\b|supposons|imaginons|(?:on|je|nous) pourr(?:ait|ais|ions)|j['’]aurais|si (?:on|j['’]|nous) (?:était|avais|avait|avions|utilisait|utilisions))",
    r"\b(?:quizás?|tal vez|a lo mejor|y si\b|supongamos|imagina que|podríamos|podría ser|ojalá|si (?:tuviéramos|usáramos|fuera))",
    r"(?:かもしれ|もしも?|だろうか|でしょうか|たぶん|おそらく|としたら|とすれば|だったらいいのに)",
)
REMEMBER: Final = (
    r"^\W*(?:bitte )?(?:merk(?:e)? dir|denk(?:e)? (?:bitte )?dar[au]n|vergiss (?:bitte )?nicht|notier(?:e)?(?: dir)?|behalte)\b",
    r"^\W*(?:s['’]il (?:te|vous) plaît,? )?(?:souviens-toi|rappelle-toi|n['’]oublie pas|notez? (?:que|bien|ceci)|retiens)\b",
    r"^\W*(?:por favor,? )?(?:recuerda (?:que|esto|:)|recuerda:|acuérdate|no olvides|anota|ten en cuenta)",
    r"(?:覚えて(?:おいて|ください|いて)|忘れないで|メモして)",
)
SMALL_TALK: Final = (
    r"^\W*(?:danke(?:schön)?|vielen dank|super|genau|alles klar|hallo|guten (?:morgen|tag|abend)|tschüss|gerne?|passt|stimmt|klasse|prima)(?:[\s,!]+\S+){0,2}\W*$",
    r"^\W*(?:merci|super|parfait|d['’]accord|bonjour|bonsoir|salut|au revoir|génial|très bien|c['’]est bon)(?:[\s,!]+\S+){0,2}\W*$",
    r"^\W*(?:gracias|muchas gracias|perfecto|vale|de acuerdo|hola|buenos días|buenas (?:tardes|noches)|adiós|genial|muy bien)(?:[\s,!]+\S+){0,2}\W*$",
    r"^\W*(?:ありがとう(?:ございます)?|了解(?:です|しました)?|はい|いいえ|こんにちは|おはよう(?:ございます)?|わかりました|お疲れ様(?:です|でした)?|さようなら)[。！!]*\s*$",
)
REQUEST: Final = (
    r"^\W*(?:jetzt |bitte |dann )*(?:schreib|mach|prüf|zeig|erklär|erstell|änder|lösch|führ|such|öffne|hilf|teste|starte|behebe|füg|lies|sag|gib|schau)\w{0,3}\b",
    r"^\W*(?:s['’]il (?:te|vous) plaît,? )?(?:écris|fais|vérifie|montre|explique|crée|modifie|supprime|lance|cherche|ouvre|aide|teste|corrige|ajoute|lis|dis|donne)(?:-moi)?\b",
    r"^\W*(?:por favor,? )?(?:escribe|haz|revisa|muestra|explica|crea|cambia|borra|ejecuta|busca|abre|ayuda|prueba|arregla|añade|lee|di|da|mira)(?:me|nos)?\b",
    r"(?:て|で)(?:ください|下さい|くれ|ほしい|もらえます)?[。！!]?\s*$",
)
DURABLE: Final = (
    r"\b(?:immer|niemals|nie|ab (?:jetzt|sofort)|künftig|in zukunft|jedes ?mal|grundsätzlich|standardmäßig)\b",
    r"\b(?:toujours|jamais|désormais|dorénavant|à partir de maintenant|chaque fois|par défaut)\b",
    r"\b(?:siempre|nunca|jamás|de ahora en adelante|a partir de ahora|cada vez|por defecto)\b",
    r"(?:いつも|必ず|常に|今後|これからは|毎回|絶対に|デフォルト)",
)

_DE_TASK: Final = r"(?:dies\w*|das|es|dein\w*|euer|wie|wenn|jene\w*|de[nmr] (?:fehler|bug|code|test)|die (?:ausgabe|antwort))\b"
_FR_TASK: Final = (
    r"(?:ce|cet|cette|ces|ça|cela|ta|ton|tes|votre|comment|quand|l['’]erreur|le (?:bug|code|résultat))\b"
)
_ES_TASK: Final = (
    r"(?:est[eao]s?|es[eao]s?|aquello|tu|tus|su respuesta|cómo|cuando|el (?:error|código|fallo|resultado))\b"
)
MOOD: Final = (
    r"\b(?:i(?:['’]m| am) (?:so |really |just |getting |very |too )*(?:frustrated|annoyed|angry|mad|furious|upset|irritated|stressed|sick of|tired of|fed up|losing my mind|going crazy))\b",
    r"\b(?:drives?|driving|drove) me (?:crazy|mad|insane|nuts|up the wall)\b|\b(?:so|really|super|freaking|incredibly|this is|how) (?:annoying|frustrating|irritating|infuriating)\b|\bwhat the (?:hell|heck)\b",
    r"\b(?:hate|love|dislike|like|stand|detest)\b.{0,60}\b(?:right now|today|at the moment|again|this time|this morning|tonight)\b[.!\s]*$",
    r"(?:烦死|气死|受不了(?:这|它)|崩溃了|真烦|好烦|太烦|(?:讨厌|喜欢|恨)(?:死)?(?:这|那|你的|它))",
    r"(?<!\w)(?:bực (?:mình|quá|ghê)|tức (?:quá|chết|điên)|phát điên|chán quá|khó chịu quá|(?:ghét|thích|yêu) (?:cái |con |cách |mấy |những )?(?:lỗi|bug|đoạn code|kết quả|câu trả lời))(?!\w)",
    rf"\bich (?:hasse|liebe|mag|verabscheue) {_DE_TASK}|\b(?:nervt|so ein mist|verdammt|zum kotzen|treibt mich in den wahnsinn|bin (?:so |echt )?(?:genervt|frustriert|sauer|wütend))\b",
    rf"\b(?:je (?:déteste|hais)|j['’](?:aime|adore)|je n['’]aime pas) {_FR_TASK}|\b(?:ça m['’]énerve|c['’]est (?:énervant|pénible|agaçant)|j['’]en ai marre|me rend fou|je suis (?:énervée?|frustrée?|furieu\w+))\b",
    rf"\b(?:odio|detesto|adoro|me (?:gusta|encanta|gustan|encantan)) {_ES_TASK}|\b(?:qué (?:rabia|frustrante|molesto|asco)|estoy (?:hart[oa]|frustrad[oa]|enfadad[oa])|me (?:vuelve loc[oa]|pone de los nervios))\b",
    r"(?:この|その|あの|こんな|そんな)[^。、]{0,16}(?:が|は)(?:大|本当に|もう)?(?:嫌い|好き|嫌だ)|(?:イライラ|ムカつ|むかつ|うんざり|腹が立)",
)
"""Feelings about the task at hand, in all languages: no lasting preference, however strong (lessons.md C36)."""

DECISION: Final = (
    (
        r"\b(?:wir|ich) haben? (?:uns |mich )?(?:\S+ ){0,8}?(?:entschieden|beschlossen|geeinigt|festgelegt)\b|\b(?:wir|ich) (?:nehmen|nehme|wechseln|wechsle|steigen|bleiben) (?:\S+ ){0,4}?(?:zu|auf|bei|mit)\b"
        r"|\b(?:wir|ich) (?:sind|bin) (?:\S+ ){1,5}(?:umgestiegen|gewechselt|umgezogen)\b|\b(?:entscheidung|beschluss)\s*:"
    ),
    r"\b(?:nous avons|on a|j['’]ai)(?: \w+)? (?:décidé|choisi|opté|convenu|tranché)\b|\b(?:nous sommes|on est) passés? (?:à|de|sur)\b|\b(?:on|nous) (?:passe|passons|part|partons|reste|restons) (?:à|sur|avec)\b|\bdécision\s*:",
    r"\b(?:hemos|he) (?:decidido|elegido|acordado|optado)\b|\b(?:decidimos|elegimos|acordamos|optamos|nos quedamos con)\b|\b(?:cambiamos|pasamos|migramos|nos pasamos) (?:de|a)\b|\bdecisión\s*:",
    r"(?:に|と)(?:決めました|決めた|決定し|決まりました|決まった)|を(?:採用|選択)し(?:ました|た|ます)|に(?:移行|切り替え|変更|乗り換え)(?:し|る|ます|ました|た)",
)
IDENTITY: Final = (
    (
        r"\bich hei(?:ß|ss)e\b|\bmein (?:vor|nach)?name ist\b|\bnenn(?:e|t)? mich\b|\bich bin (?:\d{1,3} jahre alt|aus\b)|\bich (?:wohne|lebe|arbeite|komme|studiere|bin geboren) (?:\w+ )?(?:in|bei|als|aus|für|an)\b"
        r"|\bich bin (?:ein |eine |der |die )?(?:\w+ )?\w*(?:entwickler|ingenieur|lehrer|arzt|ärzt|student|designer|anwalt|anwält|veganer|vegetarier|rentner|pfleger|berater|architekt|koch|köch)(?:in)?\b"
    ),
    (
        r"\bje m['’]appelle\b|\bmon (?:nom|prénom) est\b|\bappelle[sz]?-moi\b|\bj['’]habite\b|\bj['’]ai \d{1,3} ans\b|\bje (?:vis|travaille|viens|suis née?) (?:à|en|au|aux|chez|comme|de|d['’]|pour|dans)"
        r"|\bje suis (?:un |une |le |la )?(?:\w+ )?(?:développeu|ingénieur|professeur|médecin|infirmi|étudiant|avocat|végétarien|végan|retraité|journaliste|graphiste|architecte|cuisini)\w*"
    ),
    (
        r"\bme llamo\b|\bmi nombre es\b|\bllámame\b|\btengo \d{1,3} años\b|\b(?:vivo|trabajo|estudio|nací) (?:en|para|como|de)\b"
        r"|\bsoy (?:de [A-Z]|(?:un |una )?(?:desarrollador|ingenier|profesor|médic|enfermer|estudiante|abogad|vegetarian|vegan|jubilad|periodista|diseñador|arquitect|cociner)\w*)"
    ),
    r"(?:私|僕|俺)の名前は|と申します|(?:私|僕|俺)は.{0,10}(?:エンジニア|開発者|学生|教師|医師|医者|看護師|デザイナー|弁護士|会社員|歳)(?:です|だ)|に住んで(?:い|お)|で働いて(?:い|お)|出身(?:です|だ)|と呼んで",
)
PREFERENCE: Final = (
    r"\bich (?:mag|liebe|hasse|bevorzuge|verabscheue)\b|\bich (?:\w+ ){1,3}(?:\S+ ){0,3}(?:gern|gerne|lieber|am liebsten|ungern)\b|\bmein\w{0,2} lieblings\w+|\bich bin (?:gegen \S+ )?allergisch\b",
    r"\bj['’](?:aime|adore)\b|\bje (?:préfère|déteste|hais)\b|\bje n['’]aime (?:pas|plus)\b|\b(?:mon|ma|mes) \w+ préférée?s?\b|\bje suis allergique\b",
    r"\b(?:me (?:gusta|gustan|encanta|encantan)|prefiero|odio|detesto|adoro)\b|\bmis? \w+ (?:favorit|preferid)[oa]s?\b|\bsoy alérgic[oa]\b",
    r"(?:が|は|のほうが|の方が)(?:一番|大|とても|あまり)?(?:好き|嫌い|苦手|好みです|好きではありません|好きじゃない)|を好み|一番好きな|アレルギー(?:が|です)",
)
INSTRUCTION: Final = (
    (
        r"^\W*(?:bitte )?(?:immer|niemals|nie|ab (?:jetzt|sofort)|künftig|in zukunft)\b|\b(?:antworte|benutze?|nutze?|verwende|schreibe?|frage?|lösche?|ändere|führe?)\b.{0,60}\b(?:immer|nie|niemals|nur|statt)\b"
        r"|\b(?:immer|nie|niemals)\b.{0,60}\b(?:benutzen|verwenden|löschen|ändern|schreiben|pushen|ausführen|antworten|fragen|prüfen)\b|\b(?:du|ihr|niemand|jeder|alle \w+) (?:musst|müsst|muss|müssen|darfst|dürft|darf|dürfen)\b"
    ),
    r"^\W*(?:toujours|jamais|désormais|dorénavant|à partir de maintenant|ne \S+ (?:jamais|pas)\b|n['’]\S+ (?:jamais|pas)\b)|\b(?:utilise|réponds|écris|lance|demande|fais)[sz]?\b.{0,60}\b(?:toujours|jamais|plutôt que|au lieu de)\b|\b(?:tu (?:dois|ne dois)|vous (?:devez|ne devez)|il (?:faut|ne faut))\b",
    r"^\W*(?:siempre|nunca|jamás|de ahora en adelante|a partir de ahora)\b|\b(?:usa|responde|escribe|ejecuta|pregunta)\b.{0,60}\b(?:siempre|nunca|en lugar de|en vez de)\b|\b(?:no )?(?:debes|tienes que|hay que)\b",
    r"(?:今後|これから|いつも|必ず|常に|絶対に|毎回).{0,60}(?:て|で)(?:ください|下さい|ほしい)|(?:ないで(?:ください|下さい)|しないこと|すること|禁止(?:です|する|。|$))",
)
TODO: Final = (
    r"\berinner(?:e|st)? mich\b|\bich muss (?:noch|heute|morgen|bis|unbedingt)\b|\bzu erledigen\s*:",
    r"\brappelle-moi (?:de|d['’])|\bje dois (?:encore|aujourd|demain|penser)|\bà faire\s*:",
    r"\brecuérdame\b|\b(?:todavía |aún )?tengo que\b|\bpendiente\s*:",
    r"(?:リマインド|思い出させて|(?:し|か|ま|ら|わ)なければ(?:ならない|なりません|いけない)|やること[:：])",
)
CONTEXT: Final = (
    r"\b(?:derzeit|gerade|momentan|zurzeit|im moment|diese woche)\b",
    r"\b(?:actuellement|en ce moment|pour l['’]instant|cette semaine|je suis en train)\b",
    r"\b(?:actualmente|ahora mismo|por ahora|de momento|esta semana|estoy \w+ndo)\b",
    r"(?:現在|今のところ|今週|ているところ|している最中)",
)
ENTITY: Final = (
    r"\b(?:mein|unser)\w{0,2} (?:schwester|bruder|mutter|vater|frau|mann|freund(?:in)?|kolleg(?:e|in)|chef(?:in)?|tochter|sohn|hund|katze)\b.{0,24}\b(?:heißt|ist)\b",
    r"\b(?:ma|mon|notre) (?:sœur|soeur|frère|mère|père|femme|mari|amie?|collègue|chef|patronn?e?|fille|fils|chienn?e?|chatt?e?)\b.{0,24}(?:s['’]appelle|\best\b)",
    r"\b(?:mi|nuestr[oa]) (?:hermana|hermano|madre|padre|esposa|esposo|mujer|marido|amig[oa]|colega|jef[ea]|hij[oa]|perr[oa]|gat[oa])\b.{0,24}\b(?:se llama|es)\b",
    r"(?:姉|妹|兄|弟|母|父|妻|夫|友達|同僚|上司|娘|息子|犬|猫)(?:の名前)?は.{1,16}(?:です|だ|といいます)",
)
FACT: Final = (
    (
        r"\b(?:der|die|das|dieser|unser\w{0,2}|mein\w{0,2}|ihr\w{0,2}|sein\w{0,2}|jede\w?) (?:\S+ ){1,5}(?:ist|sind|hat|haben|läuft|liegt|kostet|heißt|nutzt|benutzt|gehört|braucht|beginnt|endet|steht|wohnt|arbeitet)\b"
        r"|\b(?:wir|ich) (?:haben|habe|nutzen|benutzen|benutze|verwenden|betreiben|besitze)\b"
    ),
    (
        r"\b(?:le|la|les|notre|nos|mon|ma|mes|son|sa|chaque) (?:\S+ ){1,5}(?:est|sont|ont|tourne|coûte|utilise|commence|finit|appartient|écoute|se trouve|habite|travaille)\b|\bl['’]\w+ (?:\S+ ){0,4}(?:est|tourne|coûte|utilise)\b"
        r"|\b(?:nous|on) (?:utilisons|utilise|avons|hébergeons|déployons)\b|\bj['’]ai (?:une?|deux|trois|achet|pris|command|réserv)\w*\b"
    ),
    r"\b(?:el|la|los|las|nuestr[oa]s?|mis?|cada) (?:\S+ ){1,5}(?:es|son|está|están|tiene|tienen|corre|cuesta|usa|usan|empieza|termina|pertenece|escucha|vive|trabaja)\b|\b(?:usamos|tenemos|alojamos|desplegamos|compré|reservé|tengo (?:una?|dos|tres))\b",
    r"[\u3040-\u30ff\u4e00-\u9fff](?:は|が|を|に|で).{1,60}(?:です|ます|でした|ました|である|あります|います)[。.]?\s*$",
)
EVALUATION: Final = (
    r"\b(?:ist|sind|war|waren|klingt|sieht) (?:so |echt |wirklich |sehr |ziemlich )*(?:toll|super|gut|schön|schlecht|blöd|nervig|cool|lustig|wichtig|schwer)\b",
    r"\b(?:est|sont|était|c['’]est) (?:très |vraiment |si |trop )*(?:bien|bon|beau|belle|génial|nul|super|triste|drôle|difficile|important)\w*\b",
    r"\b(?:es|son|está|fue|era) (?:muy |tan |realmente |bastante )*(?:buen|bonit|genial|mal|horrible|divertid|difícil|importante|increíble)\w*\b",
    r"(?:すごい|すばらしい|楽しい|最高|最悪|難しい|良い|いい)(?:です|ですね|ね)?[。！!]*\s*$",
)
